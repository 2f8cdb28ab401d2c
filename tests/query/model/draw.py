"""Draws schemas, values, expressions and tests. The alphabets are small, so that cells meet often.

SPDX-License-Identifier: Apache-2.0
"""
import random
from dataclasses import dataclass, field

import expressions as ex
import words
from expressions import Expr
from model import Cell, Family, Rule, Window

ROWS = [b"a", b"aa", b"ab", b"a\x00", b"b", b"ba", b"b%", b"b_", b"it's", b"\xff", b"\xff\xff", b"\x00", b"c" * 300,
        b"c" * 300 + b"d", "é".encode(), b"row 1", b"B", b"com.a/b"]
QUALIFIERS = [b"", b"p", b"pq", b"q", b"P", b"x y", b"\x00\xff", "é".encode(), b"it's", b"$base64:AA==", b"a-b",
              b"1", b"q" * 200, b"p.q", b"\\", b'"']
VALUES = [b"", b"a", b"b", b"ab", b"B", b"a\nb", b"\x00", b"\xff\xfe", b"10", b"9", b"-3", bytes(7) + b"\x05",
          b"\xff" * 7 + b"\xf9", "é".encode(), "É".encode(), "e\u0301".encode(), b"it's", b"v" * 3000, b"a~b", b"a%"]
NUMBERS = [0, 1, 2, 5, -3, 7, 10, 2**53 + 1, -(2**53) - 1]
TIMES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1000, 999_999]
REGEXES = ["a", "^a", "b$", "^$", "[ab]+$", "^a.*b$", "^.$", "a.b", "(?s)a.b", r"\x00", "^[^a]", "^(a|b)", "it's"]
LIKES = ["a%", "%b", "_", "a_", "%", "", "ab", "%a%", "b%", "_b", "it's", "p%", "é", "_\u0301", "É%",
         r"a\%", r"b\_%", "A_"]
STARTS = [b"a", b"b", b"", b"\xff", b"c" * 300, b"it", b"p"]
FAMILIES = ["a", "b", "contents", "with_a_name"]
COUNTERS = ["hits", "n"]
SUMS = ["sums"]
TEXTS = ["notes"]


@dataclass
class Scope:
    """What expressions can name."""
    bytes: list = field(default_factory=list)
    cells: list = field(default_factory=list)  # BYTES whose length is in bytes
    texts: list = field(default_factory=list)  # TEXT that is UTF-8: values of TEXT families
    ints: list = field(default_factory=list)
    times: list = field(default_factory=list)
    more: list = field(default_factory=list)  # other tests
    row: Expr | None = None


class Draw:
    def __init__(self, seed, known=False):
        self.random = random.Random(seed)
        self.known = known  # draw also what is known to differ
        self.families = {}
        for name in self.some(FAMILIES, 1, 3):
            self.families[name] = Family(self.rule([None, None, 1, 2, 3]))
        for name in self.some(COUNTERS, 1, 2):
            self.families[name] = Family(self.rule([None, 1, 2]), counter=True)
        for name in self.some(TEXTS, 0, 1):
            self.families[name] = Family(self.rule([None, 1, 2]), text=True)
        for name in self.some(SUMS, 0, 1):
            self.families[name] = Family(self.rule([None, None, 1, 2]), counter=True,
                                         adds=self.choose(["SUM", "SUM", "MIN", "MAX"]))
        self.rows = self.some(ROWS, 6, 12)
        self.columns = [(f, q) for f in sorted(self.families) for q in self.some(QUALIFIERS, 2, 4)]

    # Chance

    def choose(self, items):
        return self.random.choice(items)

    def chance(self, share):
        return self.random.random() < share

    def some(self, items, least, most):
        return self.random.sample(items, self.random.randint(least, min(most, len(items))))

    # Schema

    def create_table(self, name):
        families = [self.family_text(f) for f in self.some(list(self.families), len(self.families), len(self.families))]
        groups = []
        if self.chance(0.5):
            inside = self.some(list(self.families), 1, 2)
            options = self.some(["IN_MEMORY", "BLOCK_SIZE 4KiB", "BLOOM = ROW_COLUMN", "COMPRESSION = HIGH"], 0, 3)
            groups = [f"LOCALITY GROUP g ({', '.join(inside)}) {' '.join(options)}".rstrip()]
        split = f" SPLIT AT ({self.keys(self.some(self.rows, 1, 2))})" if self.chance(0.3) else ""
        return f"CREATE TABLE {name} ({', '.join(families + groups)}){split}"

    def rule(self, counts):
        count = self.choose(counts)
        age = Rule("AGE")
        if count is None:
            return age if self.chance(0.05) else None
        keep = Rule("VERSIONS", count)
        many = Rule("UNION", parts=(age, Rule("VERSIONS", 3)))
        mixed = [Rule("UNION", parts=(keep, age)), Rule("INTERSECTION", parts=(keep, age)),
                 Rule("INTERSECTION", parts=(keep, many))]
        return self.choose(mixed) if self.chance(0.25) else keep

    def family_text(self, name):
        family, rule = self.families[name], ""
        if family.rule:
            rules = family.rule.parts if family.rule.kind == "UNION" else [family.rule]
            rule = f" GC = {family.rule}"
            if family.rule.kind != "INTERSECTION" and self.chance(0.8):
                rule = "".join(f" VERSIONS {part.count}" if part.count else " TTL 30d" for part in rules)
        kind = family.adds or "TEXT" * family.text
        kind = f" TYPE = {kind}" if kind else " COUNTER" * family.counter
        return f"FAMILY {name}{rule}{kind}"

    # Constants

    def literal(self, data):
        return words.literal(data, self.choose)

    def key(self):
        return self.choose(self.rows)

    def keys(self, keys):
        return ", ".join(self.literal(key) for key in sorted(keys))

    def text(self, data=None):
        data = self.choose(VALUES) if data is None else data
        return ex.constant(self.literal(data), data, "bytes")

    def utf8(self):
        return self.text(self.choose([v for v in VALUES if ex.is_utf8(v)]))

    def number(self, numbers=NUMBERS):
        number = self.choose(numbers)
        return ex.constant(str(number), number, "int")

    def time(self):
        return self.choose(TIMES)

    # Columns

    def counter(self, column):
        return self.families[column[0]].counter

    def is_text(self, column):
        return self.families[column[0]].text

    def bytes_columns(self):
        return [c for c in self.columns if not self.counter(c) and not self.is_text(c)]

    def texts(self):
        return [c for c in self.columns if self.is_text(c)]

    def counters(self):
        return [c for c in self.columns if self.counter(c)]

    def sums(self):
        """Columns that nothing sets: INSERT … SELECT adds to them."""
        return [c for c in self.columns if self.families[c[0]].adds]

    def settable(self, columns=None):
        return [c for c in columns or self.columns if not self.families[c[0]].adds]

    def column(self, column, table=None):
        text = f"{column[0]}[{self.literal(column[1])}]" if self.chance(0.15) or table else None
        text = f"{table}.{text}" if table else text
        kind = "int" if self.counter(column) else "text" if self.is_text(column) else "bytes"
        return ex.column(column, kind, text)

    def pattern(self, families=None):
        family = self.choose(families or sorted(self.families))
        ways = [lambda: words.exactly(self.choose([c for c in self.columns if c[0] == family])),
                lambda: words.all_of(family),
                lambda: words.beginning(family, self.choose(["p", "q", "pq", "x"])),
                lambda: words.by_regex(family, self.choose(["^p", "q$", "^$", "P", "p.q", r"\xff", "^.$"]),
                                       self.chance(0.3))]
        if not families:
            ways += [lambda: words.in_every_family(self.choose(self.columns)[1]),
                     lambda: words.families_by_regex(self.choose(["^a", "t", "^n$", "_", "^[abn]$"]))]
        return self.choose(ways)()

    def row_scope(self, table=None):
        """table: its name after AS, which may stand before its names."""
        key = self.choose(["row", "row", "_key"])
        scope = Scope(row=ex.row_key(f"{table}.{key}" if table else key))
        scope.cells = [self.column(c, table) for c in self.bytes_columns()]
        scope.texts = [self.column(c, table) for c in self.texts()]
        scope.bytes = scope.cells + [scope.row]
        scope.ints = [self.column(c, table) for c in self.counters()]
        scope.times = [ex.column_time(c) for c in self.columns]
        scope.more = [ex.compare(">", ex.cardinality(words.all_of(f)), self.number([0, 1, 2]))
                      for f in sorted(self.families)]
        scope.more += [ex.has_key(*c, self.literal(c[1])) for c in self.columns]
        return scope

    def cell_scope(self, families):
        """families: those that the patterns of CELLS mean; they tell the type of `value`."""
        scope = Scope(row=ex.row_key())
        parts = [ex.of_cell("family", lambda c: c.family.encode(), "text"),
                 ex.of_cell("qualifier", lambda c: c.qualifier, "text"),
                 ex.of_cell("column", column_name, "text")]
        scope.bytes = parts + [scope.row]
        scope.times = [ex.of_cell("timestamp", lambda c: c.timestamp, "time")]
        if all(self.families[f].counter for f in families):
            scope.ints = [ex.of_cell("value", lambda c: c.value, "int")]
            return scope
        if all(self.families[f].text for f in families):
            scope.texts = [ex.of_cell("value", lambda c: c.value, "text")]
            return scope
        value = ex.of_cell("value", cell_bytes, "bytes")
        number = ex.of_cell("value", cell_number, "int")
        scope.cells = [value]
        scope.bytes.append(value)
        if self.known or any(self.families[f].counter for f in families):
            scope.more = [ex.compare(sign, number, self.number()) for sign in ("=", "<", ">")]
        return scope

    # Expressions

    def bytes_of(self, scope, depth=1):
        if depth == 0 or self.chance(0.5):
            return self.choose(scope.bytes) if self.chance(0.8) else self.text()
        ways = [lambda: ex.joined(self.bytes_of(scope, depth - 1), self.text()),
                lambda: ex.in_case(self.choose(["UPPER", "LOWER"]), self.choose(scope.bytes + scope.texts)),
                lambda: ex.first_known(self.choose(scope.bytes), self.choose(scope.bytes), self.text()),
                lambda: ex.choice(self.test(scope, 0), self.choose(scope.bytes), self.text(), self.chance(0.5))]
        if scope.cells:
            ways.append(lambda: ex.substring(self.choose(scope.cells), self.choose([1, 2]), self.choose([0, 1, 2])))
        if scope.texts:
            ways.append(lambda: ex.normalized(self.choose(scope.texts), self.choose(["NFC", "NFD", "NFKC", "NFKD"])))
            ways.append(lambda: ex.substring(self.choose(scope.texts), self.choose([1, 2]), self.choose([0, 1, 2])))
        return self.choose(ways)()

    def int_of(self, scope, depth=1):
        if scope.ints and (depth == 0 or self.chance(0.4)):
            return self.choose(scope.ints)
        ways = [lambda: self.number()]
        if scope.texts:
            ways += [lambda: ex.length(self.choose(scope.texts)), lambda: ex.digits(self.choose(scope.texts))]
        if scope.cells:
            ways += [lambda: ex.length(self.choose(scope.cells)), lambda: ex.digits(self.choose(scope.cells)),
                     lambda: ex.eight_bytes(self.choose(scope.cells), strict=False)]
        if depth:
            ways += 2 * [lambda: ex.arithmetic(self.choose(["+", "-", "&", "|", "^"]), self.int_of(scope, depth - 1),
                                               self.int_of(scope, depth - 1)),
                         lambda: ex.arithmetic("*", self.int_of(scope, depth - 1), self.number([0, 1, 2, -3])),
                         lambda: ex.arithmetic("%", self.int_of(scope, depth - 1), self.number([2, 3, -5])),
                         lambda: ex.div(self.int_of(scope, depth - 1), self.number([2, 3, -5]))]
            ways += [lambda: ex.negative(self.int_of(scope, depth - 1)),
                     lambda: ex.choice(self.test(scope, 0), self.int_of(scope, 0), self.number(), self.chance(0.5)),
                     lambda: ex.first_known(self.int_of(scope, 0), self.number())]
        return self.choose(ways)()

    def value_of(self, scope):
        if scope.texts and self.chance(0.2):
            return self.choose(scope.texts)
        return self.choose([self.bytes_of, self.bytes_of, self.int_of])(scope)

    # Tests

    def test(self, scope, depth=2):
        if depth == 0 or self.chance(0.4):
            return self._simple_test(scope)
        ways = [lambda: ex.both(self.test(scope, depth - 1), self.test(scope, depth - 1)),
                lambda: ex.either(self.test(scope, depth - 1), self.test(scope, depth - 1)),
                lambda: ex.inverse(self.test(scope, depth - 1))]
        return self.choose(ways)()

    def _simple_test(self, scope):
        sign = self.choose(["=", "=", "!=", "<", "<=", ">", ">=", "<>"])
        text, no = self.choose(scope.bytes + scope.texts), self.chance(0.3)
        text = self.bytes_of(scope) if self.chance(0.1) else text
        ways = [lambda: ex.compare(sign, text, self.text()),
                lambda: ex.compare(sign, self.bytes_of(scope), self.bytes_of(scope, 0)),
                lambda: ex.is_null(text, no), lambda: ex.like(text, self.choose(LIKES), no, self.chance(0.3)),
                lambda: ex.matches(text, self.choose(REGEXES), self.chance(0.2), no),
                lambda: ex.contains(text, self.choose(REGEXES[:-1])),
                lambda: ex.starts_with(text, self.choose(STARTS), self.choose),
                lambda: ex.between(text, self.text(), self.text(), no),
                lambda: ex.one_of(text, [self.text() for _ in range(3)] + self.chance(0.2) * [NULL], no)]
        if scope.ints or scope.cells:
            ways += [lambda: ex.compare(sign, self.int_of(scope), self.number()),
                     lambda: ex.compare(sign, ex.arithmetic("/", self.int_of(scope, 0), self.number([2, 4])),
                                        ex.constant("1.5", 1.5, "float")),
                     lambda: ex.compare(sign, self.int_of(scope, 0), BIG),
                     lambda: ex.between(self.int_of(scope, 0), self.number(), self.number(), no)]
        if scope.times:
            ways.append(lambda: ex.compare(sign, self.choose(scope.times), self.moment()))
        if scope.more:
            ways.append(lambda: self.choose(scope.more))
        if scope.row:
            ways += 2 * [lambda: self.row_test(scope.row)]
        return self.choose(ways)()

    def moment(self):
        time = self.time()
        return ex.constant(self.choose([str(time), words.moment(time)]), time, "time")

    def row_test(self, row=None):
        row = row or ex.row_key()
        key, other = (self.text(k) for k in sorted([self.key(), self.key()]))
        sign = self.choose(["=", "=", "<", "<=", ">", ">="])
        ways = [lambda: ex.compare(sign, row, key), lambda: ex.one_of(row, [key, other], unnest=self.chance(0.3)),
                lambda: ex.chain(key, self.choose(["<", "<="]), row, self.choose(["<", "<="]), other),
                lambda: ex.between(row, key, other), lambda: ex.starts_with(row, self.choose(STARTS[:5]), self.choose),
                lambda: ex.like(row, self.choose(LIKES[:6])),
                lambda: ex.matches(row, self.choose(["^a", "^b", "^(a|b)", "^it", "^ab?$"]), False)]
        return self.choose(ways)()

    def named_rows(self):
        """A test of WHERE that names rows, which INCREMENT and APPEND may make."""
        row = ex.row_key()
        ways = [lambda: ex.compare("=", row, self.text(self.key())),
                lambda: ex.one_of(row, [self.text(k) for k in self.some(self.rows, 1, 3)])]
        return self.choose(ways)()

    # Times

    def window(self, table, shows_versions):
        """(what stands after FROM, options, Window)"""
        if self.chance(0.2):
            return self._arguments(table, shows_versions)
        parts, window = [], Window()
        kind = self.choose(["", "", "as of", "time"])
        if kind == "as of":
            time = self.time()
            window.end = time + 1
            parts.append(f"AS OF {self.choose([str(time), words.moment(time)])}")
        elif kind == "time":
            start, end = sorted(self.random.sample(TIMES, 2))
            window = self.choose([Window(start, end), Window(start), Window(0, end)])
            parts.append("TIME" + (f" FROM {start}" if window.start else " FROM 0" * (window.end is None)) +
                         (f" TO {end}" if window.end else ""))
        if self.chance(0.5):
            window.versions = self.choose([None, None, 1, 2, 3] if shows_versions else [1])
            parts.insert(self.choose([0, len(parts)]), f"VERSIONS {window.versions or 'ALL'}")
        return table, " ".join(parts), window

    def _arguments(self, table, shows_versions):
        window = Window(versions=None if shows_versions else 1)
        parts = ["with_history => TRUE"] if shows_versions else []
        if parts and self.chance(0.5):
            window.versions = self.choose([1, 2])
            parts.append(f"latest_n => {window.versions}")
        start, end = sorted(self.random.sample(TIMES, 2))
        kind = self.choose(["as_of", "after", "after_or_equal", "before", "before_or_equal", "both", ""])
        if kind in ("after", "after_or_equal", "both"):
            window.start = start + (kind == "after")
            parts.append(f"{kind if kind != 'both' else 'after_or_equal'} => {words.moment(start)}")
        if kind in ("as_of", "before", "before_or_equal", "both"):
            window.end = end + (kind not in ("before", "both"))
            parts.append(f"{kind if kind != 'both' else 'before'} => {words.moment(end)}")
        return f"{table}({', '.join(parts)})" if parts else table, "", window


BIG = ex.constant("9007199254740992.0", 2.0**53, "float")
NULL = ex.constant("NULL", None, "bytes")


def column_name(cell: Cell):
    return cell.family.encode() + b":" + cell.qualifier


def cell_bytes(cell: Cell):
    """A value of CELLS in an expression where not all cells are counters or TEXT: it is BYTES."""
    return bytes(cell.value) if isinstance(cell.value, bytes) else cell.value.to_bytes(8, "big", signed=True)


def cell_number(cell: Cell):
    data = cell_bytes(cell)
    return int.from_bytes(data, "big", signed=True) if len(data) == 8 else None
