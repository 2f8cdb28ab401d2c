"""Compares the program with a model that was written from query/LANGUAGE.md alone.

Each seed draws a schema, a course of changes and some twenty SELECT statements. Their answers are compared
when the changes are just written, after a flush, a compaction, an opening of the store, a split and a merge in
any order, and in a copy of the table. Half of the seeds change rows between these, too.

usage: model_test.py [--sippar] SIPPAR_BINARY [--seeds N] [--first K] [--jobs J] [--seed N] [--show] [--known]
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import changing
from draw import Draw
from draw_changes import draw_changes, schema_change
from draw_reads import draw_read
from model import Fails, Table, server_clock
from results import Anything, Error, Rows, answer, same_answer

READS = 20
END = "SELECT NULL AS end_of_answer"
SETTING = "SET safe_updates = off"  # UPDATE and DELETE may look through the whole table
COPIES = [["BACKUP TABLE t AS b", "RESTORE TABLE w FROM b"],
          ["EXPORT TABLE t TO 't.cells'", "CREATE TABLE w LIKE t", "IMPORT INTO w FROM 't.cells'"],
          ["CREATE TABLE w LIKE t", "INSERT INTO w SELECT CELLS * FROM t VERSIONS ALL"]]
STATES = ["flushed", "compacted", "reopened", "split", "merged"]


@dataclass
class Step:
    state: str
    text: str
    expected: object = None  # Rows, Error, Anything, or None: no rows
    message: str | None = None  # None: any


class Plan:
    """All statements of a seed with their answers, as a list of processes."""

    def __init__(self, seed, known=False):
        self.draw = Draw(seed, known)
        clock = server_clock()
        self.tables = [Table(name, self.draw.families, clock) for name in ("t", "u")]
        self.processes = [[]]
        self.state = "memtable"
        self._step(self.draw.create_table("t"))
        self._step(SETTING)
        self._step("CREATE TABLE u LIKE t")
        self._change(self.draw.choose([10, 30, 60]))
        read_tables = READS * [self.tables[0]] + [self.tables[1]]
        self.reads = [(table, draw_read(self.draw, table.name)) for table in read_tables]
        self._read()
        changes = self.draw.chance(0.5)
        for state in self._states():
            if changes:
                self._change_between()
            self.state = state
            self._move_to(state)
            self._read()
        self.state = "copied"
        for text in self.draw.choose(COPIES):
            self._step(text)
        self.reads = [(table, query.of("w")) for table, query in self.reads if table.name == "t"]
        self._read()

    def _states(self):
        states = self.draw.some(STATES, len(STATES), len(STATES))
        split, merged = sorted([states.index("split"), states.index("merged")])
        states[split], states[merged] = "split", "merged"
        return states

    def _step(self, text, expected=None, message=None):
        assert "\n" not in text
        self.processes[-1].append(Step(self.state, text, expected, message))
        if expected is not None:  # a failed statement may have printed rows before its error, or not
            self.processes[-1].append(Step(self.state, END))

    def _change(self, count):
        self._apply(draw_changes(self.draw, self.tables, count))

    def _apply(self, changes):
        for change in changes:
            if self.draw.chance(0.05) and not change.is_refused:
                self._step(f"EXPLAIN {change.text}", Anything())  # it takes every statement and changes nothing
            expected, message = change.apply()
            self._step(change.text, expected, message)

    def _change_between(self):
        self.state += ", then changed"
        self._change(self.draw.choose([0, 3, 8]))
        if self.draw.chance(0.4):
            self._step(self.draw.choose(["FLUSH TABLE t", "COMPACT TABLE t MINOR", "COMPACT TABLE t MAJOR"]))
            self._change(self.draw.choose([1, 4]))
        if self.draw.chance(0.3):
            self._apply(schema_change(self.draw, self.tables))
        if self.draw.chance(0.3):
            self._keep_fewer()

    def _keep_fewer(self):
        # A rule that is more generous may show older versions again: none that drops the newest by its age.
        families = [name for name, f in self.draw.families.items() if not f.rule or not f.rule.drops(0, 0)]
        if not families:
            return
        family = self.draw.choose(families)
        # Both tables share the schema in the model, so both are altered.
        self._apply([changing.keep_fewer(table, family, 1) for table in self.tables])

    def _move_to(self, state):
        if state == "reopened":
            self.processes.append([])
            self._step(SETTING)
            return
        keys = self.draw.keys(self.draw.some(self.draw.rows, 1, 4))
        for name in ("t", "u"):
            self._step({"flushed": f"FLUSH TABLE {name}", "compacted": f"COMPACT TABLE {name}",
                        "split": f"SPLIT TABLE {name} AT ({keys})", "merged": f"MERGE TABLETS OF {name}"}[state])

    def _read(self):
        for table, query in self.reads:
            try:
                expected = query.run(table)
            except Fails as fails:
                expected = Error(fails.code)
            self._step(str(query), expected)

    def script(self, number):
        return "".join(step.text + ";\n" for step in self.processes[number])


def run_process(sippar, store, script):
    """What the program prints for a script: (objects of stdout, lines of stderr)."""
    command = [sippar, "query", store, "-f", "-", "--format", "json", "--keep-going", "--echo"]
    run = subprocess.run(command, input=script.encode(), capture_output=True, timeout=300, check=False,
                         cwd=os.path.dirname(store))
    if run.returncode not in (0, 1):
        raise RuntimeError(f"exit code {run.returncode}: {run.stderr.decode(errors='replace')[-2000:]}")
    text, objects, decoder = run.stdout.decode(), [], json.JSONDecoder()
    while text := text.lstrip():
        value, end = decoder.raw_decode(text)
        objects.append(value)
        text = text[end:]
    return objects, run.stderr.decode().splitlines()


def messages_of(steps, lines):
    """The lines of stderr after each statement that --echo printed."""
    found, place = [[] for _ in steps], -1
    for line in lines:
        if place + 1 < len(steps) and line == steps[place + 1].text + ";":
            place += 1
        else:
            found[place].append(line)
    if place + 1 < len(steps):
        raise ValueError(f"the program stopped after: {steps[place].text}\n{lines[-3:]}")
    return found


def answers_of(objects):
    """The objects of each statement that has an answer; an object of END stands between them."""
    found = [[]]
    for value in objects:
        if value["columns"] == ["end_of_answer"]:
            found.append([])
        else:
            found[-1].append(value)
    return found


def found_of(messages, objects):
    """The answer of one statement: Rows, Error, or None, and what it said."""
    for line in messages:
        if line.startswith('{"code":'):
            error = json.loads(line)
            return Error(error["code"]), error["message"]
    if len(objects) > 1:
        return Error("with several answers"), str(objects)
    return answer(objects[0]) if objects else None, "; ".join(messages)


def compare(step, messages, objects):
    """None, or (expected, found) of a statement that did not answer as the model."""
    found, said = found_of(messages, objects)
    if isinstance(found, Error) and not isinstance(step.expected, Error):
        return step.expected or step.message or "no error", f"{found}: {said}"
    if step.expected is not None and not same_answer(step.expected, found):
        return step.expected, found
    if step.message is not None and step.message not in said:
        return step.message, said
    return None


def run_seed(sippar, seed, known=False, folder=None):
    """The mismatches of a seed as texts."""
    plan = Plan(seed, known)
    found, states = [], {}
    again = f"again: {sys.executable} {os.path.abspath(__file__)} {sippar} --seed {seed}\n"
    with tempfile.TemporaryDirectory(prefix="sippar_model_", dir=folder) as work:
        for number, steps in enumerate(plan.processes):
            try:
                objects, lines = run_process(sippar, os.path.join(work, "store"), plan.script(number))
                messages, answers = messages_of(steps, lines), answers_of(objects)
            except (RuntimeError, ValueError, subprocess.TimeoutExpired) as error:
                return [f"seed {seed}, process {number}: {error}\n{again}"]
            for step, said in zip(steps, messages):
                difference = compare(step, said, answers.pop(0) if step.expected is not None else [])
                if difference:
                    states.setdefault(step.text, []).append(step.state)
                    if len(states[step.text]) == 1:
                        found.append((step, *difference))
    return [f"seed {seed}, state {', '.join(states[step.text])}\n{step.text};\nexpected:\n{expected}\nfound:\n{got}\n"
            + again
            for step, expected, got in found]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", nargs="?", default=os.environ.get("SIPPAR"))
    parser.add_argument("--sippar", help="the program")
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, help="only this one")
    parser.add_argument("--show", action="store_true", help="print the scripts of the seed, run nothing")
    parser.add_argument("--known", action="store_true", help="draw also what is known to differ")
    parser.add_argument("--folder", help="where the stores are made")
    options = parser.parse_args()
    options.sippar = options.sippar or options.binary
    if not options.sippar and not options.show:
        parser.error("no program: model_test.py SIPPAR_BINARY")
    if options.seed is not None:
        options.first, options.seeds = options.seed, 1
    return options


def main():
    options = parse_arguments()
    seeds = range(options.first, options.first + options.seeds)
    if options.show:
        plan = Plan(seeds[0], options.known)
        print("\n-- a new process\n".join(plan.script(i) for i in range(len(plan.processes))))
        return 0
    failed = 0
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for texts in pool.map(run_seed, *zip(*[(options.sippar, s, options.known, options.folder) for s in seeds])):
            failed += bool(texts)
            print("\n".join(texts[:5]), end="" if not texts else "\n")
    print(f"{len(seeds)} seeds, {failed} with differences")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
