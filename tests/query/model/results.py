"""What a statement should answer, what the program answered, and whether that is the same.

SPDX-License-Identifier: Apache-2.0
"""
import base64
import math
import re
from dataclasses import dataclass

from model import ANY_ERROR, SERVER_TIMES


@dataclass
class Rows:
    rows: list
    ordered: bool = True  # False: the document says no order
    next: bytes | None = None  # the key of "next: AFTER ROW key", where the answer is cut for certain

    def __str__(self):
        lines = [" | ".join(show(v) for v in row) for row in self.rows]
        return "\n".join(lines + [f"({len(lines)} rows)"] + [f"next {self.next}"] * (self.next is not None))


@dataclass
class Error:
    code: str  # ANY_ERROR: the document says no code

    def __str__(self):
        return f"error {self.code}"


@dataclass
class Anything:
    """An answer that is not compared, but is no error."""


@dataclass
class Bag:
    """A list of an aggregate whose order the document does not say."""
    items: list

    def same(self, found):
        return isinstance(found, list) and same_rows([[i] for i in self.items], [[i] for i in found], False)


def show(value):
    if isinstance(value, Bag):
        return "in any order " + show(value.items)
    return repr(value) if len(repr(value)) < 200 else repr(value)[:200] + f"… ({len(repr(value))} characters)"


def same(expected, found):
    """Are these one value? Any time of the server is right; a sum of FLOAT64 may differ in the last digits."""
    if isinstance(expected, Bag):
        return expected.same(found)
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(map(same, expected, found))
    if isinstance(expected, dict) and isinstance(found, dict):
        return expected.keys() == found.keys() and all(same(expected[k], found[k]) for k in expected)
    if isinstance(expected, bool) or isinstance(found, bool):
        return expected is found
    if isinstance(expected, int) and expected in SERVER_TIMES:
        return isinstance(found, int) and found in SERVER_TIMES
    if isinstance(expected, float) and isinstance(found, (int, float)):
        return math.isclose(expected, found, rel_tol=1e-12)
    if isinstance(expected, bytes):  # or Text
        return isinstance(found, bytes) and expected == found
    return type(expected) is type(found) and expected == found


def same_rows(expected, found, ordered):
    if len(expected) != len(found):
        return False
    if ordered:
        return all(map(same, expected, found))
    left = list(found)
    for row in expected:
        place = next((i for i, other in enumerate(left) if same(row, other)), None)
        if place is None:
            return False
        del left[place]
    return True


def same_answer(expected, found):
    if isinstance(expected, Anything):
        return isinstance(found, Rows)
    if found is None:
        return False
    if isinstance(expected, Error) or isinstance(found, Error):
        return expected == found or expected == Error(ANY_ERROR) and isinstance(found, Error)
    if not same_rows(expected.rows, found.rows, expected.ordered):
        return False
    return expected.next is None or expected.next == found.next


# Answers of --format json

def decoded(value):
    """A value of JSON: text is its bytes, and what is not UTF-8 is in base64."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, list):
        return [decoded(item) for item in value]
    if isinstance(value, dict):
        if list(value) == ["$base64"]:
            return base64.b64decode(value["$base64"])
        return {decoded_key(key): decoded(item) for key, item in value.items()}
    return value


def decoded_key(key):
    start = "$base64:"
    return base64.b64decode(key[len(start):]) if key.startswith(start) else key.encode()


def answer(json_object):
    after = json_object["next"]
    row = re.fullmatch(r"AFTER ROW (.*)", after, re.DOTALL) if after else None
    return Rows(decoded(json_object["rows"]), next=unquoted(row[1]) if row else None)


def unquoted(text):
    """The bytes of a literal that the program wrote."""
    if text.startswith("x'"):
        return bytes.fromhex(text[2:-1])
    inner = text[text.index("'") + 1:-1].replace("''", "'").encode()
    escapes = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"0": b"\0"}

    def one(found):
        return bytes.fromhex(found[1].decode()) if found[1] else escapes.get(found[2], found[2])
    return re.sub(rb"\\(?:x([0-9a-fA-F]{2})|(.))", one, inner, flags=re.DOTALL)
