"""The table `vals` on both sides: 40 rows of odd values, and `many`: a few hundred of calm ones.

A FLOAT64, a BOOL and a text are cells that hold their text; an INT64, and a time as a number, is a
counter. What is NULL in DuckDB is a cell that is not there.
SPDX-License-Identifier: Apache-2.0
"""
import datetime
import random

from draw import DUCK_TYPES, literal, value_of

KEYS = [f"k{number:02}" for number in range(40)]
MANY_KEYS = [f"m{number:03}" for number in range(360)]
COLUMNS = ("i", "j", "d", "s", "u", "b", "o", "t", "q")
DUCK_COLUMNS = ("k VARCHAR, i BIGINT, j BIGINT, d DOUBLE, s VARCHAR, u VARCHAR, b BLOB, o BOOLEAN, t TIMESTAMP, q DATE")
EPOCH = datetime.datetime(1970, 1, 1)


def odd_rows():
    chance = random.Random("vals")
    rows = []
    for key in KEYS:
        values = [value_of(chance, kind) for kind in
                  ("INT64", "INT64", "FLOAT64", "STRING", "STRING", "BYTES", "BOOL", "TIMESTAMP", "DATE")]
        rows.append((key, [None if chance.random() < 0.12 else value for value in values]))
    return rows


def calm_rows():
    """Sums that fit, doubles whose sums are exact, groups of many rows."""
    chance = random.Random("many")
    rows = []
    for key in MANY_KEYS:
        values = [chance.randint(-5, 5), chance.choice([1, 2, 3, 1000, -7, 10**15]), chance.randint(-4000, 4000) / 8,
                  chance.choice(["x", "y", "zz", "", "ä"]), chance.choice(["a", "ab", "b", "ba", "É", "", "q"]),
                  chance.choice([b"\xff", b"\x00", b"a", b""]), chance.random() < 0.5,
                  datetime.datetime(2020, 1, 1) + datetime.timedelta(seconds=chance.randrange(10**8)),
                  datetime.date(1969, 12, 1) + datetime.timedelta(days=chance.randrange(60))]
        rows.append((key, [None if chance.random() < 0.15 else value for value in values]))
    return rows


def all_rows():
    return {"vals": odd_rows(), "many": calm_rows()}


def cell(name, value):
    """The value of a cell as Sippar writes it."""
    if name in "ij":
        return literal(value)[0]
    if name == "t":
        return literal((value - EPOCH) // datetime.timedelta(microseconds=1))[0]
    if name == "q":
        return literal((value - EPOCH.date()).days)[0]
    if name == "d":
        return f"'{value!r}'"
    if name == "o":
        return f"'{str(value).lower()}'"
    return literal(value)[0]


def sippar_statements():
    statements = []
    for table, rows in all_rows().items():
        statements.append(f"CREATE TABLE {table} (FAMILY f, FAMILY n COUNTER) SPLIT AT ('k2', 'm1', 'm25')")
        for key, values in rows:
            cells = [f"{'n' if name in 'ijtq' else 'f'}:{name} = {cell(name, value)}"
                     for name, value in zip(COLUMNS, values) if value is not None]
            # A row without a cell would not be there.
            statements.append(f"INSERT INTO {table} ROW '{key}' SET f:there = 'y', {', '.join(cells)}")
    return statements


def duck_statements():
    nulls = ", ".join(f"NULL::{kind} AS a_{kind.replace('[]', '_list').lower()}" for kind in DUCK_TYPES.values())
    statements = [f"CREATE TABLE nulls AS SELECT {nulls}"]
    for table, rows in all_rows().items():
        statements.append(f"CREATE TABLE {table} ({DUCK_COLUMNS})")
        for key, values in rows:
            spelled = ", ".join("NULL" if value is None else literal(value)[1] for value in values)
            statements.append(f"INSERT INTO {table} VALUES ('{key}', {spelled})")
    return statements
