"""The two sides of the comparison: statements go in, decoded values come out.

Sippar runs a script in one process (`sippar query DIR -f SCRIPT --keep-going --format jsonl`);
DuckDB runs in this process. An error is a Failure, whatever its message.
SPDX-License-Identifier: Apache-2.0
"""
import base64
import datetime
import decimal
import json
import math
import os
import subprocess

from rules import MACROS

# Relative difference that two correct libraries of mathematics may have.
TOLERANCE = 1e-12


# Codes of a statement that one side does not understand: that is no answer both could share.
NOT_UNDERSTOOD = ("SYNTAX", "TYPE", "ARITY", "UNKNOWN_", "BAD_ESCAPE", "Parser Error", "Binder Error", "Catalog Error")


class Failure:
    """The statement failed. Two of them are equal when both sides understood what they were asked."""

    def __init__(self, message):
        self.message = message

    def understood(self):
        return not self.message.startswith(NOT_UNDERSTOOD)

    def __eq__(self, other):
        return isinstance(other, Failure) and self.understood() and other.understood()

    def __repr__(self):
        return f"error ({self.message})"


# What a case expects: an error while it runs, or an expression that does not exist.
FAILS = Failure("any error")
REFUSED = Failure("not understood")


class NoAnswer(Exception):
    """Sippar left without answering its script."""


class Sippar:
    """Runs scripts on one store with the program `binary`."""

    def __init__(self, binary, folder):
        self.binary = binary
        self.folder = folder
        self.store = os.path.join(folder, "store")
        self.scripts = 0

    def load(self, statements):
        """Runs statements that must all succeed."""
        failures = self._run(statements)[1]
        if failures:
            raise NoAnswer(f"the tables could not be loaded: {failures}")

    def ask(self, statements):
        """The rows of each statement, or its Failure. A statement is one line of the script."""
        lines = []
        for number, statement in enumerate(statements):
            lines += [f"SELECT {number} AS marker_", statement]
        rows, failures = self._run(lines)
        answers = []
        for number in range(len(statements)):
            failed = failures.get(2 * number + 2)
            answers.append(Failure(failed) if failed else rows[number])
        return answers

    def _run(self, lines):
        self.scripts += 1
        script = os.path.join(self.folder, f"script{self.scripts}.sql")
        with open(script, "w", encoding="utf-8") as file:
            file.write("".join(line + ";\n" for line in lines))
        done = subprocess.run(
            [self.binary, "query", self.store, "-f", script, "--keep-going", "-q", "--format", "jsonl"],
            capture_output=True, check=False)
        if done.returncode not in (0, 1):
            raise NoAnswer(f"exit code {done.returncode} after {script}: {done.stderr[-2000:]!r}")
        os.remove(script)
        return rows_by_marker(done.stdout.decode()), failures_by_line(done.stderr.decode())


def rows_by_marker(text):
    """Splits the output at its markers: number of the statement -> rows as lists."""
    rows, current = {}, None
    for line in text.splitlines():
        found = json.loads(line, parse_int=whole_number)
        if list(found) == ["marker_"]:
            current = rows.setdefault(found["marker_"], [])
        else:
            current.append(list(found.values()))
    return rows


def whole_number(digits):
    """JSON's -0 is the FLOAT64 -0.0."""
    return -0.0 if digits == "-0" else int(digits)


def failures_by_line(text):
    """Line of the script -> code and message. A warning has no retryable flag of an error's code."""
    failures = {}
    for line in text.splitlines():
        if not line.startswith("{"):
            continue
        told = json.loads(line)
        if told.get("code") not in (None, "WARNING"):
            failures[told["line"]] = f"{told['code']}: {told['message']}"
    return failures


class Duck:
    """A DuckDB in memory that knows the macros of rules.py."""

    def __init__(self, duckdb, more_macros=()):
        self.error = duckdb.Error
        self.connection = duckdb.connect()
        for statement in ("SET TimeZone = 'UTC'", "SET threads = 1", "PRAGMA disable_optimizer"):
            self.connection.execute(statement)
        for macro in [*MACROS, *more_macros]:
            self.connection.execute("CREATE MACRO " + macro)

    def load(self, statements):
        for statement in statements:
            self.connection.execute(statement)

    def ask(self, statements):
        return [self._ask(statement) for statement in statements]

    def _ask(self, statement):
        try:
            return [list(row) for row in self.connection.execute(statement).fetchall()]
        except self.error as error:
            return Failure(str(error).split("\n", maxsplit=1)[0][:300])
        except (OverflowError, ValueError) as error:  # a time that Python does not have
            return Failure(f"cannot be shown in Python: {error}")


def decoded(value, kind):
    """A value of Sippar's JSON as the Python value of its type; `kind` may be ARRAY<...>."""
    if value is None:
        return None
    if kind.startswith("ARRAY<"):
        return [decoded(item, kind[6:-1]) for item in value]
    if kind == "BYTES":
        return base64.b64decode(value["$base64"]) if isinstance(value, dict) else value.encode()
    if kind in ("FLOAT64", "REAL"):
        return float(value)
    return value


def plain(value):
    """A value of DuckDB's Python module as Sippar's JSON would have it."""
    if isinstance(value, datetime.datetime):
        micros = f".{value.microsecond:06}".rstrip("0") if value.microsecond else ""
        return f"{value.year:04}-{value:%m-%d}T{value:%H:%M:%S}{micros}Z"
    if isinstance(value, datetime.date):
        return f"{value.year:04}-{value:%m-%d}"
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def same(left, right):
    """Equal values: doubles to TOLERANCE and with the sign of a zero, all others exactly."""
    if isinstance(left, Failure) or isinstance(right, Failure):
        return left == right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, float) and isinstance(right, float):
        return same_double(left, right)
    return type(left) is type(right) and left == right


def same_double(left, right):
    if math.isnan(left) or math.isnan(right):
        return math.isnan(left) and math.isnan(right)
    if left == right:
        return math.copysign(1, left) == math.copysign(1, right)
    return math.isclose(left, right, rel_tol=TOLERANCE)
