"""A table as query/LANGUAGE.md describes it: a dictionary of cells, and what a statement sees of it.

Nothing here is fast or clever. A cell is a value under (row, family, qualifier) and a time.
SPDX-License-Identifier: Apache-2.0
"""
import copy
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

# The server's times are not known beforehand: each stands for any time of this range.
SERVER_TIME = 2 * 10**15
SERVER_TIMES = range(10**15, 9 * 10**15)
ANY_ERROR = "of any code"


def server_clock():
    """"Without AT the server's clock is used": it is one clock. INSERT ... SELECT copies a time from one table into
    another, where a write without AT comes later than the copied time, so the tables may not count for themselves."""
    return itertools.count(SERVER_TIME)


class Fails(Exception):
    """The statement ends with this error code."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


class Text(bytes):
    """TEXT; other bytes are BYTES. They are equal, but `_` and LENGTH know the difference."""


def is_utf8(data):
    try:
        return data.decode() is not None
    except UnicodeDecodeError:
        return False


@dataclass(frozen=True)
class Rule:
    """A GC rule. Every time of an AT is older than its AGE, every time of the server younger."""
    kind: str  # VERSIONS, AGE, UNION, INTERSECTION
    count: int = 0
    parts: tuple = ()

    def __str__(self):
        inner = {"VERSIONS": str(self.count), "AGE": "30d"}.get(self.kind) or ", ".join(map(str, self.parts))
        return f"{self.kind}({inner})"

    def drops(self, place, timestamp):
        """place: that of the version, 0 is the newest."""
        if self.kind == "VERSIONS":
            return place >= self.count
        if self.kind == "AGE":
            return timestamp < SERVER_TIME
        drop = [part.drops(place, timestamp) for part in self.parts]
        return any(drop) if self.kind == "UNION" else all(drop)


@dataclass
class Family:
    rule: Rule | None = None  # None keeps all
    counter: bool = False
    text: bool = False  # TYPE = TEXT
    adds: str | None = None  # TYPE = SUM, MIN, MAX: what is written is added to the cell of that time


@dataclass
class Cell:
    row: bytes
    family: str
    qualifier: bytes
    timestamp: int
    value: object  # bytes, or int in a counter family


@dataclass
class Window:
    """The times that a statement reads, and how many versions of each column."""
    start: int = 0
    end: int | None = None  # None: no bound
    versions: int | None = 1  # None: all

    def has(self, timestamp):
        return self.start <= timestamp and (self.end is None or timestamp < self.end)


@dataclass
class View:
    """One row as a statement sees it: columns[family, qualifier] is a list of cells, newest first."""
    row: bytes
    columns: dict = field(default_factory=dict)
    names: dict = field(default_factory=dict)  # LET of ATOMIC, columns of an inner SELECT
    cell: Cell | None = None  # of the relation CELLS(t)

    def newest(self, column):
        cells = self.columns.get(column)
        return cells[0].value if cells else None

    def history(self, column):
        cells = self.columns.get(column)
        return versions(cells) if cells else None


def versions(cells):
    return [{b"timestamp": c.timestamp, b"value": c.value} for c in cells]


def view_of(row, cells):
    seen = View(row)
    for cell in cells:
        seen.columns.setdefault((cell.family, cell.qualifier), []).append(cell)
    return seen


@dataclass
class Table:
    name: str
    families: dict  # name -> Family
    clock: Iterator  # server_clock(), of all tables that a statement may copy from or to
    cells: dict = field(default_factory=dict)  # (row, family, qualifier) -> {timestamp: value}
    held: int | None = None  # ATOMIC and BEGIN ROW … COMMIT are one change, whose cells get one time

    def now(self):
        return self.held or next(self.clock)

    def hold(self):
        self.held = next(self.clock)

    # Changes

    def write(self, row, column, timestamp, value):
        """Sets one cell. A version that the rule drops is gone for good."""
        family = self.families[column[0]]
        times = self.cells.setdefault((row, *column), {})
        if family.adds and timestamp in times:
            value = {"SUM": sum, "MIN": min, "MAX": max}[family.adds]([times[timestamp], value])
        if isinstance(value, bytes):
            value = Text(value) if family.text else bytes(value)
        times[timestamp] = value
        self._collect(times, family.rule)
        if not times:
            del self.cells[row, *column]

    def erase(self, row, matches, times=None):
        """Deletes the cells of a row whose column matches and whose time is in `times`.

        The answer is (columns that lost a cell, cells)."""
        columns = cells = 0
        for key in [k for k in self.cells if k[0] == row and matches(k[1], k[2])]:
            gone = [t for t in self.cells[key] if times is None or times(t)]
            for t in gone:
                del self.cells[key][t]
            columns += bool(gone)
            cells += len(gone)
            if not self.cells[key]:
                del self.cells[key]
        return columns, cells

    def keep(self, family, count):
        """ALTER FAMILY family VERSIONS count, with a count that is smaller than before."""
        self.families[family] = replace(self.families[family], rule=Rule("VERSIONS", count))
        for key, times in self.cells.items():
            if key[1] == family:
                self._collect(times, self.families[family].rule)

    @staticmethod
    def _collect(times, rule):
        for place, timestamp in enumerate(sorted(times, reverse=True)):
            if rule and rule.drops(place, timestamp):
                del times[timestamp]

    # Reads

    def keys(self):
        return sorted({key[0] for key in self.cells})

    def row_cells(self, row, window=Window(versions=None)):
        """Cells of a row in the order of family and qualifier, newest first."""
        found = []
        for key in sorted(k for k in self.cells if k[0] == row):
            times = sorted((t for t in self.cells[key] if window.has(t)), reverse=True)
            found += [Cell(*key, t, self.cells[key][t]) for t in times[:window.versions]]
        return found

    def view(self, row, window=Window(versions=None)):
        return view_of(row, self.row_cells(row, window))

    def views(self, window):
        """All rows that have a cell in the window, in the order of their keys."""
        found = [self.view(row, window) for row in self.keys()]
        return [view for view in found if view.columns]

    # ROLLBACK, FAIL, and statements that see the table as it was

    def saved(self):
        return copy.deepcopy(self.cells)

    def restore(self, cells):
        self.cells = cells
