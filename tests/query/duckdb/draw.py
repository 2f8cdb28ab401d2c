"""Draws typed expressions in both spellings: literals, columns of the table, and the operations.

SPDX-License-Identifier: Apache-2.0
"""
import datetime
import re

import number_operations
import text_operations
import time_operations

SQL_TYPES = ("INT64", "FLOAT64", "STRING", "BYTES", "BOOL", "TIMESTAMP", "DATE", "ARRAY<INT64>", "ARRAY<STRING>")
DUCK_TYPES = {"INT64": "BIGINT", "FLOAT64": "DOUBLE", "STRING": "VARCHAR", "BYTES": "BLOB", "BOOL": "BOOLEAN",
              "TIMESTAMP": "TIMESTAMP", "DATE": "DATE", "ARRAY<INT64>": "BIGINT[]", "ARRAY<STRING>": "VARCHAR[]"}
# A column of the table: where its cell is read in Sippar, its name in DuckDB.
COLUMNS = {
    "INT64": [("n:i", "i"), ("n:j", "j")], "FLOAT64": [("FLOAT64(TEXT(f:d))", "d")],
    "STRING": [("CAST(f:s AS STRING)", "s"), ("TEXT(f:u)", "u")], "BYTES": [("f:b", "b")],
    "BOOL": [("CAST(TEXT(f:o) AS BOOL)", "o")], "TIMESTAMP": [("TIMESTAMP_MICROS(n:t)", "t")],
    "DATE": [("DATE_FROM_UNIX_DATE(n:q)", "q")],
}

LEAST, MOST = -2**63, 2**63 - 1
INTEGERS = [0, 1, 2, 3, 5, 7, 10, 63, 64, 100, 255, 1000, -1, -2, -3, -7, -10, -255, 2**31, -2**31 - 1, 2**53 + 1,
            10**18, -10**18, MOST, MOST - 1, LEAST, LEAST + 1]
DOUBLES = [0.0, -0.0, 0.5, -0.5, 1.0, 1.5, -1.5, 2.5, -2.5, 3.5, 0.1, 0.3, -0.1, 1e-5, 123.456, -7.25, 1e10, 1e15,
           1e16, -1e17, 9.2e18, 9.3e18, 1e300, -1e308, 1.7976931348623157e308, 2.2250738585072014e-308, 5e-324, 1 / 3]
TEXTS = ["", "a", "b", "ab", "abc", "aab", "banana", "  x ", " ", "\ta\n", "Hello World", "ä", "äöü", "Straße", "ÀÉ",
         "日本語", "😀", "a,b,,c", ",", "-", "12", " 42 ", "-7", "0", "1.5", "9223372036854775808", "a%b", "a_b", "a\\b",
         "it's", '"q"', "$1", "\\1", "x=1;y=2", "ABC", "zz top"]
BYTES = [b"", b"a", b"abc", b"\x00", b"\xff", b"\x00\xff\x10", "ä".encode(), b"\xc3", b"\\x41", b"'", b"  b "]
POOLS = {  # literals that are no values of their own type
    "SMALL": [-3, -2, -1, 0, 1, 2, 3, 4, 5, 8], "COUNT": [0, 1, 2, 3, 5, 9], "COUNT1": [1, 2, 3],
    "SHIFT": [0, 1, 2, 7, 31, 32, 62, 63, 64, 70], "PLACES": [0, 1, 2, 3, -1, -2],
    "CODE": [0, 65, 97, 228, 8364, 128512],
    "DAYS": [0, 1, 28, 29, 30, 31, 32, 59, 365, -1, -30, -366], "YEAR": [1100, 1582, 1900, 1970, 2000, 2023, 2024],
    "MICROS": [0, 1, -1, 999999, -1000001, 1600000000123456, -1600000000123456],
    "MILLIS": [0, 1, -1, 1600000000123, -1600000000123], "SECONDS": [0, 1, -1, 86399, -86401, 1600000000],
    "CALM": [0.5, 1.0, 2.0, -1.0, 0.1, 3.25, -2.75, 10.0, 123.456, 0.0],
    "BASE": [0.5, 2.0, 10.0, 3.25, 1.0, -1.0],
    "KEY": ["k", "k0", "k05", "k1", "k15", "k23", "k3", "l", "", "m", "m0", "m1", "m10", "m123",
            "m25", "m3", "m359"],
    "LETTERS": ["a", "ab", "b", "n", " ", "xyz", "", "-", "a,"], "SEPARATOR": [",", "a", "ab", " ", "ä", "--", "an"],
    "LIKE": ["", "%", "_", "a%", "%a", "%an%", "_b%", "a\\%b", "a\\_b", "a\\\\b", "%ä%", "___", "%\\%%", "A%", "_%_"],
    # . and regular expressions that match nothing are drawn with ASCII texts: see text_operations.py.
    "PLAIN_REGEX": ["a", "an", "[a-m]+", "^a", "b$", "(?i)B", "\\d+", "a|b", "\\s", "(?:an)+", "ab|ac"],
    "GROUP_REGEX": ["(a)", "a(n)", "^([a-z])", "(an)+", "(\\d)", "=(\\d);", "([a-z]+)b", "x([0-9=]*)", "(ab|b)"],
    "DOT_REGEX": ["(.)", "a(.)", "^(.)", "(.)$", "x(.*)", "(a.?)", "([^a])", "(.+?)b", "(\\W)", "(.{2})"],
    "EMPTY_REGEX": ["x*", "", "b*", "a?", "(a)|", "\\b", "^", "$", "(?m)^"],
    "REGEX": ["a", "an", "(a)", "([a-z])b", "^a", "b$", "[[:upper:]]", "(?i)A", "l+", "(\\w+)", "a|an"],
    "ASCII": [text for text in TEXTS if text.isascii()],
    "REWRITE": ["", "x", "<\\0>", "\\\\", "ä", "\\0\\0", "$1", "&"],
    "ZONE": ["America/New_York", "Europe/Berlin", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe", "UTC",
             "Pacific/Apia"],
    "UNIT": [-1.0, -0.5, 0.0, 0.1, 0.3, 0.999, 1.0, 1.5], "INDEX": [-1, 0, 1, 1, 2, 3],
    "NUMERAL": ["12", " 42 ", "-7", "0", "+5", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
                "1.5", "", "x", "00012", "1e3", "- 1"],
    "JSON": ['{"a": 1, "b": [true, "x"], "c": {"d": "ä"}, "e": null}', '{"a": "y", "b": [0, -2.5], "c": {"d": false}}',
             '[{"a": "é\\n"}, 2, {"a": "y"}]', '"text"', "15"],
    "PATH": ["$", "$.a", "$.b[1]", "$.b", "$.c.d", "$.e", "$[0]", "$[1]", "$[2].a", "$.none", "$.b[0]"],
}
KINDS = {int: "INT64", float: "FLOAT64", str: "STRING", bytes: "BYTES", bool: "BOOL", datetime.datetime: "TIMESTAMP",
         datetime.date: "DATE"}


class Drawn:
    """An expression: its type, both spellings, the parts it was made of."""

    def __init__(self, kind, sippar, duckdb, parts=()):
        self.kind = kind
        self.sippar = sippar
        self.duckdb = duckdb
        self.parts = parts


def literal(value):
    """(Sippar's spelling, DuckDB's) of a value that is not NULL."""
    kind = KINDS[type(value)]
    if kind == "INT64":
        return (f"({value})" if value < 0 else str(value)), f"'{value}'::BIGINT"
    if kind == "FLOAT64":
        text = repr(value)
        return (f"({text})" if text.startswith("-") else text), f"'{text}'::DOUBLE"
    if kind == "STRING":
        escaped = value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t")
        return f"'{escaped}'", "'" + value.replace("'", "''") + "'"
    if kind == "BYTES":
        return f"x'{value.hex()}'", "'" + "".join(f"\\x{byte:02X}" for byte in value) + "'::BLOB"
    if kind == "BOOL":
        return str(value).upper(), str(value).lower()
    if kind == "DATE":
        return f"DATE '{value.isoformat()}'", f"DATE '{value.isoformat()}'"
    text = value.isoformat()
    return f"TIMESTAMP '{text}Z'", f"TIMESTAMP '{text.replace('T', ' ')}'"


def value_of(chance, kind):
    """A value of a type, one in two an odd one."""
    if kind == "INT64":
        return chance.choice(INTEGERS) if chance.random() < 0.6 else chance.randint(-1000, 1000)
    if kind == "FLOAT64":
        return chance.choice(DOUBLES) if chance.random() < 0.5 else chance.randint(-8000, 8000) / 8
    if kind == "STRING":
        return chance.choice(TEXTS)
    if kind == "BYTES":
        return chance.choice(BYTES)
    if kind == "BOOL":
        return chance.random() < 0.5
    year = chance.choice([1100, 1583, 1900, 1969, 1970, 2000, 2020, 2023, 2999])
    day = datetime.date(year, chance.randint(1, 12), chance.choice([1, 28]))
    day += datetime.timedelta(days=chance.choice([0, 0, 1, 2, 3]))
    if kind == "DATE":
        return day
    micros = chance.choice([0, 1, 999999, 500000, 86399999999, chance.randrange(86400000000)])
    return datetime.datetime(day.year, day.month, day.day) + datetime.timedelta(microseconds=micros)


def recent(chance):
    """A time for which all data of time zones agree."""
    return datetime.datetime(1971, 1, 1) + datetime.timedelta(seconds=chance.randrange(66 * 365 * 86400))


class Expressions:
    """Draws expressions; `with_columns` lets them read the table."""

    def __init__(self, chance, with_columns=False, calm=False):
        self.chance = chance
        self.with_columns = with_columns
        self.calm = calm  # only small values, so that a whole table seldom fails
        self.by_result = {}
        for row in (number_operations.OPERATIONS + text_operations.OPERATIONS + time_operations.OPERATIONS):
            if with_columns or "KEY" not in row[3]:
                self.by_result.setdefault(row[0], []).append(row)

    def draw(self, kind, depth):
        """An expression of at most this depth."""
        if kind in POOLS or kind == "RECENT" or depth == 0 or self.chance.random() < 0.1:
            return self.leaf(kind)
        _, sippar, duckdb, arguments = self.chance.choice(self.by_result[kind])
        parts = [self.draw(argument, depth - 1) for argument in arguments.split()]
        return Drawn(kind, filled(sippar, [part.sippar for part in parts]),
                     filled(duckdb or sippar, [part.duckdb for part in parts]), parts)

    def leaf(self, kind):
        chance = self.chance
        if kind == "REAL":
            kind = "FLOAT64"
        if kind in POOLS or kind == "RECENT":
            value = recent(chance) if kind == "RECENT" else chance.choice(POOLS[kind])
            return Drawn(KINDS[type(value)], *literal(value))
        if self.with_columns and kind in COLUMNS and chance.random() < 0.7:
            return Drawn(kind, *chance.choice(COLUMNS[kind]))
        if chance.random() < 0.08:
            return self.null_leaf(kind)
        if kind.startswith("ARRAY"):
            return self.list_leaf(kind)
        if self.calm and kind == "INT64":
            return Drawn(kind, *literal(chance.choice([-2, 1, 2, 3, 7, 10])))
        return Drawn(kind, *literal(value_of(chance, kind)))

    def null_leaf(self, kind):
        """NULL is a column in DuckDB: what has a constant NULL in it is NULL there, whatever fails beside it."""
        column = DUCK_TYPES[kind].replace("[]", "_list").lower()
        if kind.startswith("ARRAY"):
            return Drawn(kind, f"IF(FALSE, {kind}[], NULL)", f"nulls.a_{column}")
        return Drawn(kind, f"CAST(NULL AS {kind})", f"nulls.a_{column}")

    def list_leaf(self, kind):
        item = kind[6:-1]
        parts = [literal(value_of(self.chance, item)) for _ in range(self.chance.choice([0, 1, 2, 3]))]
        return Drawn(kind, f"{kind}[{', '.join(part[0] for part in parts)}]",
                     f"([{', '.join(part[1] for part in parts)}]::{DUCK_TYPES[kind]})")


def filled(spelling, parts):
    """Puts the parts where $1, $2 ... stand."""
    return re.sub(r"\$(\d)", lambda found: parts[int(found[1]) - 1], spelling)
