#!/usr/bin/env python3
"""Compares expressions and aggregates of Sippar's query language with DuckDB's.

  compare.py [--sippar PATH] [--seed N] [--count N] [--only fixed|scalar|grouped]

Fixed cases first, then --count drawn expressions (constants, and over the cells of a row), then drawn
statements with GROUP BY, WHERE and ORDER BY over a table. A mismatch shows the seed, both spellings and
both answers, of the smallest part that differs. DuckDB does not evaluate the second argument of a function
whose first is NULL; Sippar does, and fails when that fails, so those two answers count as equal.
Exit code 0: all equal; 1: not; 77: no DuckDB.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import random
import sys
import tempfile

import cases
import engines
import grouped
import tables
import text_operations
from draw import Expressions

BATCH = 400
# Types that are drawn, some more often.
TYPES = ("INT64", "INT64", "FLOAT64", "FLOAT64", "REAL", "STRING", "STRING", "STRING", "BYTES", "BOOL", "BOOL",
         "TIMESTAMP", "DATE", "ARRAY<INT64>", "ARRAY<STRING>")


def main():
    arguments = parsed_arguments()
    try:
        import duckdb  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        print(f"SKIPPED: DuckDB's Python module is missing ({error})")
        return 77
    with tempfile.TemporaryDirectory(prefix="sippar-duckdb-") as folder:
        sippar = engines.Sippar(arguments.sippar, folder)
        duck = engines.Duck(duckdb, text_operations.MORE_MACROS)
        sippar.load(tables.sippar_statements())
        duck.load(tables.duck_statements())
        report = Report(arguments.seed, sippar, duck)
        if arguments.only in (None, "fixed"):
            cases.run(report)
        if arguments.only in (None, "scalar"):
            run_scalars(report, arguments.seed, arguments.count)
        if arguments.only in (None, "grouped"):
            grouped.run(report, arguments.seed, arguments.count // 20)
        return report.end()


def parsed_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--sippar", default="build/release/cli/sippar", metavar="PATH")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=4000, help="drawn expressions; a twentieth as many statements")
    parser.add_argument("--only", choices=("fixed", "scalar", "grouped"))
    return parser.parse_args()


class Report:
    """Counts what was compared and prints what differs."""

    def __init__(self, seed, sippar, duck):
        self.seed = seed
        self.sippar = sippar
        self.duck = duck
        self.compared = {"values": 0, "NULLs": 0, "both fail": 0, "failed where DuckDB has NULL": 0}
        self.mismatches = 0

    def count(self, answer):
        kind = "values"
        if isinstance(answer, engines.Failure):
            kind = "both fail"
        elif answer == [[None]]:
            kind = "NULLs"
        self.compared[kind] += 1

    def mismatch(self, sippar, duckdb, found, other, why=""):
        self.mismatches += 1
        print(f"MISMATCH (seed {self.seed}){why}\n  sippar: {sippar}\n  duckdb: {duckdb}\n  sippar answers: {found}\n"
              f"  {'duckdb answers' if duckdb else 'expected'}: {other}")

    def end(self):
        counts = ", ".join(f"{number} {kind}" for kind, number in self.compared.items())
        print(f"compared with seed {self.seed}: {counts}; {self.mismatches} mismatches")
        return 1 if self.mismatches else 0


def run_scalars(report, seed, count):
    """Draws expressions in batches, each with its own seed, so that one batch can be drawn again."""
    for first in range(0, count, BATCH):
        chance = random.Random(f"{seed} {first}")
        constants, cells = Expressions(chance), Expressions(chance, with_columns=True)
        asked = []
        for number in range(first, min(first + BATCH, count)):
            expressions, key = (constants, None) if number % 2 else (cells, chance.choice(tables.KEYS))
            asked.append((expressions.draw(chance.choice(TYPES), chance.choice([1, 2, 2, 3, 3, 4])), key))
        for (drawn, key), found, other in zip(asked, *answers(report, asked)):
            if engines.same(found, other):
                report.count(found)
            else:
                tell_smallest(report, drawn, key, found, other)


def answers(report, asked):
    """What both sides say to (expression, key of the row or None)."""
    found = report.sippar.ask([f"SELECT {top(drawn, 0)} AS v{sippar_row(key)}" for drawn, key in asked])
    other = report.duck.ask([f"SELECT {top(drawn, 1)} AS v{duck_row(key)}" for drawn, key in asked])
    found = [answer if isinstance(answer, engines.Failure) else
             [[engines.decoded(value, drawn.kind) for value in row] for row in answer]
             for answer, (drawn, _) in zip(found, asked)]
    return found, other


def top(drawn, side):
    """The spelling of one side; a time is shown as its microseconds."""
    spelled = (drawn.sippar, drawn.duckdb)[side]
    if drawn.kind in ("TIMESTAMP", "DATE"):
        return (f"UNIX_MICROS({spelled})", f"epoch_us({spelled})")[side]
    return spelled


def sippar_row(key):
    return "" if key is None else f" FROM vals WHERE row = '{key}'"


def duck_row(key):
    return " FROM nulls" if key is None else f" FROM vals, nulls WHERE k = '{key}'"


def tell_smallest(report, drawn, key, found, other):
    """Goes down into the parts as long as one of them differs, too."""
    parts = [(part, key) for part in drawn.parts]
    for (part, _), part_found, part_other in zip(parts, *answers(report, parts)):
        if not engines.same(part_found, part_other):
            tell_smallest(report, part, key, part_found, part_other)
            return
    if isinstance(found, engines.Failure) and other == [[None]]:
        report.compared["failed where DuckDB has NULL"] += 1
    else:
        report.mismatch(top(drawn, 0) + sippar_row(key), top(drawn, 1) + duck_row(key), found, other)


if __name__ == "__main__":
    sys.exit(main())
