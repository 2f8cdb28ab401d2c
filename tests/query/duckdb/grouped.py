"""Drawn statements over the table `many`: WHERE, GROUP BY, HAVING, DISTINCT, ORDER BY, LIMIT and aggregates.

The table has 360 rows in four tablets, with NULLs in every column. NULL is first in an ascending order and
last in a descending one in GoogleSQL, so DuckDB is told so. Sippar goes through rows in the order of their
keys, which DuckDB's ordered aggregates are told, too.

Left out on purpose:
  ORDER BY in an aggregate   Sippar has none; its order is that of the keys
  ARRAY_AGG without items    [] in Sippar, NULL in both others: a case of fixed_numbers.py
  MIN, MAX, order of NaN     GoogleSQL: NaN is the least in an order, and the result of both; see there
  APPROX_COUNT_DISTINCT      about right by definition; compared where it must be exact, for few values
  more than 1,000 values of ARRAY_AGG, 1,024 of APPROX_QUANTILES, 2,000 of APPROX_TOP_COUNT   not exact
SPDX-License-Identifier: Apache-2.0
"""
import random

import engines
from draw import Drawn, Expressions

BATCH = 100
# A key to group by: both spellings and the type.
GROUPS = [("n:j", "j", "INT64"), ("CAST(f:s AS STRING)", "s", "STRING"), ("CAST(TEXT(f:o) AS BOOL)", "o", "BOOL"),
          ("f:b", "b", "BYTES"), ("MOD(n:i, 3)", "i % 3", "INT64"),
          ("SIGN(FLOAT64(TEXT(f:d)))", "sign(d)::DOUBLE", "FLOAT64"), ("LENGTH(TEXT(f:u))", "length(u)", "INT64"),
          ("SUBSTR(CAST(row AS STRING), 1, 2)", "substr(k, 1, 2)", "STRING"),
          ("UNIX_MICROS(TIMESTAMP_TRUNC(TIMESTAMP_MICROS(n:t), YEAR))", "epoch_us(date_trunc('year', t))", "INT64")]
# (result, Sippar's spelling, DuckDB's, type of $1, how to compare)
AGGREGATES = [
    ("INT64", "COUNT(*)", "count(*)", "", "equal"),
    ("INT64", "COUNT($1)", "count($1)", "any", "equal"),
    ("INT64", "COUNT(DISTINCT $1)", "count(DISTINCT $1)", "any", "equal"),
    ("INT64", "SUM($1)", "sum($1)::BIGINT", "INT64", "equal"),
    ("INT64", "SUM(DISTINCT $1)", "sum(DISTINCT $1)::BIGINT", "INT64", "equal"),
    ("FLOAT64", "SUM($1)", "sum($1)", "EXACT", "equal"),
    ("FLOAT64", "AVG($1)", "avg($1)", "INT64", "equal"),
    ("FLOAT64", "AVG($1)", "avg($1)", "EXACT", "equal"),
    ("FLOAT64", "AVG(DISTINCT $1)", "avg(DISTINCT $1)", "INT64", "equal"),
    ("same", "MIN($1)", "min($1)", "any", "equal"),
    ("same", "MAX($1)", "max($1)", "any", "equal"),
    ("same", "ANY_VALUE($1)", "list($1)", "any", "one of"),
    ("STRING", "STRING_AGG($1)", "string_agg($1, ',' ORDER BY k)", "STRING", "equal"),
    ("STRING", "STRING_AGG($1, '; ')", "string_agg($1, '; ' ORDER BY k)", "STRING", "equal"),
    ("list", "ARRAY_AGG($1)", "coalesce(list($1 ORDER BY k) FILTER ($1 IS NOT NULL), [])", "any", "equal"),
    ("list", "ARRAY_AGG($1, 3)", "coalesce((list($1 ORDER BY k) FILTER ($1 IS NOT NULL))[1:3], [])", "any",
     "equal"),
    ("list", "ARRAY_AGG(DISTINCT $1)", "coalesce(list(DISTINCT $1) FILTER ($1 IS NOT NULL), [])", "any", "as sets"),
    ("list", "APPROX_QUANTILES($1, 4)", "quantile_disc($1, [0, 0.25, 0.5, 0.75, 1])", "numbers", "equal"),
    ("INT64", "APPROX_COUNT_DISTINCT($1)", "count(DISTINCT $1)", "few", "equal"),
    ("ARRAY<INT64>", "ARRAY_TRANSFORM(APPROX_TOP_COUNT($1, 3), e -> e.count)",
     "list_reverse_sort(map_values(histogram($1)))[1:3]::BIGINT[]", "few", "equal"),
    ("INT64", "(SUM($1) + COUNT(*))", "(sum($1) + count(*))::BIGINT", "INT64", "equal"),
    ("FLOAT64", "(SUM($1) / NULLIF(COUNT($1), 0))", "(sum($1) / nullif(count($1), 0)::DOUBLE)", "EXACT", "equal"),
    ("INT64", "COUNT(DISTINCT IF($1, 1, NULL))", "count(DISTINCT CASE WHEN $1 THEN 1 END)", "BOOL", "equal"),
]
# What an aggregate takes: a column, or an expression of columns that cannot fail.
ARGUMENTS = {
    "INT64": [("n:i", "i"), ("n:j", "j"), ("(n:i * 3 + 1)", "(i * 3 + 1)"), ("MOD(n:j, 7)", "(j % 7)"),
              ("IFNULL(n:i, 100)", "coalesce(i, 100)"), ("IF(n:i > 0, n:j, NULL)", "CASE WHEN i > 0 THEN j END")],
    "EXACT": [("FLOAT64(TEXT(f:d))", "d"), ("(FLOAT64(TEXT(f:d)) * 2)", "(d * 2)"),
              ("ABS(FLOAT64(TEXT(f:d)))", "abs(d)")],
    "STRING": [("CAST(f:s AS STRING)", "s"), ("TEXT(f:u)", "u"), ("(TEXT(f:u) || '!')", "(u || '!')")],
    "BYTES": [("f:b", "b")], "BOOL": [("CAST(TEXT(f:o) AS BOOL)", "o"), ("(n:i > n:j)", "(i > j)")],
}
SHAPES = {"any": ["INT64", "EXACT", "STRING", "BYTES", "BOOL"], "numbers": ["INT64", "EXACT"],
          "few": ["STRING", "BYTES", "BOOL"]}


class Column:
    """An item of the SELECT: both spellings, its type, how its values are compared."""

    def __init__(self, kind, sippar, duckdb, how="equal"):
        self.kind = kind
        self.sippar = sippar
        self.duckdb = duckdb
        self.how = how


def run(report, seed, count):
    for first in range(0, count, BATCH):
        chance = random.Random(f"grouped {seed} {first}")
        draw = Expressions(chance, with_columns=True, calm=True)
        shapes = (group_statement, group_statement, order_statement, distinct_statement)
        statements = [chance.choice(shapes)(chance, draw) for _ in range(min(BATCH, count - first))]
        found = report.sippar.ask([sippar for sippar, _, _ in statements])
        other = report.duck.ask([duckdb for _, duckdb, _ in statements])
        for statement, left, right in zip(statements, found, other):
            check(report, statement, left, right)


def check(report, statement, found, other):
    sippar, duckdb, columns = statement
    if not isinstance(found, engines.Failure):
        found = [[engines.decoded(value, column.kind) for value, column in zip(row, columns)] for row in found]
    if equal(found, other, columns):
        report.compared["values"] += 0 if isinstance(found, engines.Failure) else sum(map(len, found))
        report.compared["both fail"] += isinstance(found, engines.Failure)
        report.compared["statements"] = report.compared.get("statements", 0) + 1
    elif isinstance(found, engines.Failure) and found.understood() and " WHERE " in sippar:
        report.compared["failed where DuckDB has NULL"] += 1  # the condition did: see compare.py
    else:
        report.mismatch(sippar, duckdb, *first_difference(found, other, columns))


def equal(found, other, columns):
    if isinstance(found, engines.Failure) or isinstance(other, engines.Failure):
        return found == other
    return len(found) == len(other) and all(
        same_value(left, right, column.how) for row, row2 in zip(found, other)
        for left, right, column in zip(row, row2, columns))


def same_value(left, right, how):
    if how == "one of":
        values = [item for item in right or [] if item is not None]
        return any(engines.same(left, item) for item in values) or (left is None and not values)
    if how == "as sets":
        return engines.same(sorted(left), sorted(right))
    return engines.same(left, right)


def first_difference(found, other, columns):
    if isinstance(found, engines.Failure) or isinstance(other, engines.Failure):
        return found, other
    for number, (row, row2) in enumerate(zip(found, other)):
        if not equal([row], [row2], columns):
            return f"row {number} {row}", row2
    return f"{len(found)} rows {found[:3]}", f"{len(other)} rows {other[:3]}"


def group_statement(chance, draw):
    """Up to two keys, one to four aggregates, ordered by all keys or by an aggregate and the keys."""
    keys = some_groups(chance, [0, 1, 1, 1, 2])
    aggregates = [aggregate(chance) for _ in range(chance.choice([1, 2, 3, 4]))]
    where = condition(chance, draw)
    columns = keys + aggregates
    sippar, duckdb = (f"SELECT {items(columns, side)} FROM {'many' if side == 0 else 'many, nulls'}{where[side]}"
                      for side in (0, 1))
    if keys:
        names = ", ".join(f"g{number}" for number in range(len(keys)))
        sippar += f" GROUP BY {names}"
        duckdb += " GROUP BY " + ", ".join(key.duckdb for key in keys)
        having = chance.choice(["", "", "COUNT(*) > 3", "MAX(n:i) >= 4",
                                "SUM(n:i) IS NOT NULL AND COUNT(*) < 60"])
        if having:
            sippar += f" HAVING {having}"
            duckdb += f" HAVING {having.replace('n:i', 'i')}"
        order = list(range(len(keys)))
        sortable = [len(keys) + number for number, item in enumerate(aggregates)
                    if item.kind == "INT64" and item.how == "equal"]
        if sortable and chance.random() < 0.5:
            order.insert(0, chance.choice(sortable))
        order = ordered(chance, order)
        sippar, duckdb = sippar + order[0], duckdb + order[1]
    return sippar, duckdb, columns


def some_groups(chance, sizes):
    return [Column(kind, sippar, duckdb) for sippar, duckdb, kind in chance.sample(GROUPS, chance.choice(sizes))]


def order_statement(chance, draw):
    """Rows by an expression and their key, some of them."""
    wanted = draw.draw(chance.choice(["INT64", "FLOAT64", "STRING", "BOOL", "BYTES"]), 1)
    columns = [Column("STRING", "row", "k"), Column(wanted.kind, wanted.sippar, wanted.duckdb)]
    where = condition(chance, draw)
    limit = f" LIMIT {chance.choice([1, 5, 50, 400])} OFFSET {chance.choice([0, 0, 1, 7, 300])}"
    order = ordered(chance, [1, 0], limit)
    return (f"SELECT {items(columns, 0)} FROM many{where[0]}{order[0]}",
            f"SELECT {items(columns, 1)} FROM many, nulls{where[1]}{order[1]}", columns)


def distinct_statement(chance, draw):
    columns = some_groups(chance, [1, 2])
    where = condition(chance, draw)
    order = ordered(chance, list(range(len(columns))))
    return (f"SELECT DISTINCT {items(columns, 0)} FROM many{where[0]}{order[0]}",
            f"SELECT DISTINCT {items(columns, 1)} FROM many, nulls{where[1]}{order[1]}", columns)


def ordered(chance, numbers, limit=" LIMIT 1000"):
    """The ORDER BY of both sides, by the columns of these numbers."""
    signs = [(f"g{number}", chance.choice(["", " DESC"])) for number in numbers]
    sippar = ", ".join(name + sign for name, sign in signs)
    duckdb = ", ".join(f"{name}{sign} NULLS {'LAST' if sign else 'FIRST'}" for name, sign in signs)
    return f" ORDER BY {sippar}{limit}", f" ORDER BY {duckdb}{limit}"


def aggregate(chance):
    result, sippar, duckdb, shape, how = chance.choice(AGGREGATES)
    kind = chance.choice(SHAPES.get(shape, [shape or "INT64"]))
    left, right = chance.choice(ARGUMENTS[kind])
    kind = "FLOAT64" if kind == "EXACT" else kind
    result = {"same": kind, "list": f"ARRAY<{kind}>"}.get(result, result)
    return Column(result, sippar.replace("$1", left), duckdb.replace("$1", right), how)


def condition(chance, draw):
    """A drawn WHERE of both sides; it may fail, so it is not deep."""
    if chance.random() < 0.4:
        return "", ""
    drawn = draw.draw("BOOL", chance.choice([1, 2, 2, 3]))
    assert isinstance(drawn, Drawn)
    return f" WHERE {drawn.sippar}", f" WHERE {drawn.duckdb}"


def items(columns, side):
    return ", ".join(f"{column.duckdb if side else column.sippar} AS g{number}"
                     for number, column in enumerate(columns))
