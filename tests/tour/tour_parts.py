"""What the tours in Python share: the program under test, clients that ask it without a pause, free ports.
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import threading
import time

JAR = os.environ.get("ZOOKEEPER_JAR") or "/usr/share/java/zookeeper.jar"


class Failed(Exception):
    """A promise of the program that it broke, in one line."""


class Sippar:
    """Runs the program under test, a path."""

    def __init__(self, program):
        self.program = os.path.realpath(program)

    def run(self, *arguments, seconds=300):
        return subprocess.run([self.program, *arguments], capture_output=True, text=True, timeout=seconds,
                              stdin=subprocess.DEVNULL, check=False)

    def check(self, *arguments, seconds=300):
        """Standard output. Failed: the exit code is not 0."""
        done = self.run(*arguments, seconds=seconds)
        if done.returncode != 0:
            raise Failed(f"sippar {' '.join(arguments)}: exit {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def ask(self, target, text):
        """The answer's only line, as csv."""
        return self.check("query", target, "--format", "csv", "--no-header", "-e", text).strip()

    def status(self, target):
        """What `admin status` says, which is also said with exit 1 while something is not served. It is asked again
        for a minute while nobody answers."""
        until = time.monotonic() + 60
        while True:
            done = self.run("admin", "status", target, "--format", "json")
            if done.returncode in (0, 1):
                return json.loads(done.stdout)
            if time.monotonic() > until:
                raise Failed(f"admin status: exit {done.returncode}: {done.stderr}")

    def objects(self, *arguments):
        """The answer of a command that prints one JSON object a line."""
        return [json.loads(line) for line in self.check(*arguments, "--format", "json").splitlines()]


class Asker(threading.Thread):
    """Asks one question after the other until `stopped`, or until an answer is wrong.

    Subclasses have `ask(number)`, which raises Failed, and may have `finish()`. There are `pause` seconds between
    two questions, so that the machine has time for others. `waits` has when each question
    was asked, and how many seconds its answer took; `error` is empty unless an answer was wrong or did not come.
    """

    pause = 0.005

    def __init__(self, name, stopped):
        super().__init__(name=name, daemon=True)
        self.stopped, self.waits, self.error = stopped, [], ""

    def run(self):
        number = 0
        try:
            while not self.stopped.is_set():
                begun = time.monotonic()
                self.ask(number)
                self.waits.append((begun, time.monotonic() - begun))
                number += 1
                time.sleep(self.pause)
            self.finish()
        except (Failed, OSError, AssertionError, subprocess.SubprocessError) as error:
            if not self.stopped.is_set() or isinstance(error, Failed):
                self.error = f"question {number}: {error}"
                print(f"{self.name}, {self.error}", flush=True)

    def ask(self, number):
        raise NotImplementedError

    def finish(self):
        pass

    def longest(self, since=0.0, until=float("inf")):
        """Seconds of the longest wait that had begun before `until`, and ended after `since`."""
        return max((took for begun, took in self.waits if begun <= until and begun + took >= since), default=0.0)

    def report(self):
        print(f"{self.name}: {len(self.waits)} answers, longest wait {self.longest():.2f} s{self.error and ': '}"
              f"{self.error}", flush=True)
        return not self.error and bool(self.waits)


class ScriptAsker(Asker):
    """An asker with a `sippar query TARGET` of its own, to which it writes statements with one line of answer."""

    def __init__(self, name, stopped, sippar, target):
        super().__init__(name, stopped)
        self.script = subprocess.Popen([sippar.program, "query", target, "--format", "csv", "--no-header"], text=True,
                                       bufsize=1, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT)

    def answers(self, *statements):
        self.script.stdin.write("; ".join(statements) + ";\n")
        lines = [self.script.stdout.readline().strip() for _ in statements]
        if not all(lines):
            raise Failed(f"{'; '.join(statements)}: only {lines}")
        return lines

    def expect(self, statement, expected):
        found, = self.answers(statement)
        if found != expected:
            raise Failed(f"{statement}: {found!r}, expected {expected!r}")

    def finish(self):
        self.script.stdin.close()
        rest = self.script.stdout.read()
        if self.script.wait() != 0 or rest:
            raise Failed(f"exit {self.script.returncode}: {rest}")

    def kill(self):
        self.script.kill()
        self.script.wait()


class Writer(ScriptAsker):
    """Inserts rows and counts them in a counter, in table `kept`; every acknowledged round is found at the end."""

    def ask(self, number):
        for answer in self.answers(f"INSERT INTO kept ROW '{self.name}-{number:07d}' SET f:q = 'v'",
                                   f"INCREMENT kept n:c WHERE row = '{self.name}-count'"):
            if "written" not in answer:
                raise Failed(answer)

    def found_by(self, sippar, target):
        """Whether rows and counter are exactly those that were acknowledged."""
        rounds = len(self.waits)
        rows = sippar.ask(target, f"SELECT COUNT(*) FROM kept WHERE row STARTS WITH '{self.name}-0'")
        counter = sippar.ask(target, f"SELECT n:c FROM kept WHERE row = '{self.name}-count'")
        print(f"{self.name}: {rounds} rounds acknowledged, {rows} rows, counter {counter}", flush=True)
        return rows == counter == str(rounds)


def free_ports(count):
    """The first of `count` ports in a row that are free, and that the kernel gives to no other program."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
        first_given, last_given = map(int, file.read().split())
    bases = [*range(5000, first_given - count), *range(last_given + 1, 65520 - count)] or [*range(5000, 65000)]
    for base in random.sample(bases, len(bases)):
        if all(is_free(base + offset) for offset in range(count)):
            return base
    raise Failed("no free ports")


def is_free(port):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
            return True
        except OSError:
            return False


def skip_without_zookeeper():
    missing = [package for package, there in (("openjdk-17-jre-headless", shutil.which("java")),
                                              ("zookeeper", os.path.exists(JAR))) if not there]
    if missing:
        print(f"SKIPPED, NOTHING WAS TESTED: no {' and no '.join(missing)} (Debian packages; "
              "sh tests/install-packages.sh --checks)", flush=True)
        sys.exit(77)


class RandomText:
    """Text that compresses little, the same in every run; `at(number, most)` has 1 to `most` characters."""

    def __init__(self):
        chance = random.Random(18)
        self.pool = "".join(chance.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=1 << 20))

    def at(self, number, most):
        start = number * 7919 % (len(self.pool) - most)
        return self.pool[start:start + 1 + number * 31 % most]


def say(*words):
    print("==", *words, flush=True)
