"""How values, columns and patterns are written in the language, as query/LANGUAGE.md says.

SPDX-License-Identifier: Apache-2.0
"""
import re
from collections.abc import Callable
from dataclasses import dataclass

PLAIN = re.compile(rb"[A-Za-z_][A-Za-z0-9_.]*\Z")


def readable(data):
    """Can these bytes stand between quotes as they are?"""
    try:
        return data.decode().isprintable() and b"\\" not in data
    except UnicodeDecodeError:
        return False


def literal(data, choose):
    """Bytes as text, with escapes, or in hexadecimal digits; choose(list) picks the way."""
    ways = ["x'" + data.hex() + "'", "b'" + "".join(f"\\x{b:02x}" for b in data) + "'"]
    if readable(data):
        text = data.decode()
        ways += 3 * ["'" + text.replace("'", "''") + "'"]
        ways.append('"' + text.replace('"', '""') + '"')
        ways.append("'" + text.replace("'", "\\'") + "'")
    return choose(ways)


def qualifier(data):
    if data == b"" or PLAIN.match(data):
        return data.decode()
    if readable(data):
        return '"' + data.decode().replace('"', '""') + '"'
    return "x'" + data.hex() + "'"


def column(name):
    return f"{name[0]}:{qualifier(name[1])}"


def moment(micros):
    """A time of the first second of 1970 as GoogleSQL writes it."""
    return f"TIMESTAMP '1970-01-01T00:00:00.{micros:06d}Z'"


def bytes_regex(text, ignore_case=False):
    """The expression in Python's words: its `$` would also hold before a last newline."""
    return re.compile(text.replace("$", r"\Z").encode(), re.IGNORECASE if ignore_case else 0)


def text_regex(text, ignore_case=False):
    return re.compile(text.replace("$", r"\Z"), re.IGNORECASE if ignore_case else 0)


def plural(count, word):
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


@dataclass(frozen=True)
class Pattern:
    """Columns by a pattern. `whole` says that its map has keys of family and qualifier."""
    text: str
    matches: Callable
    whole: bool = False
    family: str | None = None


def exactly(name):
    return Pattern(column(name), lambda f, q: (f, q) == name, family=name[0])


def all_of(family):
    return Pattern(f"{family}:*", lambda f, q: f == family, family=family)


def beginning(family, start):
    return Pattern(f"{family}:^{start}", lambda f, q: f == family and q.startswith(start.encode()),
                   family=family)


def by_regex(family, text, ignore_case):
    found = bytes_regex(text, ignore_case)
    return Pattern(f"{family}:/{text}/" + ("i" if ignore_case else ""),
                   lambda f, q: f == family and bool(found.search(q)), family=family)


def in_every_family(name):
    return Pattern(f"*:{qualifier(name)}", lambda f, q: q == name, whole=True)


def families_by_regex(text):
    found = bytes_regex(text)
    return Pattern(f"/{text}/:*", lambda f, q: bool(found.search(f.encode())), whole=True)
