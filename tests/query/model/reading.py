"""SELECT: the parts of a query, its text, and its answer from the model.

SPDX-License-Identifier: Apache-2.0
"""
from dataclasses import dataclass, field, replace

from expressions import Expr, whole
from model import Fails, View, Window, view_of
from results import Bag, Rows


@dataclass
class Query:
    source: str = ""  # what stands after FROM
    items: list = field(default_factory=list)  # (Expr, name or None)
    star: bool = False  # the items are those of *
    relation: str = "rows"  # or "cells", "inner", "unpack"
    select_cells: bool = False  # SELECT CELLS pattern, … instead of FROM CELLS(t, pattern, …)
    patterns: list = field(default_factory=list)  # of cells; none means all
    window: Window = field(default_factory=Window)
    options: str = ""  # the text of VERSIONS, AS OF, TIME …
    per: tuple | None = None  # ("ROW", n, offset)
    reverse: bool = False
    sample: int | None = None
    inner: object = None
    where: Expr | None = None
    groups: list | None = None  # Expr of a row
    by_number: bool = False  # GROUP BY 1, 2
    having: Expr | None = None
    distinct: bool = False
    order: list = field(default_factory=list)  # (Expr, descending)
    limit: int | None = None
    limit_by: Expr | None = None
    limit_word: str = ""  # " CELLS"
    offset: int = 0
    after: bytes | None = None
    after_text: str = ""
    error: str | None = None  # what the statement fails with, whatever rows there are

    def of(self, name):
        """The same query of another table; the drawn ones have names of one letter."""
        return replace(self, source=name + self.source[1:], inner=self.inner and self.inner.of(name))

    # The text

    def __str__(self):
        parts = ["SELECT", "DISTINCT" * self.distinct, self._what(), "FROM", self._from(), self.options,
                 self._per(), "REVERSE" * self.reverse, f"SAMPLE {self.sample} ROWS" if self.sample else "",
                 f"WHERE {self.where.text}" if self.where else "",
                 "GROUP BY " + ", ".join(self._group_names()) if self.groups else "",
                 f"HAVING {self.having.text}" if self.having else "", self._order(), self._limit(),
                 f"AFTER ROW {self.after_text}" if self.after is not None else ""]
        return " ".join(part for part in parts if part)

    def _what(self):
        if self.select_cells:
            return "CELLS " + (", ".join(p.text for p in self.patterns) or "*")
        if self.star:
            return "*"
        return ", ".join(e.text + (f" AS {name}" if name else "") for e, name in self.items)

    def _from(self):
        if self.relation == "inner":
            return f"({self.inner}) AS s"
        if self.relation == "unpack":
            return f"UNPACK({self.inner})"
        if self.relation == "cells" and not self.select_cells:
            return f"CELLS({', '.join([self.source] + [p.text for p in self.patterns])})"
        return self.source

    def _per(self):
        if not self.per:
            return ""
        unit, count, offset = self.per
        return f"CELLS PER {unit} {count}" + (f" OFFSET {offset}" if offset else "")

    def _group_names(self):
        if self.by_number:
            return [str(i + 1) for i in range(len(self.groups))]
        return [self.items[i][1] or self.items[i][0].text for i in range(len(self.groups))]

    def _order(self):
        terms = [e.text + " DESC" * down for e, down in self.order]
        return "ORDER BY " + ", ".join(terms) if terms else ""

    def _limit(self):
        if self.limit is None:
            return ""
        by = f" BY {self.limit_by.text}" if self.limit_by else self.limit_word
        return f"LIMIT {self.limit}{by}" + (f" OFFSET {self.offset}" if self.offset else "")

    # The answer

    def run(self, table):
        if self.error:
            raise Fails(self.error)
        views = [v for v in self._views(table) if self.where is None or self.where.value(v) is True]
        if self.groups is None:
            records = [(view, [e.value(view) for e, _ in self.items]) for view in views]
        else:
            records = self._grouped(views)
        if self.distinct:
            records = first_of_each(records, lambda record: record[1], 1)
        for expr, down in reversed(self.order):
            records.sort(key=lambda record: null_first(expr.value(record[0])), reverse=down)
        return self._cut(records)

    def _views(self, table):
        if self.relation == "inner":
            names = [name for _, name in self.inner.items]
            return [View(b"", names=dict(zip(names, row))) for row in self.inner.run(table).rows]
        if self.relation == "unpack":
            return [view for row in self.inner.run(table).rows for view in unpacked(self.inner, row)]
        views = table.views(self.window)
        if self.per and self.relation == "rows":
            views = [v for v in (view_of(v.row, self._cells(table, v.row)) for v in views) if v.columns]
        if self.reverse:
            views.reverse()
        if self.sample:
            views = views[:self.sample]  # the rows differ, their number does not
        if self.relation == "rows":
            return views
        return [View(v.row, cell=cell) for v in views for cell in self._cells(table, v.row)]

    def _cells(self, table, row):
        unit, count, offset = self.per or ("ROW", None, 0)
        window = Window(self.window.start, self.window.end, None) if unit == "COLUMN" else self.window
        cells = [c for c in table.row_cells(row, window)
                 if not self.patterns or any(p.matches(c.family, c.qualifier) for p in self.patterns)]
        key = {"ROW": lambda c: 0, "FAMILY": lambda c: c.family, "COLUMN": lambda c: (c.family, c.qualifier)}[unit]
        kept = []
        for group in dict.fromkeys(map(key, cells)):
            of_group = [c for c in cells if key(c) == group][offset:]
            kept += of_group[:count]
        return kept

    def _grouped(self, views):
        found = {}
        for view in views:
            found.setdefault(tuple(e.value(view) for e in self.groups), []).append(view)
        if not self.groups:
            found = {(): views}  # aggregates alone always give a row
        records = []
        for _, group in sorted(found.items(), key=lambda item: list(map(null_first, item[0]))):
            values = [e.value(group) for e, _ in self.items]
            named = View(b"", names={name: v for (_, name), v in zip(self.items, values)})
            if self.having is None or self.having.value(named) is True:
                records.append((named, values))
        return records

    def _cut(self, records):
        if self.after is not None:
            down = self.reverse or any(e.text == "row" and d for e, d in self.order)
            records = [r for r in records if (r[0].row < self.after if down else r[0].row > self.after)]
        if self.limit_by:
            records = first_of_each(records, lambda record: self.limit_by.value(record[0]), self.limit)
            return Rows([values for _, values in records[self.offset:]], self.ordered())
        end = None if self.limit is None else self.offset + self.limit
        kept = records[self.offset:end]
        cut = end is not None and len(records) > end and bool(kept) and self._continues()
        return Rows([values for _, values in kept], self.ordered(), kept[-1][0].row if cut else None)

    def _continues(self):
        """Is it for certain that a result cut by LIMIT can go on after a row?"""
        by_row = not self.order or [e.text for e, _ in self.order] == ["row"]
        return self.relation == "rows" and self.groups is None and not self.distinct and by_row

    def ordered(self):
        loose = self.distinct or self.relation == "inner" and self.groups is None
        return bool(self.order) or not loose


def unpacked(query, row):
    """A line for each time at which a list of the row has a version, newest first, with NULL for other lists."""
    names = [name for _, name in query.items]
    lists = {name: {v[b"timestamp"]: v[b"value"] for v in value or []}
             for (e, name), value in zip(query.items, row) if e.kind == "list"}
    for time in sorted({t for versions in lists.values() for t in versions}, reverse=True):
        line = dict(zip(names, row)) | {name: versions.get(time) for name, versions in lists.items()}
        yield View(b"", names=line | {"_timestamp": time})


def null_first(value):
    return (value is not None, value if value is not None else 0)


def first_of_each(records, key, count):
    """The first records of each key."""
    seen = []
    kept = []
    for record in records:
        seen.append(key(record))
        if seen.count(key(record)) <= count:
            kept.append(record)
    return kept


# Aggregates: their value is one of a list of rows

def of_group(expr, text=None):
    """A key of GROUP BY: what is shown is the value of the first row."""
    return Expr(text or expr.text, lambda views: expr.value(views[0]), expr.kind)


def count_rows():
    return Expr("COUNT(*)", len, "int")


def known_values(expr, views, distinct):
    values = [v for v in (expr.value(view) for view in views) if v is not None]
    return list(dict.fromkeys(values)) if distinct else values


def aggregate(name, expr, distinct, function, kind, more=""):
    """NULL is skipped; no values make NULL, but 0 for COUNT and an empty list."""
    def value(views):
        values = known_values(expr, views, distinct)
        return function(values) if values or name in ("COUNT", "ARRAY_AGG") else None
    return Expr(f"{name}({'DISTINCT ' * distinct}{expr.text}{more})", value, kind)


def count(expr, distinct):
    return aggregate("COUNT", expr, distinct, len, "int")


def total(expr, distinct):
    return aggregate("SUM", expr, distinct, lambda values: whole(sum(values)), expr.kind)


def mean(expr, distinct):
    return aggregate("AVG", expr, distinct, lambda values: float(sum(values)) / len(values), "float")


def least(expr):
    return aggregate("MIN", expr, False, min, expr.kind)


def greatest(expr):
    return aggregate("MAX", expr, False, max, expr.kind)


def any_value(expr):
    """The first in the order of the rows, as with those below."""
    return aggregate("ANY_VALUE", expr, False, lambda values: values[0], expr.kind)


def array_agg(expr, distinct, most=None):
    return aggregate("ARRAY_AGG", expr, distinct, lambda values: values[:most], "list", f", {most}" * bool(most))


def string_agg(expr, distinct, separator=None):
    more = "" if separator is None else f", '{separator}'"
    return aggregate("STRING_AGG", expr, distinct, (b"," if separator is None else separator.encode()).join, "bytes", more)


def top_counts(expr):
    def counts(values):
        return Bag([{b"count": values.count(v), b"value": v} for v in dict.fromkeys(values)])
    return aggregate("APPROX_TOP_COUNT", expr, False, counts, "list", ", 1000")


def quantile_end(expr, last):
    ends = aggregate("APPROX_QUANTILES", expr, False, max if last else min, expr.kind, ", 3")
    return Expr(ends.text + ("[-1]" if last else "[1]"), ends.value, expr.kind)
