#!/usr/bin/env python3
"""Does the suite catch bugs? Puts each of bugs.py into a scratch copy, builds the named tests, runs
them, and shows which one failed. A bug that nothing catches is a failure of the suite.

  seeded_bugs.py [--tree DIR] [NAME ...]    all bugs, or those named; exit code 1 if one survives
  seeded_bugs.py --check                    only: does each edit still fit the code?

DIR is the scratch copy with its build tree (default build/control here), kept for the next run.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import re
import subprocess
import sys
import time

from bugs import BUGS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TEST_SECONDS_MAX = 900


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def edited(root, bug):
    """The files that the bug changes, with their new text; a string when an edit does not fit."""
    texts = {}
    for path, old, new in bug.edits:
        if path not in texts and not os.path.isfile(os.path.join(root, path)):
            return f"{bug.name}: {path} is not there"
        text = texts.get(path) or read(os.path.join(root, path))
        if text.count(old) != 1:
            return f"{bug.name}: {text.count(old)} times in {path}, expected once:\n{old}"
        texts[path] = text.replace(old, new)
    return texts


def check():
    problems = [fit for fit in (edited(ROOT, bug) for bug in BUGS) if isinstance(fit, str)]
    for bug in BUGS:
        for folder, _ in bug.tests:
            if not os.path.isdir(os.path.join(ROOT, "tests", folder)):
                problems.append(f"{bug.name}: no tests/{folder}")
    print("\n".join(problems + [f"{len(BUGS)} seeded bugs, {len(problems)} that do not fit"]))
    return 1 if problems else 0


def copy_sources(tree):
    """Only what differs is written, so that little is built again."""
    files = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    for path in files:
        source, target = os.path.join(ROOT, path), os.path.join(tree, path)
        if not os.path.isfile(source):
            continue
        with open(source, "rb") as file:
            wanted = file.read()
        if os.path.isfile(target):
            with open(target, "rb") as file:
                if file.read() == wanted:
                    continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as file:
            file.write(wanted)


def target_of(folder):
    return folder.replace("/", "_") + "_test"


def build(tree, folders):
    return subprocess.run(["cmake", "--build", os.path.join(tree, "build/release"), "--target",
                           *sorted({target_of(folder) for folder in folders})],
                          capture_output=True, text=True)


def failures(tree, folder, gtest_filter):
    """Names of the tests that failed, or what else ended the run; none: all passed."""
    program = os.path.join(tree, "build/release/tests", folder, target_of(folder))
    try:
        run = subprocess.run([program, f"--gtest_filter={gtest_filter}"], capture_output=True,
                             timeout=TEST_SECONDS_MAX, text=True, errors="replace")
    except subprocess.TimeoutExpired:
        return [f"{folder} {gtest_filter} (never ends)"]
    if "Running 0 tests" in run.stdout:
        sys.exit(f"{folder} has no test {gtest_filter}")
    failed = re.findall(r"^\[  FAILED  \] ([\w/.]+)(?:, where .*)? \(\d+ ms\)$", run.stdout, re.M)
    if run.returncode != 0 and not failed:
        running = re.findall(r"^\[ RUN      \] (\S+)", run.stdout, re.M)
        return [f"{running[-1] if running else folder} (ended with {run.returncode})"]
    return failed


def seed(tree, bug):
    """What caught the bug; none: nothing did."""
    texts = edited(tree, bug)
    if isinstance(texts, str):
        sys.exit(texts)
    before = {path: read(os.path.join(tree, path)) for path in texts}
    try:
        for path, text in texts.items():
            write(os.path.join(tree, path), text)
        built = build(tree, [folder for folder, _ in bug.tests])
        if built.returncode != 0:
            print(f"{bug.name} does not compile:\n{built.stdout[-3000:]}")
            return []
        return [name for folder, tests in bug.tests for name in failures(tree, folder, tests)]
    finally:
        for path, text in before.items():
            write(os.path.join(tree, path), text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--tree", default=os.path.join(ROOT, "build/control"))
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    if args.check:
        return check()
    bugs = [bug for bug in BUGS if not args.names or bug.name in args.names]
    copy_sources(args.tree)
    subprocess.run(["cmake", "-S", ".", "-B", "build/release", "-G", "Ninja", "-C", "tests/build/release.cmake"],
                   cwd=args.tree, check=True, stdout=subprocess.DEVNULL)
    tests = sorted({test for bug in bugs for test in bug.tests})
    built = build(args.tree, [folder for folder, _ in tests])
    if built.returncode != 0:
        sys.exit(f"the code without bugs does not build:\n{built.stdout[-3000:]}")
    broken = [name for test in tests for name in failures(args.tree, *test)]
    if broken:
        sys.exit(f"without any bug these fail: {', '.join(broken)}")
    survivors = 0
    for bug in bugs:
        start = time.monotonic()
        caught = seed(args.tree, bug)
        survivors += not caught
        by = ", ".join(caught[:3]) + (f" and {len(caught) - 3} more" if len(caught) > 3 else "")
        print(f"| {bug.name} | {bug.does} | {by or 'NOTHING'} | {time.monotonic() - start:.0f} s |",
              flush=True)
    print(f"{len(bugs)} bugs, {survivors} not caught")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
