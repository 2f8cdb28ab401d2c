#!/usr/bin/env python3
"""CPU time of statements and imports through the program, beside another build of it.

  query_path.py PROGRAM [BASELINE] [--rounds N] [--rows N] [--only WORD] [--work DIR]

Each build has a store of its own with the same rows. The rounds alternate between the builds. A
figure is the median of the user and system time of its process, without what the same build needs
to open its store for a statement that reads nothing; so it holds on a machine with other work. The
wall time is given only as a ratio, of 4 tablets to 1, which needs two idle processors.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

GROUP = "SELECT SUBSTR(row, 1, 4) AS p, COUNT(*) AS n, SUM(f:n) AS s FROM {} GROUP BY p"
TEXT_SUM = "SELECT SUBSTR(row, 1, 4) AS p, COUNT(*) AS n, SUM(INT64(TEXT(v:t))) AS s FROM {} GROUP BY p"
SELECTS = [  # name, statement, the most seconds of CPU it may take at 1 M rows
    ("GROUP BY key prefix, COUNT and SUM of a counter", GROUP.format("counters"), 0.35),
    ("GROUP BY key prefix, COUNT and SUM of decimal texts", TEXT_SUM.format("texts"), None),
    ("GROUP BY key prefix, COUNT", "SELECT SUBSTR(row, 1, 4) AS p, COUNT(*) AS n FROM texts GROUP BY p", 0.35),
    ("regex on a value, 2 cells a row", "SELECT row FROM texts WHERE v:w ~ /lemon[0-9]+7 /", 0.6),
    ("regex without a literal, 2 cells a row", "SELECT row FROM texts WHERE v:w ~ /[ks]iwi 9[0-4]7 /", None),
    ("ORDER BY a value LIMIT 10", "SELECT row FROM texts ORDER BY v:w DESC LIMIT 10", None),
    ("COUNT(*)", "SELECT COUNT(*) FROM texts", None),
    ("all rows, a test on a value", "SELECT row, v:t FROM texts WHERE v:t = '77'", None),
]
FRUIT = ["apple", "lemon", "kiwi", "plum", "grape", "melon", "cherry", "quince"]


def cpu(argv, text=None):
    """Runs argv; returns (seconds of CPU, seconds, output)."""
    begun = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as given:
        given.write((text or "").encode())
        given.seek(0)
        process = subprocess.Popen(argv, stdin=given, stdout=out, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{' '.join(argv)[:200]}: exit code {process.returncode}")
        out.seek(0)
        return used.ru_utime + used.ru_stime, time.monotonic() - begun, out.read()


class Build:
    def __init__(self, program, work, name):
        self.program, self.store, self.work = program, os.path.join(work, name), work
        self.rest, self.rest_wall = 0.0, 0.0

    def query(self, statement, *more):
        return cpu([self.program, "query", self.store, "--format", "csv", "-e", statement, *more])

    def fill(self, counters, texts):
        self.query("CREATE TABLE counters (FAMILY f COUNTER); CREATE TABLE texts (FAMILY v)")
        for table, path, split in [("counters", counters, False), ("texts", texts, False), ("four", counters, True)]:
            if split:
                self.query("CREATE TABLE four (FAMILY f COUNTER) SPLIT AT ('p250', 'p500', 'p750')")
            mapping = "ROW = k, v:t = t, v:w = w" if table == "texts" else "ROW = k, f:n = n"
            cpu([self.program, "import", "csv", self.store, table, path, "--map", mapping])
            self.query(f"COMPACT TABLE {table}")
        self.measure_rest()

    def measure_rest(self):
        runs = [self.query("SHOW TABLES") for _ in range(5)]
        self.rest = statistics.median(run[0] for run in runs)
        self.rest_wall = statistics.median(run[1] for run in runs)

    def select(self, statement):
        used, _, out = self.query(statement)
        return used - self.rest, out

    def wall_of_four(self):
        one = self.query(GROUP.format("counters"))
        four = self.query(GROUP.format("four"))
        if sorted(one[2].splitlines()) != sorted(four[2].splitlines()):
            sys.exit("GROUP BY over 4 tablets differs from 1 tablet")
        return (four[1] - self.rest_wall) / (one[1] - self.rest_wall), None

    def inserts(self, count, sync):
        # In memory a sync costs next to nothing.
        new = self.store + "-new" if sync else tempfile.mkdtemp(prefix="query-path-", dir="/dev/shm")
        shutil.rmtree(new, ignore_errors=True)
        cpu([self.program, "query", new, "-e", "CREATE TABLE t (FAMILY f)"])
        script = "".join(f"INSERT INTO t ROW 'r{i}' SET f:q = 'value {i}';\n" for i in range(count))
        used, wall, _ = cpu([self.program, "query", new, "-q", "-f", "-"], script)
        rows = cpu([self.program, "query", new, "--format", "csv", "--no-header", "-e", "SELECT COUNT(*) FROM t"])[2]
        if int(rows) != count:
            sys.exit(f"{count} rows were inserted, {rows} are there")
        shutil.rmtree(new)
        return (count / wall if sync else count / (used - self.rest)), None

    def imports(self, path):
        shutil.rmtree(self.store + "-new", ignore_errors=True)
        new = self.store + "-new"
        cpu([self.program, "query", new, "-e", "CREATE TABLE t (FAMILY v)"])
        used, _, _ = cpu([self.program, "import", "csv", new, "t", path, "--map", "ROW = k, v:t = t, v:w = w"])
        return used - self.rest, None


def write_rows(work, rows):
    counters, texts = os.path.join(work, "counters.csv"), os.path.join(work, "texts.csv")
    if os.path.exists(texts):
        return counters, texts
    draw = random.Random(1)
    with open(counters, "w") as a, open(texts, "w") as b:
        a.write("k,n\n")
        b.write("k,t,w\n")
        for i in range(rows):
            key = f"p{i * 1000 // rows:03d}{i:07d}"
            a.write(f"{key},{draw.randrange(1000)}\n")
            b.write(f"{key},{draw.randrange(1000)},{draw.choice(FRUIT)}{draw.randrange(10000)} and {draw.choice(FRUIT)} {draw.randrange(1000)} \n")
    return counters, texts


def show(name, values, unit, target, builds):
    medians = [statistics.median(v) for v in values]
    ratio = f"{medians[0] / medians[1]:6.2f}x" if len(builds) > 1 else ""
    base = f"{medians[1]:>10.3f}" if len(builds) > 1 else ""
    print(f"{name:<54}{medians[0]:>10.3f}{base} {unit:<9}{ratio:<8} {target}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("baseline", nargs="?")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--only", default="")
    parser.add_argument("--work")
    options = parser.parse_args()
    work = options.work or tempfile.mkdtemp(prefix="query-path-")
    os.makedirs(work, exist_ok=True)
    counters, texts = write_rows(work, options.rows)
    builds = [Build(os.path.abspath(p), work, f"store{i}")
              for i, p in enumerate([options.program, options.baseline]) if p]
    for build in builds:
        if os.path.exists(build.store):
            build.measure_rest()
        else:
            build.fill(counters, texts)
    figures = [(name, "s CPU", limit and f"<= {limit} at 1 M rows", lambda b, s=text: b.select(s))
               for name, text, limit in SELECTS]
    figures += [
        ("GROUP BY, wall time of 4 tablets to 1", "x", "<= 0.6", lambda b: b.wall_of_four()),
        ("10,000 INSERT statements, no sync", "/s CPU", ">= 20,000", lambda b: b.inserts(10_000, False)),
        ("10,000 INSERT statements, synced", "/s", ">= 5,000", lambda b: b.inserts(10_000, True)),
        ("CSV in", "s CPU", "<= 2.4 at 1 M rows", lambda b: b.imports(texts)),
    ]
    for name, unit, target, run in figures:
        if options.only not in name:
            continue
        values = [[] for _ in builds]
        for _ in range(options.rounds):
            answers = []
            for i, build in enumerate(builds):
                value, answer = run(build)
                values[i].append(value)
                answers.append(answer)
            if any(answer != answers[0] for answer in answers):
                sys.exit(f"{name}: the builds give different answers")
        show(name, values, unit, target or "", builds)
    if not options.work:
        shutil.rmtree(work)


if __name__ == "__main__":
    main()
