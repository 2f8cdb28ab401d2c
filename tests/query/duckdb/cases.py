"""Runs the fixed cases: where both sides agree, and where GoogleSQL decides.

A case is (Sippar's spelling, DuckDB's): both must answer the same; "" is the same spelling. Or it is
(Sippar's spelling, DuckDB's, what GoogleSQL gives, why DuckDB differs): Sippar must answer that and DuckDB
must not, so that a difference that has gone is noticed. None for DuckDB: it has nothing of the kind.
SPDX-License-Identifier: Apache-2.0
"""
import base64

import engines
import fixed_numbers
import fixed_texts
import fixed_times


def run(report):
    cases = [*fixed_numbers.CASES, *fixed_texts.CASES, *fixed_times.CASES]
    answers = report.sippar.ask([f"SELECT {case[0]}" for case in cases])
    for case, found in zip(cases, answers):
        duckdb = case[1] or (case[0] if case[1] == "" else None)
        other = plain_answer(report.duck, duckdb) if duckdb else None
        if len(case) == 2:
            check_equal(report, case[0], duckdb, found, other)
        else:
            check_expected(report, case, found, other)


def plain_answer(duck, duckdb):
    answer = duck.ask([f"SELECT {duckdb}"])[0]
    return answer if isinstance(answer, engines.Failure) else engines.plain(answer[0][0])


def only_value(answer, example):
    """The one value of Sippar's answer, decoded as the type that the other side has."""
    return answer if isinstance(answer, engines.Failure) else as_type_of(answer[0][0], example)


def check_equal(report, sippar, duckdb, found, other):
    found = only_value(found, other)
    if engines.same(found, other):
        report.count(found if isinstance(found, engines.Failure) else [[found]])
    else:
        report.mismatch(sippar, duckdb, found, other)


def check_expected(report, case, found, other):
    sippar, duckdb, expected, why = case
    found = only_value(found, expected)
    refused = isinstance(found, engines.Failure) and expected is engines.REFUSED
    if not refused and not engines.same(found, expected):
        report.mismatch(sippar, None, found, expected, f": {why}")
    elif duckdb is not None and engines.same(other, expected):
        report.mismatch(sippar, duckdb, found, other, ": no longer a difference to DuckDB")
    else:
        report.count(found if isinstance(found, engines.Failure) else [[found]])


def as_type_of(value, example):
    """JSON tells 1 from 1.0, and text from bytes, only by the type that is expected."""
    if isinstance(example, list) and isinstance(value, list):
        examples = example if len(example) == len(value) else [example[0] if example else None] * len(value)
        return [as_type_of(item, of) for item, of in zip(value, examples)]
    if isinstance(value, dict) and list(value) == ["$base64"]:
        return base64.b64decode(value["$base64"])
    if isinstance(example, bytes) and isinstance(value, str):
        return value.encode()
    if isinstance(example, float) and (value in ("NaN", "Infinity", "-Infinity") or type(value) in (int, float)):
        return float(value)
    return value
