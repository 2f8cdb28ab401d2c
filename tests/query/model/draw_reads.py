"""Draws SELECT statements of every form.

SPDX-License-Identifier: Apache-2.0
"""
import expressions as ex
import reading
import words
from draw import Draw, Scope, column_name
from expressions import Expr
from model import Window
from reading import Query

LAST_TIME = 10**6  # the order of the server's times is not drawn from


def draw_read(draw: Draw, table):
    kinds = [plain, plain, plain, star, select_cells, select_cells, from_cells, ordered_rows, grouped_rows,
             grouped_rows, grouped_cells, distinct_rows, limit_by, inner_select, sample, pages, failing, cells_per,
             unpack]
    return draw.choose(kinds)(draw, table)


def rows_query(draw, table):
    """A query of rows in which a column that stands alone is its newest value."""
    source, options, window = draw.window(table, False)
    return Query(source=source, options=options, window=window)


def history_query(draw, table):
    """A query of rows, and whether a column that stands alone shows its versions."""
    source, options, window = draw.window(table, True)
    return Query(source=source, options=options, window=window), window.versions != 1 or "with_history" in source


def maybe_where(draw, query, scope, share=0.6):
    if draw.chance(share):
        query.where = draw.test(scope)


def column_item(draw, shows_versions):
    column = draw.choose(draw.columns)
    pattern = draw.pattern()
    known = draw.column(column)
    alone = ex.history(column, known.text) if shows_versions else known
    place, part = draw.choose([1, 2, -1]), draw.choose(["value", "timestamp"])
    return draw.choose([alone, alone, ex.column_map(pattern, shows_versions) if pattern.text.find("*") >= 0 or
                        "/" in pattern.text or "^" in pattern.text else alone,
                        ex.column_map(words.all_of(column[0]), shows_versions, column[0]),
                        ex.column_time(column), ex.history(column), ex.history_item(column, place, part),
                        ex.version_count(column), ex.map_keys(column[0]),
                        ex.cardinality(words.all_of(column[0]))])


def plain(draw, table):
    query, shows = history_query(draw, table)
    scope = draw.row_scope()
    query.items = [(scope.row, None)] * draw.chance(0.8)
    for _ in range(draw.choose([1, 2, 3])):
        expr = column_item(draw, shows)
        if draw.chance(0.3):
            expr = draw.choose([draw.value_of, draw.test])(scope)
            if shows and expr in scope.cells + scope.ints + scope.texts:
                expr = ex.is_null(expr)
        query.items.append((expr, draw.choose([None, None, f"c{len(query.items)}"])))
    maybe_where(draw, query, scope)
    limits(draw, query)
    return query


def limits(draw, query):
    """An order by row, LIMIT, OFFSET and AFTER."""
    if draw.chance(0.2):
        query.reverse = True
    elif draw.chance(0.3):
        query.order = [(ex.row_key(), draw.chance(0.6))]
    if draw.chance(0.4):
        query.limit = draw.choose([1, 2, 3, 5, 20])
        query.offset = draw.choose([0, 0, 1, 2])
    if draw.chance(0.2):
        set_after(draw, query)


def set_after(draw, query):
    query.after = draw.key()
    query.after_text = draw.literal(query.after)


def pages(draw, table):
    query, shows = history_query(draw, table)
    query.items = [(ex.row_key(), None), (column_item(draw, shows), None)]
    query.limit = draw.choose([1, 2, 3])
    set_after(draw, query)
    if draw.chance(0.3):
        query.order = [(ex.row_key(), True)]
    return query


def star(draw, table):
    query, shows = history_query(draw, table)
    query.star = True
    maps = [ex.column_map(words.all_of(f), shows) for f in sorted(draw.families)]
    query.items = [(e, None) for e in [ex.row_key(), *maps]]
    maybe_where(draw, query, draw.row_scope())
    limits(draw, query)
    return query


def no_number(key, otherwise):
    """In ORDER BY a number would name a column of the result."""
    return otherwise if key.text.isdigit() else key


def named_query(draw, table):
    """A query of rows, perhaps with a name of its table that stands before its columns, too."""
    query = rows_query(draw, table)
    if not draw.chance(0.2):
        return query, draw.row_scope()
    query.source += draw.choose([" AS w", " w"])
    return query, draw.row_scope("w")


def ordered_rows(draw, table):
    query, scope = named_query(draw, table)
    key = draw.value_of(scope)
    query.items = [(key, "k"), (ex.row_key(), None)]
    by = no_number(draw.choose([key, ex.of_name("k", key)]), ex.of_name(draw.choose(["k", "1"]), key))
    query.order = [(by, draw.chance(0.5)), (ex.row_key(), draw.chance(0.3))]
    query.limit, query.offset = draw.choose([1, 3, 5, 50]), draw.choose([0, 0, 1])
    if draw.chance(0.2):  # a name after AS can stand in WHERE
        scope.bytes = scope.bytes + [ex.of_name("k", key)] * (key.kind != "int")
        scope.ints = scope.ints + [ex.of_name("k", key)] * (key.kind == "int")
    maybe_where(draw, query, scope, 0.4)
    return query


def limit_by(draw, table):
    query = rows_query(draw, table)
    scope = draw.row_scope()
    key = draw.value_of(scope)
    query.items = [(key, "k"), (ex.row_key(), None)]
    query.order = [(ex.row_key(), draw.chance(0.5))] * draw.chance(0.7)
    query.limit, query.limit_by = draw.choose([1, 2]), ex.of_name("k", key)
    query.offset = draw.choose([0, 0, 1, 2])
    maybe_where(draw, query, scope, 0.4)
    return query


# Cells

def cells_query(draw, table):
    """A query of cells, and the families that its patterns mean."""
    patterns = [draw.pattern(sorted(draw.families)) for _ in range(draw.choose([0, 1, 1, 2, 3]))]
    _, options, window = draw.window(table, True)
    query = Query(source=table, relation="cells", patterns=patterns)
    if options:
        query.options, query.window = options, window
    if draw.chance(0.3):
        query.per = cells_of(draw)
    return query, sorted({p.family for p in patterns}) or sorted(draw.families)


def cells_of(draw):
    return draw.choose([("ROW", draw.choose([1, 2, 3]), draw.choose([0, 0, 1])),
                        ("FAMILY", draw.choose([1, 2]), draw.choose([0, 0, 1])),
                        ("COLUMN", draw.choose([1, 2]), draw.choose([0, 1]))])


def cells_per(draw, table):
    """CELLS PER of rows whose statement names every column, or none; it leaves out rows of which it takes no cell."""
    query = rows_query(draw, table)
    query.per = cells_of(draw)
    query.where = draw.row_test() if draw.chance(0.4) else None
    if draw.chance(0.3):
        query.groups, query.items = [], [(reading.count_rows(), None)]
        return query
    query.items = [(ex.row_key(), None)]
    query.star = draw.chance(0.7)
    if query.star:
        # PER COLUMN gives versions whatever VERSIONS says: with n other than 1 a column is a list of them.
        shows = query.per[0] == "COLUMN" and query.per[1] != 1
        query.items += [(ex.column_map(words.all_of(f), shows), None) for f in sorted(draw.families)]
    limits(draw, query)
    return query


def cell_items():
    return [(ex.row_key(), None), (ex.of_cell("column", column_name, "bytes"), None),
            (ex.of_cell("timestamp", lambda c: c.timestamp, "time"), None),
            (ex.of_cell("value", lambda c: c.value, "bytes"), None)]


def select_cells(draw, table):
    query, families = cells_query(draw, table)
    query.select_cells, query.items = True, cell_items()
    query.reverse = draw.chance(0.2)
    maybe_where(draw, query, draw.cell_scope(families), 0.5)
    if draw.chance(0.3):
        query.limit, query.offset = draw.choose([1, 3, 10]), draw.choose([0, 0, 2])
        query.limit_word = draw.choose(["", " CELLS"])
    return query


def from_cells(draw, table):
    query, families = cells_query(draw, table)
    scope = draw.cell_scope(families)
    alone = draw.value_of(scope)
    alone = cell_items()[3][0] if alone.text == "value" else alone
    query.items = draw.choose([cell_items(), cell_items()[1:], [(alone, "v"), (ex.row_key(), None)]])
    if draw.chance(0.1):
        query.items = cell_items()[:3]
        query.options += " STRIP VALUES"
        return query
    maybe_where(draw, query, scope, 0.6)
    if draw.chance(0.4):
        query.options, query.window = "VERSIONS ALL TIME TO 1000000", Window(0, LAST_TIME, None)
        whole = cell_items()
        by = no_number(draw.choose([draw.value_of(scope), whole[2][0]]), whole[2][0])
        query.order = [(by, draw.chance(0.5)), (whole[0][0], False), (whole[1][0], draw.chance(0.5)), (whole[2][0], True)]
        query.limit = draw.choose([2, 5, 100])
    return query


# Groups

def group_by(draw, query, scope, keys):
    query.groups = [e for e, _ in keys]
    query.items = [(reading.of_group(e, None if name or not draw.chance(0.5) else e.text), name) for e, name in keys]
    for _ in range(draw.choose([1, 2, 3])):
        query.items.append((draw_aggregate(draw, scope), f"n{len(query.items)}"))
    if keys and draw.chance(0.3):
        query.items.append((reading.count_rows(), "many"))
        query.having = ex.compare(draw.choose([">", "=", "<="]), ex.name_of("many", "int"), draw.number([1, 2]))
    query.by_number = draw.chance(0.2)
    if keys and all(name for _, name in keys) and draw.chance(0.4):
        names = [ex.name_of(name, "bytes") for _, name in keys]
        numbers = [Expr(str(i + 1), name.value, name.kind) for i, name in enumerate(names)]
        query.order = [(e, draw.chance(0.5)) for e in draw.choose([names, names, numbers])]
        query.limit, query.offset = draw.choose([1, 2, 50]), draw.choose([0, 0, 1])
    elif keys and draw.chance(0.2):  # groups come in the order of their values
        query.limit, query.offset = draw.choose([1, 2, 50]), draw.choose([0, 0, 1])
        query.limit_by = ex.name_of(keys[0][1], "bytes") if keys[0][1] and draw.chance(0.5) else None
    return query


def draw_aggregate(draw, scope: Scope):
    distinct = draw.chance(0.25)
    text, number = draw.bytes_of(scope), draw.int_of(scope)
    either = draw.choose([text, number, draw.choose(scope.bytes + scope.texts)])
    ways = [reading.count_rows, lambda: reading.count(either, distinct), lambda: reading.least(either),
            lambda: reading.greatest(either), lambda: reading.total(number, distinct),
            lambda: reading.mean(number, distinct), lambda: reading.any_value(either),
            lambda: reading.array_agg(either, distinct, draw.choose([None, None, 1, 2])),
            lambda: reading.string_agg(draw.choose(scope.bytes), distinct, draw.choose([None, "~", "", ", "])),
            lambda: reading.top_counts(either), lambda: reading.quantile_end(number, draw.chance(0.5)),
            lambda: reading.greatest(draw.choose(scope.times or scope.bytes)),
            lambda: ex.arithmetic("-", reading.greatest(number), reading.least(number))]
    return draw.choose(ways)()


def grouped_rows(draw, table):
    query, scope = named_query(draw, table)
    keys = [(draw.choose([draw.value_of(scope), draw.choose(scope.bytes), draw.test(scope)]), f"k{i}")
            for i in range(draw.choose([0, 1, 1, 2]))]
    maybe_where(draw, query, scope, 0.4)
    return group_by(draw, query, scope, keys)


def grouped_cells(draw, table):
    query, families = cells_query(draw, table)
    scope = draw.cell_scope(families)
    parts = [e for e in scope.bytes if e.text != "value"]
    keys = [(e, draw.choose([None, f"k{i}"])) for i, e in enumerate(draw.some(parts, 0, 2))]
    maybe_where(draw, query, scope, 0.4)
    plain_scope = Scope(bytes=parts, ints=scope.ints, times=scope.times)
    if all(not draw.families[f].counter for f in families):
        plain_scope = scope
    return group_by(draw, query, plain_scope, keys)


def distinct_rows(draw, table):
    query = rows_query(draw, table)
    scope = draw.row_scope()
    items = [draw.choose(scope.cells + scope.ints + [draw.value_of(scope)]) for _ in range(draw.choose([1, 2]))]
    query.items = [(e, f"d{i}") for i, e in enumerate(items)]
    query.distinct = True
    maybe_where(draw, query, scope, 0.3)
    if draw.chance(0.5):
        query.order = [(ex.of_name(name, e), draw.chance(0.5)) for e, name in query.items]
        query.limit = draw.choose([1, 2, 50])
    return query


# An inner SELECT, a sample, errors

def inner_select(draw, table):
    inner = rows_query(draw, table)
    scope = draw.row_scope()
    exprs = [ex.row_key(), draw.bytes_of(scope), draw.int_of(scope)]
    inner.items = [(e, name) for e, name in zip(exprs, ["r", "t", "i"])]
    maybe_where(draw, inner, scope, 0.4)
    limits(draw, inner)
    outer = Scope(bytes=[ex.name_of("r", "bytes"), ex.name_of("t", "bytes")], ints=[ex.name_of("i", "int")])
    query = Query(relation="inner", inner=inner)
    maybe_where(draw, query, outer, 0.5)
    if draw.chance(0.5):
        return group_by(draw, query, outer, [(ex.name_of("t", "bytes"), None)] * draw.chance(0.7))
    query.items = [(draw.value_of(outer), "x"), (ex.name_of("r", "bytes"), None)]
    if draw.chance(0.5):
        query.order = [(ex.name_of("i", "int"), draw.chance(0.5)), (ex.name_of("r", "bytes"), draw.chance(0.5))]
        query.limit = draw.choose([1, 3, 50])
    return query


def unpack(draw, table):
    """UNPACK of columns with their versions; UNIX_MICROS: the text of a TIMESTAMP is not the matter here."""
    source, options, window = f"{table}(with_history => TRUE)", "", Window(versions=None)
    if draw.chance(0.3):
        source, options = table, "VERSIONS ALL"
    inner = Query(source=source, options=options, window=window)
    lists = [(ex.history(c, words.column(c)), f"c{i}") for i, c in enumerate(draw.some(draw.columns, 1, 3))]
    inner.items = [(ex.row_key(), "r"), *lists]
    if draw.chance(0.3):
        inner.items.append((ex.cardinality(words.all_of(draw.choose(sorted(draw.families)))), "i"))
    maybe_where(draw, inner, draw.row_scope(), 0.4)
    names = [ex.name_of(name, "bytes") for _, name in inner.items]
    time = Expr("UNIX_MICROS(_timestamp)", lambda view: view.names["_timestamp"], "int")
    query = Query(relation="unpack", inner=inner, items=[(e, None) for e in [*names, time]])
    if draw.chance(0.4):
        query.where = draw.choose([ex.is_null(names[1], draw.chance(0.5)),
                                   ex.compare(draw.choose(["<", "=", ">="]), time, draw.number([1, 3, 5, 9]))])
    return query


def sample(draw, table):
    return Query(source=table, sample=draw.choose([1, 3, 50]), groups=[], items=[(reading.count_rows(), None)])


def failing(draw, table):
    """Errors that the document tells: of types always, of values where a row has such a value."""
    query = Query(source=table, items=[(ex.row_key(), None)])
    column, number = draw.choose(draw.bytes_columns()), draw.choose(draw.counters())
    ways = [ex.eight_bytes(draw.column(column), strict=True),
            ex.arithmetic("+", draw.number([2**63 - 1]), draw.column(number)),
            ex.arithmetic("*", draw.number([2**62]), draw.column(number))]
    if draw.chance(0.3):
        column = draw.choose([column] + draw.texts())
        query.where, query.error = Expr(f"{words.column(column)} = 5", None, "bool"), "TYPE"
    elif draw.chance(0.2):
        query.relation, query.patterns = "cells", [words.exactly(column)]
        query.where, query.error = Expr("value = 5", None, "bool"), "TYPE"
    else:
        query.items.append((draw.choose(ways), None))
    return query
