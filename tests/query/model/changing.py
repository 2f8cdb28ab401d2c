"""Statements that change rows: each has its text, and what it does to the model.

SPDX-License-Identifier: Apache-2.0
"""
from collections.abc import Callable
from dataclasses import dataclass

import words
from expressions import Expr
from model import ANY_ERROR, Fails
from results import Error, Rows
from words import plural


@dataclass
class Change:
    text: str
    apply: Callable  # changes the model; the answer is (Rows, Error or None, message or None)
    is_refused: bool = False


@dataclass(frozen=True)
class Times:
    text: str = ""
    has: Callable | None = None  # None: every time


@dataclass
class Assignment:
    column: tuple
    sign: str  # = += ||=
    value: Expr
    at: int | None = None  # None: the server's time

    def __str__(self):
        at = "" if self.at is None else f" AT {self.at}"
        return f"{words.column(self.column)} {self.sign} {self.value.text}{at}"

    def result(self, view):
        value, old = self.value.value(view), view.newest(self.column)
        if value is None:
            raise Fails(ANY_ERROR)
        if self.sign == "=" or old is None:
            return value
        return wrapped(old + value) if isinstance(old, int) else old + value


def wrapped(number):
    """INCREMENT and += of a counter wrap around."""
    return (number + 2**63) % 2**64 - 2**63


def assign(table, row, assignments, view):
    """The assignments of one SET all see the row before it; they get one time from the server. Errors write nothing."""
    values = [a.result(view) for a in assignments]
    now = table.now()
    for assignment, value in zip(assignments, values):
        table.write(row, assignment.column, now if assignment.at is None else assignment.at, value)


def listed(items):
    return ", ".join(map(str, items))


def test_text(word, expr):
    return f" {word} {expr.text}" if expr else ""


def written(rows, cells):
    return f"{plural(rows, 'row')}, {plural(cells, 'cell')} written"


def applied(rows):
    return f"applied: {'true' if rows else 'false'}, {plural(rows, 'row')}"


def insert(table, row, row_text, assignments, test=None):
    text = f"INSERT INTO {table.name} ROW {row_text} SET {listed(assignments)}{test_text('IF', test)}"

    def apply():
        view = table.view(row)
        if test and test.value(view) is not True:
            return None, applied(0)
        assign(table, row, assignments, view)
        return None, applied(1) if test else written(1, len(assignments))
    return Change(text, apply)


def refused(change, code):
    """The same statement, which is an error and changes nothing."""
    return Change(change.text, lambda: (Error(code), None), is_refused=True)


def insert_values(table, columns, rows, at):
    """rows: lists of Expr, the key first; NULL writes no cell."""
    names = ", ".join(["ROW"] + [words.column(c) for c in columns])
    values = ", ".join("(" + ", ".join(e.text for e in row) + ")" for row in rows)

    def apply():
        keys, cells = set(), 0
        for row in rows:
            key, *items = [e.value(None) for e in row]
            for column, value in zip(columns, items):
                if value is not None:
                    table.write(key, column, at, value)
                    keys.add(key)
                    cells += 1
        return None, written(len(keys), cells)
    return Change(f"INSERT INTO {table.name} ({names}) VALUES {values} AT {at}", apply)


def insert_cells(table, cells):
    """cells: (key, its text, column, text of its name, time, Expr)"""
    values = ", ".join(f"({key}, {name}, {at}, {e.text})" for _, key, _, name, at, e in cells)

    def apply():
        for row, _, column, _, at, expr in cells:
            table.write(row, column, at, expr.value(None))
        return None, written(len({cell[0] for cell in cells}), len(cells))
    return Change(f"INSERT INTO {table.name} CELLS VALUES {values}", apply)


def returned(table, rows, returning):
    if not returning:
        return None
    views = [table.view(row) for row in rows]
    return Rows([[e.value(v) for e in returning] for v in views], ordered=False)


def returning_text(returning):
    return " RETURNING " + ", ".join(e.text for e in returning) if returning else ""


def rows_where(table, where, makes_rows):
    """Rows that pass WHERE; with makes_rows also those that it names and that do not exist."""
    rows = set(table.keys()) | (where.keys if makes_rows else set())
    return [row for row in sorted(rows) if where.value(table.view(row)) is True]


def update(table, assignments, where, test=None, returning=(), text=None, makes_rows=False):
    full = text or f"UPDATE {table.name} SET {listed(assignments)} WHERE {where.text}{test_text('IF', test)}"

    def apply():
        rows = [row for row in rows_where(table, where, makes_rows)
                if test is None or test.value(table.view(row)) is True]
        for row in rows:
            try:
                assign(table, row, assignments, table.view(row))
            except Fails as fails:  # the rows before it stay changed
                return Error(fails.code), None
        message = applied(len(rows)) if test else written(len(rows), len(rows) * len(assignments))
        return returned(table, rows, returning), message
    return Change(full + returning_text(returning), apply)


def increment(table, column, amount, where, returning):
    by = f" BY {amount}" if amount != 1 else ""
    text = f"INCREMENT {table.name} {words.column(column)}{by} WHERE {where.text}"
    one = Assignment(column, "+=", Expr(str(amount), lambda view: amount, "int"))
    return update(table, [one], where, None, returning, text, makes_rows=True)


def append(table, column, value, where, returning):
    text = f"APPEND {value.text} TO {table.name} {words.column(column)} WHERE {where.text}"
    return update(table, [Assignment(column, "||=", value)], where, None, returning, text, makes_rows=True)


def delete(table, patterns, times, where, test=None):
    """No patterns: every column. where None: ALL ROWS."""
    what = " ".join(["DELETE", ", ".join(p.text for p in patterns)]).rstrip()
    rows_text = f"WHERE {where.text}" if where else "ALL ROWS"
    text = " ".join(part for part in [what, f"FROM {table.name}", times.text, rows_text] if part)

    def apply():
        keys = rows_where(table, where, False) if where else table.keys()
        keys = [k for k in keys if test is None or test.value(table.view(k)) is True]
        hits = [erase(table, row, patterns, times) for row in keys]
        changed = plural(sum(cells > 0 for _, cells in hits), "row")
        if test:
            return None, None if keys else applied(0)
        if times.has:
            return None, f"{changed} changed, {plural(sum(c for _, c in hits), 'cell')} deleted"
        if patterns:
            return None, f"{changed} changed, {plural(sum(c for c, _ in hits), 'column')} deleted"
        return None, f"{changed} deleted"
    return Change(text + test_text("IF", test), apply)


def erase(table, row, patterns, times):
    return table.erase(row, lambda f, q: not patterns or any(p.matches(f, q) for p in patterns), times.has)


# ATOMIC: a block is a list of (text, run); run(table, view) changes the row, view.names has the LETs

class Ends(Exception):
    """RETURN ends the ATOMIC."""

    def __init__(self, values):
        super().__init__()
        self.values = values


def block_set(assignments):
    return f"SET {listed(assignments)};", lambda table, view: assign(table, view.row, assignments, view)


def block_delete(patterns, times):
    what = ", ".join(p.text for p in patterns) or "ROW"
    text = f"DELETE {what} {times.text}".rstrip() + ";"
    return text, lambda table, view: erase(table, view.row, patterns, times)


def block_let(name, expr):
    def run(table, view):
        view.names[name] = expr.value(view)
    return f"LET {name} = {expr.text};", run


def block_if(test, then, otherwise):
    def run(table, view):
        run_block(table, view, then if test.value(view) is True else otherwise)
    text = f"IF {test.text} {{ {block_text(then)} }}"
    return text + (f" ELSE {{ {block_text(otherwise)} }}" if otherwise else ""), run


def block_fail(word):
    def run(table, view):
        raise Fails("FAILED")
    return f"FAIL '{word}';", run


def block_return(items):
    def run(table, view):
        raise Ends([e.value(view) for e in items])
    return f"RETURN {', '.join(e.text for e in items)};", run


def block_text(block):
    return " ".join(text for text, _ in block)


def run_block(table, view, block):
    """Each statement sees what those before it wrote."""
    for _, run in block:
        run(table, view)
        view.columns = table.view(view.row).columns


def atomic(table, row, row_text, block):
    def apply():
        before = table.saved()
        table.hold()
        try:
            run_block(table, table.view(row), block)
        except Fails as fails:
            table.restore(before)
            return Error(fails.code), None
        except Ends as ends:
            return Rows([ends.values]), None
        finally:
            table.held = None
        return None, None
    return Change(f"ATOMIC ON {table.name} ROW {row_text} {{ {block_text(block)} }}", apply)


# BEGIN ROW … COMMIT or ROLLBACK, around changes of one row

def transaction(table, row_text, changes, commits):
    before = []

    def begin():
        before.append(table.saved())
        table.hold()
        return None, "row transaction begun"

    def end():
        table.held = None
        if not commits:
            table.restore(before[0])
        return None, None if commits else "rolled back"
    return [Change(f"BEGIN ROW {table.name} {row_text}", begin), *changes,
            Change("COMMIT" if commits else "ROLLBACK", end)]


def select(table, query):
    """A SELECT among the changes."""
    return Change(str(query), lambda: (query.run(table), None))


# INSERT … SELECT

def copy_cells(source, target, query):
    """SELECT CELLS, or SELECT … AS row, column, timestamp, value: the answer of the query is the cells."""
    def apply():
        rows = query.run(source).rows
        for row, column, timestamp, value in rows:
            family, qualifier = column.split(b":", 1)
            target.write(row, (family.decode(), qualifier), timestamp, value)
        return None, written(len({row[0] for row in rows}), len(rows))
    return Change(f"INSERT INTO {target.name} {query}", apply)


def copy_values(source, target, columns, query, has_time):
    """The query has the key, a value for each column, and perhaps the time; else a row gets that of the server."""
    names = ", ".join(["ROW"] + [words.column(c) for c in columns] + ["TIMESTAMP"] * has_time)

    def apply():
        keys, cells = set(), 0
        for row, *values in query.run(source).rows:
            now = values[-1] if has_time else target.now()
            for column, value in zip(columns, values):
                if value is not None:
                    target.write(row, column, now, value)
                    keys.add(row)
                    cells += 1
        return None, written(len(keys), cells)
    return Change(f"INSERT INTO {target.name} ({names}) {query}", apply)


# Schema

def make_again(table, family, text):
    """DROP FAMILY takes the cells along; the family that is added later is empty."""
    def drop():
        table.cells = {key: times for key, times in table.cells.items() if key[1] != family}
        return None, f"table {table.name} altered: 1 dropped"
    return [Change(f"ALTER TABLE {table.name} DROP FAMILY {family}", drop),
            Change(f"ALTER TABLE {table.name} ADD {text}", lambda: (None, None))]


def make_table_again(table, like):
    def drop():
        table.cells = {}
        return None, f"table {table.name} dropped"
    return [Change(f"DROP TABLE {table.name}", drop),
            Change(f"CREATE TABLE {table.name} LIKE {like.name}", lambda: (None, None))]


def keep_fewer(table, family, count):
    def apply():
        table.keep(family, count)
        return None, f"table {table.name} altered: 1 changed"
    return Change(f"ALTER TABLE {table.name} ALTER FAMILY {family} VERSIONS {count}", apply)
