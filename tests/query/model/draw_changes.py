"""Draws statements that change rows, of every form.

SPDX-License-Identifier: Apache-2.0
"""
import changing
import expressions as ex
import reading
from changing import Assignment, Times
from draw import LIKES, NUMBERS, Draw
from draw_reads import cell_items
from model import ANY_ERROR, Window
from reading import Query

SMALL = [1, 2, -3, 10]


def draw_changes(draw: Draw, tables, count):
    """A course of changes; a transaction is several statements."""
    table, copy = tables
    single = [insert, insert, insert, insert, insert_if, insert_values, insert_values, insert_cells, update, update,
              update_if, increment, increment, append, delete_columns, delete_columns, delete_times, delete_times,
              delete_row, delete_if, atomic, atomic, failing_update, refused] + \
        draw.choose([[], [not_utf8]]) * bool(draw.texts())
    course = []
    while len(course) < count:
        if draw.chance(0.06):
            course += draw.choose([transaction, transaction, transaction, wraps, own_write])(draw, table)
        elif draw.chance(0.08):
            course.append(draw.choose([copy_cells, copy_renamed, copy_values] + 2 * [add_up] * bool(draw.sums()))(
                draw, table, copy))
        elif draw.chance(0.05):
            course.append(draw.choose(single)(draw, copy))
        else:
            course.append(draw.choose(single)(draw, table))
    return course


# Assignments

def fresh_value(draw, column):
    if draw.counter(column) and draw.chance(0.1):  # a COUNTER takes 8 BYTES, too
        number = draw.choose(NUMBERS)
        text = "x'" + number.to_bytes(8, "big", signed=True).hex() + "'"
        return ex.Expr(text, lambda view: number, "int")
    return draw.number() if draw.counter(column) else draw.utf8() if draw.is_text(column) else draw.text()


def constants(draw, least=1, most=5, timed=1.0):
    """Assignments of constants; a column may occur twice, also at one time: the last one stays."""
    columns = [draw.choose(draw.settable()) for _ in range(draw.random.randint(least, most))]
    return [Assignment(c, "=", fresh_value(draw, c), draw.time() if timed == 1 or draw.chance(timed) else None)
            for c in columns]


def computed(draw):
    """Assignments of what the row has, to columns that differ; none becomes NULL."""
    scope = draw.row_scope()
    found = []
    for column in draw.some(draw.settable(), 1, 3):
        at = draw.time() if draw.chance(0.8) else None
        if draw.counter(column):
            value = ex.arithmetic("+", ex.first_known(draw.choose(scope.ints), draw.number([0])), draw.number(SMALL))
            ways = [("=", value), ("+=", draw.number([1, 2, -3]))]
        elif draw.is_text(column):
            value = ex.first_known(ex.substring(draw.choose(scope.texts), 1, 2), draw.utf8())
            ways = [("=", value), ("||=", draw.utf8())]
        else:
            value = ex.first_known(ex.substring(draw.choose(scope.cells), 1, 2), draw.text())
            ways = [("=", value), ("=", ex.joined(scope.row, draw.text())), ("||=", draw.text())]
        sign, expr = draw.choose(ways)
        found.append(Assignment(column, sign, expr, at))
    return found


def row(draw):
    key = draw.key()
    return key, draw.literal(key)


def where(draw):
    """A test that names or bounds rows, perhaps with one of columns."""
    test = draw.choose([draw.named_rows, draw.row_test])()
    if draw.chance(0.3):
        test = ex.either(test, draw.choose([draw.named_rows, draw.row_test])())
    if draw.chance(0.4):
        test = ex.both(test, draw.test(draw.row_scope(), 1))
    return test


def condition(draw):
    return draw.test(draw.row_scope(), 1)


def returning(draw, chance=0.5):
    if not draw.chance(chance):
        return []
    return [ex.row_key()] + [draw.column(c) for c in draw.some(draw.columns, 1, 2)]


# INSERT, UPDATE, INCREMENT, APPEND

def insert(draw, table):
    return changing.insert(table, *row(draw), constants(draw))


def refused(draw, table):
    """Types that do not fit, whatever rows there are; else errors of a change that runs."""
    counter, cell = draw.choose(draw.settable(draw.counters())), draw.choose(draw.bytes_columns())
    if draw.chance(0.5):
        words = ex.constant("'abc'", b"abc", "text")
        bad = [Assignment(counter, sign, words) for sign in ("=", "+=")]
        bad += [Assignment(cell, sign, draw.number()) for sign in ("=", "||=")]
        bad += [Assignment(c, "+=", draw.number()) for c in draw.texts()]
        here = ex.compare("=", ex.row_key(), draw.text(draw.key()))
        return changing.refused(changing.update(table, [draw.choose(bad)], here), "TYPE")
    bad = [[Assignment(counter, "=", ex.constant("b'abc'", b"abc", "bytes"), draw.time())],
           [Assignment(counter, "=", draw.number(), draw.time()), Assignment(counter, "+=", draw.number())],
           [Assignment(cell, "||=", draw.text()), Assignment(cell, "||=", draw.text(), draw.time())]]
    bad += [[Assignment(c, "=", draw.number(), draw.time())] for c in draw.sums()]
    block = [changing.block_set(constants(draw, 1, 2)), changing.block_set(draw.choose(bad))]
    return changing.refused(changing.atomic(table, *row(draw), block), ANY_ERROR)


def not_utf8(draw, table):
    """A TEXT family takes only UTF-8; the other cells of the row are not written, either."""
    bad = Assignment(draw.choose(draw.texts()), "=", draw.text(draw.choose([b"\xff\xfe", b"a\xc3"])), draw.time())
    return changing.refused(changing.insert(table, *row(draw), constants(draw, 1, 2) + [bad]), "TYPE")


def failing_update(draw, table):
    """NULL, a value that does not fit, a sum too large: the rows before the first that has it stay changed. Of more
    than one such assignment the document would not say whose error it is."""
    column, scope = draw.choose(draw.settable(draw.counters())), draw.row_scope()
    number = draw.choose(scope.ints)
    too_large = ex.arithmetic("+", draw.number([2**63 - 1]), number)  # no large value stays, for the sake of SUM
    ways = [number, ex.choice(ex.compare(">", number, draw.number([0])), too_large, draw.number(SMALL), False)]
    if draw.chance(0.5):
        column = draw.choose(draw.bytes_columns())
        ways = [draw.choose(scope.cells), ex.joined(draw.choose(scope.cells), draw.text())]
    elif draw.chance(0.3):
        ways = [ex.eight_bytes(draw.choose(scope.cells), strict=True)]
    others = [a for a in constants(draw, 1, 1) if a.column != column] * draw.chance(0.5)
    one = Assignment(column, draw.choose(["=", "+=" if draw.counter(column) else "||="]), draw.choose(ways), draw.time())
    return changing.update(table, others + [one], where(draw))


def insert_if(draw, table):
    """Without AT, too. INSERTs of constants alone have an AT: neighbours, which are sent together, may get one time."""
    return changing.insert(table, *row(draw), constants(draw, timed=0.8), condition(draw))


def insert_values(draw, table):
    columns = draw.some(draw.settable(), 1, 3)
    keys = [draw.text(draw.key()) for _ in range(draw.choose([1, 2, 4]))]
    rows = [[key] + [ex.constant("NULL", None, "bytes") if draw.chance(0.15) else fresh_value(draw, c) for c in columns]
            for key in keys]
    return changing.insert_values(table, columns, rows, draw.time())


def insert_cells(draw, table):
    cells = []
    for _ in range(draw.choose([1, 3])):
        column = draw.choose(draw.settable())
        name = draw.literal(column[0].encode() + b":" + column[1])
        cells.append((*row(draw), column, name, draw.time(), fresh_value(draw, column)))
    return changing.insert_cells(table, cells)


def update(draw, table):
    return changing.update(table, computed(draw), where(draw), None, returning(draw))


def update_if(draw, table):
    return changing.update(table, computed(draw), where(draw), condition(draw))


def making_where(draw):
    """WHERE of INCREMENT and APPEND: rows that it names by = and IN are made, those of other tests are not."""
    test = draw.named_rows()
    if draw.chance(0.3):
        test = ex.either(test, draw.named_rows())
    if draw.chance(0.2):
        test = ex.either(test, ex.like(ex.row_key(), draw.choose(LIKES[:4])))
    if draw.chance(0.3):
        test = ex.both(test, draw.choose([draw.row_test, lambda: draw.test(draw.row_scope(), 0)])())
    return draw.row_test() if draw.chance(0.2) else test


def increment(draw, table):
    column = draw.choose(draw.settable(draw.counters()))
    return changing.increment(table, column, draw.choose([1, 2, -3, 10]), making_where(draw),
                              returning(draw))


def append(draw, table):
    column = draw.choose(draw.bytes_columns() + draw.texts())
    return changing.append(table, column, fresh_value(draw, column), making_where(draw), returning(draw))


# DELETE

def times(draw):
    start, end = sorted(draw.random.sample([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1000], 2))
    some = draw.some(list(range(10)), 1, 3)
    return draw.choose([Times(f"AT {', '.join(map(str, some))}", lambda t: t in some),
                        Times(f"TIME FROM {start} TO {end}", Window(start, end).has),
                        Times(f"TIME TO {end}", Window(0, end).has),
                        Times(f"TIME FROM {start}", Window(start).has)])


def patterns(draw):
    return [draw.pattern() for _ in range(draw.choose([1, 1, 2]))]


def delete_columns(draw, table):
    return changing.delete(table, patterns(draw), Times(), where(draw))


def delete_times(draw, table):
    return changing.delete(table, patterns(draw) if draw.chance(0.8) else [], times(draw),
                  None if draw.chance(0.1) else where(draw))


def delete_row(draw, table):
    key = ex.compare("=", ex.row_key(), draw.text(draw.key()))
    return changing.delete(table, [], Times(), key if draw.chance(0.7) else where(draw))


def delete_if(draw, table):
    return changing.delete(table, patterns(draw) if draw.chance(0.7) else [], draw.choose([Times(), times(draw)]),
                  where(draw), condition(draw))


# ATOMIC, BEGIN ROW

def atomic(draw, table):
    scope = draw.row_scope()
    block = [atomic_step(draw) for _ in range(draw.choose([1, 2, 3]))]
    if draw.chance(0.5):
        block.insert(draw.choose([0, len(block)]), changing.block_let("old", draw.choose(scope.cells)))
        scope.bytes.append(ex.name_of("old", "bytes"))
        block.append(changing.block_set([Assignment(draw.choose(draw.bytes_columns()), "=", ex.first_known(
            ex.name_of("old", "bytes"), draw.text()), draw.time())]))
    items = [draw.choose(scope.bytes), draw.choose(scope.ints)]
    ends = draw.chance(0.6)
    last = [[], [], [changing.block_fail("no")]] + ends * 2 * [[changing.block_return(items)]]
    then = [atomic_step(draw)] + draw.choose(last)
    otherwise = [atomic_step(draw)] * draw.chance(0.5)
    block.append(changing.block_if(draw.test(scope, 1), then, otherwise))
    block += draw.chance(0.4) * [atomic_step(draw)]
    if ends:
        block.append(changing.block_return([draw.choose(scope.bytes), draw.choose(scope.ints)]))
    return changing.atomic(table, *row(draw), block)


def atomic_step(draw):
    ways = [lambda: changing.block_set(constants(draw, 1, 3, 0.7)), lambda: changing.block_set(computed(draw)),
            lambda: changing.block_delete(patterns(draw), draw.choose([Times(), times(draw)]))]
    return changing.block_delete([], Times()) if draw.chance(0.05) else draw.choose(ways)()


def settings(draw):
    """No += and ||=, which a transaction does not take for a column that it has written AT a time."""
    found = computed(draw)
    return found if draw.known else [a for a in found if a.sign == "="] or constants(draw, 1, 1)


def transaction(draw, table):
    key = draw.key()
    here = ex.compare("=", ex.row_key(), draw.text(key))
    changes = []
    for _ in range(draw.choose([1, 2, 4])):
        ways = [lambda: changing.insert(table, key, draw.literal(key), constants(draw, timed=0.8)),
                lambda: changing.update(table, settings(draw), here, None, returning(draw)),
                lambda: changing.delete(table, patterns(draw), draw.choose([Times(), times(draw)]), here),
                lambda: changing.delete(table, [], Times(), here),
                lambda: changing.select(table, Query(source="t", options="VERSIONS ALL", window=Window(versions=None),
                                                     select_cells=True, relation="cells", items=cell_items(),
                                                     where=here))]
        changes.append(draw.choose(ways)())
    if draw.chance(0.3):
        changes.insert(len(changes) if draw.known else 0, changing.increment(
            table, draw.choose(draw.settable(draw.counters())), 1, here, returning(draw)))
    return changing.transaction(table, draw.literal(key), changes, draw.chance(0.7))


def own_write(draw, table):
    """A transaction adds to what it has itself written, but not AT a time. The error leaves it open."""
    key, column = draw.key(), draw.choose(draw.settable())
    here = ex.compare("=", ex.row_key(), draw.text(key))
    first = Assignment(column, "=", fresh_value(draw, column), draw.choose([None, draw.time()]))
    if draw.counter(column):
        second = changing.increment(table, column, 1, here, [draw.column(column)])
    else:
        second = changing.append(table, column, fresh_value(draw, column), here, [draw.column(column)])
    if first.at is not None:
        second = changing.refused(second, ANY_ERROR)
    changes = [changing.insert(table, key, draw.literal(key), [first]), second]
    return changing.transaction(table, draw.literal(key), changes, draw.chance(0.7))


def wraps(draw, table):
    """A counter that wraps around. It is rolled back: SUM of it would be an error, or not, by the order of its rows."""
    key, column = draw.key(), draw.choose(draw.settable(draw.counters()))
    here = ex.compare("=", ex.row_key(), draw.text(key))
    change = changing.increment(table, column, draw.choose([2**63 - 1, -(2**63) + 1]), here, [draw.column(column)])
    return changing.transaction(table, draw.literal(key), [change], False)


def schema_change(draw, tables):
    """A family or the second table is dropped and made again."""
    if draw.chance(0.3):
        return changing.make_table_again(tables[1], tables[0])
    family = draw.choose(sorted(draw.families))
    return changing.make_again(draw.choose(tables), family, draw.family_text(family))


# INSERT … SELECT

def source_of_copy(draw, table, copy):
    """From the table to its copy, or to itself."""
    return (table, table) if draw.chance(0.3) else (table, copy)


def copy_cells(draw, table, copy):
    query = Query(source=table.name, select_cells=True, relation="cells", items=cell_items(),
                  patterns=[draw.pattern() for _ in range(draw.choose([0, 1, 2]))])
    if draw.chance(0.7):
        query.options, query.window = "VERSIONS ALL", Window(versions=None)
    if draw.chance(0.5):
        query.where = draw.row_test()
    return changing.copy_cells(table, copy, query)


def copy_renamed(draw, table, copy):
    start = draw.choose([b"a", b"z/", b"\xff"])
    new_row = ex.joined(draw.text(start), ex.row_key())
    query = Query(source=table.name, relation="cells", options="VERSIONS ALL", window=Window(versions=None),
                  patterns=[draw.pattern() for _ in range(draw.choose([1, 2]))])
    query.items = [(new_row, "row"), *((e, e.text) for e, _ in cell_items()[1:])]
    query.where = ex.compare("<", ex.length(draw.text(b"")), draw.number([1])) if draw.chance(0.1) else draw.row_test()
    return changing.copy_cells(*source_of_copy(draw, table, copy), query)


def copy_values(draw, table, copy):
    source, target = source_of_copy(draw, table, copy)
    text, number = draw.choose(draw.bytes_columns() + draw.texts()), draw.choose(draw.counters())
    scope = draw.row_scope()
    if draw.is_text(text):
        scope.bytes = scope.cells = scope.texts
    has_time = draw.chance(0.7)
    at = [(moment(draw), None)] * has_time
    query = Query(source=source.name)
    if draw.chance(0.3):  # a row for each group
        group = draw.choose(scope.bytes)
        query.groups = [ex.joined(draw.text(b"g"), group)]
        query.where = ex.both(ex.is_null(group, negated=True), draw.row_test())
        query.items = [(reading.of_group(query.groups[0]), "k"), (reading.greatest(draw.choose(scope.bytes)), None),
                       (reading.count_rows(), None)] + at
    else:
        query.items = [(draw.choose([ex.row_key(), ex.joined(draw.text(b"n"), ex.row_key())]), None),
                       (draw.choose(scope.cells), None), (draw.choose(scope.ints), None)] + at
        query.where = draw.row_test() if draw.chance(0.5) else None
    return changing.copy_values(source, target, [text, number], query, has_time)


def moment(draw):
    time = draw.time()
    return ex.constant(str(time), time, "time")


def add_up(draw, table, copy):
    """Families that add: many rows into one, or each to itself."""
    source, target = source_of_copy(draw, copy, table)
    columns = draw.some(draw.sums(), 1, 2)
    key = draw.choose([draw.text(draw.key()), draw.text(draw.key()), ex.row_key()])
    numbers = [ex.arithmetic("%", draw.choose(draw.row_scope().ints), draw.number([7])) if draw.chance(0.5) else
               draw.number(SMALL) for _ in columns]
    query = Query(source=source.name, items=[(e, None) for e in [key, *numbers, moment(draw)]])
    query.where = draw.row_test() if draw.chance(0.5) else None
    return changing.copy_values(source, target, columns, query, True)
