"""Expressions: each has its text and what it is worth for a row, with NULL as SQL has it.

A value is None (NULL), bytes (BYTES), Text, int (INT64, TIMESTAMP), float, bool, dict (MAP) or list.
Cells are BYTES, those of a TEXT family TEXT, as the key of a row, families, qualifiers and text in quotes are. IF,
CASE and COALESCE give one of their values as it is, so only a value tells its type.
SPDX-License-Identifier: Apache-2.0
"""
import operator
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

import words
from model import Fails, Text, is_utf8

# The levels of the operators, loosest first: an operand of a looser level needs parentheses.
OR, AND, NOT, TEST, BIT_OR, BIT_XOR, BIT_AND, SUM, PRODUCT, UNARY, ATOM = range(11)
DIGITS = re.compile(rb"-?[0-9]+\Z")


@dataclass(frozen=True)
class Expr:
    text: str
    value: Callable  # of a model.View
    kind: str  # bytes, text, int, float, bool, time, map, list
    level: int = ATOM
    keys: frozenset = frozenset()  # the rows that this test of WHERE names
    fixed: bool = False  # a constant

    def within(self, level):
        return self.text if self.level >= level else f"({self.text})"


def known(function, *operands):
    """The function of values that are all known; else NULL."""
    def value(view):
        values = [o.value(view) for o in operands]
        return None if None in values else function(*values)
    return value


def whole(number):
    """INT64: overflow is an error."""
    if not -2**63 <= number < 2**63:
        raise Fails("OVERFLOW")
    return number


# What stands alone

def constant(text, value, kind):
    if isinstance(value, bytes) and text[0] in "'\"":
        value = Text(value)
    return Expr(text, lambda view: value, kind, UNARY if text.startswith("-") else ATOM, fixed=True)


def row_key(text="row"):
    return Expr(text, lambda view: Text(view.row), "text")


def column(name, kind, text=None):
    return Expr(text or words.column(name), lambda view: view.newest(name), kind)


def column_time(name):
    def value(view):
        cells = view.columns.get(name)
        return cells[0].timestamp if cells else None
    return Expr(f"TIMESTAMP({words.column(name)})", value, "time")


def history(name, text=None):
    return Expr(text or f"HISTORY({words.column(name)})", lambda view: view.history(name), "list")


def history_item(name, place, part):
    """list[1] counts from 1, list[-1] is the last, and what is missing is NULL."""
    def value(view):
        items = view.history(name) or []
        at = place - 1 if place > 0 else len(items) + place
        return items[at][part.encode()] if 0 <= at < len(items) else None
    return Expr(f"HISTORY({words.column(name)})[{place}].{part}", value, "bytes")


def version_count(name):
    """Of the versions that the statement reads."""
    return Expr(f"VERSION_COUNT({words.column(name)})", lambda view: len(view.columns.get(name, [])), "int")


def map_keys(family):
    return Expr(f"MAP_KEYS({family})", lambda view: sorted(q for f, q in view.columns if f == family), "list")


def column_map(pattern, shows_versions, text=None):
    def value(view):
        found = {}
        for (family, qualifier), cells in view.columns.items():
            if pattern.matches(family, qualifier):
                key = family.encode() + b":" + qualifier if pattern.whole else qualifier
                found[key] = view.history((family, qualifier)) if shows_versions else cells[0].value
        return found
    return Expr(text or pattern.text, value, "map")


def cardinality(pattern):
    inner = column_map(pattern, False)
    return Expr(f"CARDINALITY({inner.text})", lambda view: len(inner.value(view)), "int")


def name_of(name, kind):
    return Expr(name, lambda view: view.names[name], kind)


def of_name(name, expr):
    """The name that AS gives an item."""
    return Expr(name, expr.value, expr.kind)


def of_cell(name, value, kind):
    whole = Text if kind == "text" else lambda x: x
    return Expr(name, lambda view: whole(value(view.cell)), kind)


# Tests

def compare(sign, a, b):
    test = {"=": operator.eq, "!=": operator.ne, "<>": operator.ne, "<": operator.lt,
            "<=": operator.le, ">": operator.gt, ">=": operator.ge}[sign]
    named = named_keys(a, [b]) if sign == "=" else frozenset()
    return Expr(f"{a.within(BIT_OR)} {sign} {b.within(BIT_OR)}", known(test, a, b), "bool", TEST, named)


def named_keys(a, items):
    is_row = a.text in ("row", "_key") and all(item.fixed for item in items)
    return frozenset(item.value(None) for item in items) - {None} if is_row else frozenset()


def between(a, low, high, negated=False):
    text = f"{a.within(BIT_OR)} {'NOT ' * negated}BETWEEN {low.within(BIT_OR)} AND {high.within(BIT_OR)}"

    def value(view):
        both = _and(known(operator.le, low, a)(view), known(operator.le, a, high)(view))
        return _not(both) if negated else both
    return Expr(text, value, "bool", TEST)


def chain(low, sign, a, other_sign, high):
    """'a' <= row < 'e'"""
    first, second = compare(sign, low, a), compare(other_sign, a, high)
    return Expr(f"{first.text} {other_sign} {high.text}",
                lambda view: _and(first.value(view), second.value(view)), "bool", TEST)


def one_of(a, items, negated=False, unnest=False):
    """x IN (…), x IN UNNEST([…]): TRUE when an item is equal, else NULL when x or an item is NULL."""
    def value(view):
        x = a.value(view)
        values = [item.value(view) for item in items]
        found = None if x is None else True if x in [v for v in values if v is not None] else \
            None if None in values else False
        return _not(found) if negated else found
    named = frozenset() if negated else named_keys(a, items)
    text = ", ".join(item.text for item in items)
    text = f"UNNEST([{text}])" if unnest else f"({text})"
    return Expr(f"{a.within(BIT_OR)} {'NOT ' * negated}IN {text}", value, "bool", TEST, named)


def like(a, pattern, negated=False, ignore_case=False):
    """% is anything, _ is one byte of BYTES, one character of TEXT, \\ takes the next character as it is."""
    parts = {"%": "(?s:.*)", "_": "(?s:.)"}
    regex = "".join(re.escape(c[-1]) if len(c) > 1 else parts.get(c, re.escape(_folded(c, ignore_case)))
                    for c in re.findall(r"\\.|.", pattern)) + r"\Z"

    def test(data):
        if not is_utf8(data):
            data = data.lower() if ignore_case else data
        elif isinstance(data, Text):
            return bool(re.match(regex, _folded(data.decode(), ignore_case))) != negated
        else:
            data = _folded(data.decode(), ignore_case).encode()
        return bool(re.match(regex.encode(), data)) != negated
    quoted = pattern.replace("'", "''").replace("\\", "\\\\")
    sign = "NOT " * negated + "I" * ignore_case + "LIKE"
    return Expr(f"{a.within(BIT_OR)} {sign} '{quoted}'", known(test, a), "bool", TEST)


def _folded(text, ignore_case):
    return text.lower() if ignore_case else text


def starts_with(a, start, choose):
    value = known(lambda x: x.startswith(start), a)
    text = words.literal(start, choose)
    call = Expr(f"STARTS_WITH({a.text}, {text})", value, "bool")
    return choose([call, Expr(f"{a.within(BIT_OR)} STARTS WITH {text}", value, "bool", TEST)])


def contains(a, regex):
    return Expr(f"REGEXP_CONTAINS({a.text}, r'{regex}')", matches(a, regex, False).value, "bool")


def has_key(family, qualifier, text):
    return Expr(f"MAP_CONTAINS_KEY({family}, {text})", lambda view: (family, qualifier) in view.columns, "bool")


def matches(a, regex, ignore_case, negated=False):
    """A regex matches TEXT that is UTF-8 by characters, anything else by bytes."""
    by_byte = words.bytes_regex(regex, ignore_case)
    by_character = words.text_regex(regex, ignore_case)

    def test(data):
        if isinstance(data, Text) and is_utf8(data):
            return bool(by_character.search(data.decode())) != negated
        return bool(by_byte.search(data)) != negated
    value = known(test, a)
    sign = "!~" if negated else "~"
    return Expr(f"{a.within(BIT_OR)} {sign} /{regex}/{'i' * ignore_case}", value, "bool", TEST)


def is_null(a, negated=False):
    return Expr(f"{a.within(BIT_OR)} IS {'NOT ' * negated}NULL", lambda view: (a.value(view) is None) != negated,
                "bool", TEST)


def _and(a, b):
    return False if a is False or b is False else None if None in (a, b) else True


def _not(a):
    return None if a is None else not a


def both(a, b):
    # In an AND one test that names rows is enough: those that it names pass or do not.
    return Expr(f"{a.within(AND)} AND {b.within(NOT)}", lambda view: _and(a.value(view), b.value(view)), "bool", AND,
                a.keys | b.keys)


def either(a, b):
    def value(view):
        return _not(_and(_not(a.value(view)), _not(b.value(view))))
    named = a.keys | b.keys if a.keys and b.keys else frozenset()  # an OR with a test that names none names none
    return Expr(f"{a.within(OR)} OR {b.within(AND)}", value, "bool", OR, named)


def inverse(a):
    return Expr(f"NOT {a.within(NOT)}", lambda view: _not(a.value(view)), "bool", NOT)


# Numbers and bytes

def _toward_zero(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def arithmetic(sign, a, b):
    level = {"+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT, "%": PRODUCT, "&": BIT_AND, "^": BIT_XOR,
             "|": BIT_OR}[sign]
    function = {"+": lambda x, y: whole(x + y), "-": lambda x, y: whole(x - y),
                "*": lambda x, y: whole(x * y), "/": lambda x, y: float(x) / float(y),
                "%": lambda x, y: x - y * _toward_zero(x, y), "&": operator.and_, "|": operator.or_,
                "^": operator.xor}[sign]
    return Expr(f"{a.within(level)} {sign} {b.within(level + 1)}", known(function, a, b),
                "float" if sign == "/" else "int", level)


def negative(a):
    return Expr(f"- {a.within(ATOM)}", known(lambda x: whole(-x), a), "int", UNARY)


def div(a, b):
    return Expr(f"DIV({a.text}, {b.text})", known(lambda x, y: whole(_toward_zero(x, y)), a, b), "int")


def joined(a, b):
    """TEXT with BYTES makes BYTES: TEXT would have to be UTF-8."""
    def value(x, y):
        return Text(x + y) if isinstance(x, Text) and isinstance(y, Text) else bytes(x + y)
    return Expr(f"{a.within(SUM)} || {b.within(PRODUCT)}", known(value, a, b), "bytes", SUM)


def length(a):
    """Characters of TEXT, bytes of BYTES."""
    return Expr(f"LENGTH({a.text})", known(lambda x: len(x.decode() if isinstance(x, Text) else x), a), "int")


def in_case(name, a):
    """UPPER and LOWER: letters of TEXT, ASCII letters of BYTES; bytes that are no UTF-8 stay."""
    def one(character):
        other = getattr(character, name.lower())()
        return other if len(other) == 1 else character

    def value(x):
        if not isinstance(x, Text):
            return getattr(x, name.lower())()
        text = x.decode("utf-8", "surrogateescape")
        return Text("".join(map(one, text)).encode("utf-8", "surrogateescape"))
    return Expr(f"{name}({a.text})", known(value, a), "bytes")


def normalized(a, form):
    def value(x):
        return Text(unicodedata.normalize(form, x.decode()).encode())
    return Expr(f"NORMALIZE({a.text}, {form})", known(value, a), "text")


def substring(a, start, count):
    def value(x):
        part = slice(start - 1, start - 1 + count)
        return Text(x.decode()[part].encode()) if isinstance(x, Text) else x[part]
    return Expr(f"SUBSTR({a.text}, {start}, {count})", known(value, a), a.kind)


def digits(a):
    """Decimal digits of a cell; NULL where it has none. Without TRY it is an error."""
    def value(x):
        fits = DIGITS.match(x) and -2**63 <= int(x) < 2**63
        return int(x) if fits else None
    return Expr(f"TRY_CAST(TRY_CAST({a.text} AS TEXT) AS INT64)", known(value, a), "int")


def eight_bytes(a, strict):
    def value(x):
        if len(x) == 8:
            return int.from_bytes(x, "big", signed=True)
        if strict:
            raise Fails("DECODE")
        return None
    return Expr(f"INT64({a.text})" if strict else f"TRY_CAST({a.text} AS INT64)", known(value, a), "int")


def first_known(*items):
    def value(view):
        return next((v for v in (i.value(view) for i in items) if v is not None), None)
    name = "IFNULL" if len(items) == 2 else "COALESCE"
    return Expr(f"{name}({', '.join(i.text for i in items)})", value, items[0].kind)


def choice(test, a, b, as_case):
    def value(view):
        return a.value(view) if test.value(view) is True else b.value(view)
    text = f"CASE WHEN {test.text} THEN {a.text} ELSE {b.text} END" if as_case else \
        f"IF({test.text}, {a.text}, {b.text})"
    return Expr(text, value, a.kind)

