#!/usr/bin/env python3
"""Kills a real process at every named crash point of the sources, and again while it recovers.

  kill_walk.py WALK_LIFE                        every point once, and many pairs on the way
  kill_walk.py WALK_LIFE --full                 every point, and every pair that can happen
  kill_walk.py WALK_LIFE --random --minutes 30  kills at random points and times

A walk is made of chains: one store, killed again and again; each life recovers from the kill before,
compares everything with what was acknowledged, works, and is killed in its turn, in recovery or later.
So neighbours in a chain are a pair. Each life says which points it passed, and so what only a kill
leads to is found. A point that no life passes fails the walk: it is not tested.
--jobs chains at once, --seed, --dir keeps the stores.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import concurrent.futures
import itertools
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
SOURCES = [os.path.join(ROOT, folder) for folder in ("engine", "cluster")]
POINT = re.compile(r'CRASH_POINT\("([^"]+)"\)')
# A cluster of one sorts no logs: tests/engine/log/sealed_log_test.cc dies at any two of these.
# Nor is it made or carried: tests/cluster/node/{make_cluster,carry}_test.cc.
OF_OTHER_WALKS = ("sort.", "init.", "carry.", "collapse.")
KILLED = (137, -9)
HANGS_SECONDS = 90
CHAIN_KILLS = 20
LEADS_TRIED = 8
LONG_LIFE_SECONDS = 40  # for what a process does only after some time; it sweeps each 15 s


class Failure(Exception):
    pass


def find_points():
    points = set()
    for folder, _, names in itertools.chain(*map(os.walk, SOURCES)):
        for name in names:
            if name.endswith((".cc", ".h")):
                with open(os.path.join(folder, name), encoding="utf-8") as f:
                    points.update(POINT.findall(f.read()))
    return sorted(p for p in points if not p.startswith(OF_OTHER_WALKS))


class Chain:
    """One store through its lives."""

    def __init__(self, walk, seed):
        self.walk = walk
        self.seed = seed
        self.directory = tempfile.mkdtemp(prefix=f"{seed}.", dir=walk.directory)
        self.history = []
        self.last_kill = None

    def live(self, mode="", point=None, kill_after=None):
        """One life; the exit code, of which only a kill or 0 returns. self.passed says how often it
        passed each point, unless it was killed at a time."""
        number = len(self.history) + 1
        self.history.append(point or (f"{kill_after:.3f} s" if kill_after else mode or "-"))
        passages = os.path.join(self.directory, f"passages.{number}")
        env = dict(os.environ, WALK_PASSAGES=passages)
        if point:
            env["WALK_KILL"] = point
        command = [self.walk.program, self.directory, str(self.seed), str(number)] + mode.split()
        process = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, text=True)
        try:
            _, errors = process.communicate(timeout=kill_after or HANGS_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            _, errors = process.communicate()
            if not kill_after:
                raise Failure(self.story(f"hangs: {' '.join(command)}"))
        if process.returncode != 0 and process.returncode not in KILLED:
            raise Failure(self.story(f"exit {process.returncode}: {' '.join(command)}\n{errors}"))
        self.passed = {}
        if process.returncode >= 0 and os.path.exists(passages):
            with open(passages, encoding="ascii") as f:
                self.passed = {p: int(n) for p, n in (line.split() for line in f)}
        self.walk.note_passed(self.last_kill, self.passed)
        self.last_kill = None
        return process.returncode

    def story(self, what):
        return f"chain {self.directory}, lives: {', '.join(self.history)}\n{what}"

    def kill_at(self, point, passage=1, mode=""):
        """False: the life never passed the point so often, and ended by itself."""
        before = self.last_kill
        killed = self.live(mode, f"{point}:{passage}") != 0
        self.walk.note(before if killed else None, point if killed else None)
        self.last_kill = point if killed else None
        return killed

    def finish(self):
        """Twice: a recovery that ends well leaves a store that opens again."""
        for _ in range(2):
            if self.live("check") != 0:
                raise Failure(self.story("killed, but not by us"))
        acknowledged = 0
        with open(os.path.join(self.directory, "journal"), encoding="ascii") as journal:
            for line in journal:
                if line.startswith("a "):
                    acknowledged += int(line.split()[2])
        self.walk.count(acknowledged, len(self.history))
        if not self.walk.keep:
            shutil.rmtree(self.directory)


class Walk:
    def __init__(self, args):
        self.program = os.path.abspath(args.program)
        self.keep = args.dir is not None
        memory = os.environ.get("SIPPAR_TEST_MEMORY")  # a kill loses no page
        if memory is None and os.access("/dev/shm", os.W_OK):
            memory = "/dev/shm"
        self.directory = args.dir or tempfile.mkdtemp(prefix="kill_walk.", dir=memory)
        os.makedirs(self.directory, exist_ok=True)
        self.jobs = args.jobs
        self.chance = random.Random(args.seed)
        self.lock = threading.Lock()
        self.stop = threading.Event()
        self.kills = 0
        self.lives = 0
        self.acknowledged = 0
        self.points = set()
        self.pairs = set()
        self.leads = {}  # of each point that a life passed after a kill: the points of these kills

    def note_passed(self, before, passed):
        with self.lock:
            for point in passed:
                leads = self.leads.setdefault(point, set())
                if before is not None:
                    leads.add(before)

    def note(self, before, point):
        if point is None:
            return
        with self.lock:
            self.kills += 1
            self.points.add(point)
            if before is not None:
                self.pairs.add((before, point))

    def count(self, acknowledged, lives):
        with self.lock:
            self.acknowledged += acknowledged
            self.lives += lives

    def chain(self):
        with self.lock:
            return Chain(self, self.chance.randrange(1 << 30))

    def choose(self, points):
        with self.lock:
            return self.chance.choice(points)

    def draw(self, limit):
        with self.lock:
            return self.chance.randint(1, max(1, limit))

    def profile(self):
        """Passages of each point in a store's first life, and the fewest in later ones."""
        chain = self.chain()
        counts = []
        for _ in range(4):
            chain.live()
            counts.append(chain.passed)
        chain.finish()
        first, later = counts[0], counts[1:]
        self.passages = {p: min(c.get(p, 0) for c in later) for p in set(first).union(*later)}
        self.always = sorted(p for p, n in self.passages.items() if n > 0)
        self.at_birth = sorted(p for p in first if not any(p in c for c in later))
        self.in_first_life = set(first)

    def run_all(self, plans, walk_plan):
        """Every plan, several at once; the first failure ends it."""
        def guarded(plan):
            if self.stop.is_set():
                return
            try:
                walk_plan(plan)
            except BaseException:
                self.stop.set()
                raise
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for future in [pool.submit(guarded, plan) for plan in plans]:
                future.result()

    def walk_kills(self, kills):
        """A chain of points at drawn passages."""
        chain = self.chain()
        for point in kills:
            # Not the last passages: there may be fewer this time.
            if not chain.kill_at(point, self.draw(self.passages.get(point, 0) * 2 // 3)):
                chain.kill_at(point)
        chain.finish()

    def walk_pair(self, pair, tries=4, leads=None):
        """A pair at first passages, behind one of `leads`, until it comes to pass."""
        for _ in range(tries):
            chain = self.chain()
            path = ([self.choose(leads)] if leads else []) + list(pair)
            all(chain.kill_at(point) for point in path)  # up to the first that is not passed
            chain.finish()
            if pair in self.pairs:
                return

    def walk_long_life(self, point):
        """A point that a process comes to only after some time."""
        chain = self.chain()
        code = chain.live("repeat", f"{point}:1", kill_after=LONG_LIFE_SECONDS)
        if code == 137:
            self.note(None, point)
        chain.finish()


def circuit(points, chance):
    """A cycle with every ordered pair of points, equal ones too, as neighbours (Hierholzer)."""
    left = {p: chance.sample(points, len(points)) for p in points}
    path, stack = [], [points[0]]
    while stack:
        if left[stack[-1]]:
            stack.append(left[stack[-1]].pop())
        else:
            path.append(stack.pop())
    return path[::-1]


def cut(path, size):
    """Pieces that share their ends, so that no pair is cut."""
    return [path[i:i + size + 1] for i in range(0, len(path) - 1, size)]


def walk_points(walk, points):
    """Each point once; what only a kill leads to, after a kill that did so before."""
    walk.run_all(cut(walk.chance.sample(walk.always, len(walk.always)), CHAIN_KILLS // 2),
                 walk.walk_kills)
    walk.run_all([[p, walk.chance.choice(walk.always)] for p in walk.at_birth], walk.walk_kills)
    after_kills = [p for p in points if p not in walk.always and p not in walk.at_birth]
    # Those of the profile, too: on a busy machine only the first life may have passed a point, because
    # it lost its lease, and then the point is taken for one of a store's birth.
    rest = [p for p in points if p not in walk.points]
    walk_led(walk, rest)
    walk.run_all([p for p in rest if p not in walk.points], walk.walk_long_life)
    missing = [p for p in rest if p not in walk.points]
    look_after_each_kill(walk, missing)
    walk_led(walk, missing)
    return [p for p in after_kills if walk.leads.get(p)]


def walk_led(walk, points):
    """Each point after some of the kills that are known to lead to it. What is left of a log may go
    only at the second start after a kill, so another kill comes before these, too."""
    def one(point):
        leads = sorted(walk.leads.get(point, ()))
        for before in leads[::1 + len(leads) // LEADS_TRIED]:
            for more_leads in (None, walk.always):
                if point not in walk.points:
                    walk.walk_pair((before, point), tries=1, leads=more_leads)
    walk.run_all(points, one)


def look_after_each_kill(walk, wanted):
    """A whole life after a kill at each point, until kills are known that lead to all `wanted`."""
    def one(point):
        if all(walk.leads.get(p) for p in wanted):
            return
        chain = walk.chain()
        chain.kill_at(point)
        chain.live()
        chain.finish()
    walk.run_all(walk.chance.sample(walk.always, len(walk.always)), one)


def walk_pairs(walk, points):
    after_kills = walk_points(walk, points)
    walk.run_all(cut(circuit(walk.always, walk.chance), CHAIN_KILLS), walk.walk_kills)
    wanted = set(itertools.product(walk.always, repeat=2))
    # Behind another life: only that leaves a log to replay.
    walk.run_all(sorted(wanted - walk.pairs),
                 lambda pair: walk.walk_pair(pair, tries=8, leads=walk.always))
    # A store that was not made yet has no log.
    births = set(itertools.product(walk.at_birth, sorted(walk.in_first_life)))
    walk.run_all(sorted(births - walk.pairs), walk.walk_pair)
    # What only a kill leads to is passed after some points and not after others.
    maybe = set(itertools.product(walk.always, after_kills))
    walk.run_all(sorted(maybe - walk.pairs), lambda pair: walk.walk_pair(pair, tries=1))
    leads = {p: sorted(b for b, q in walk.pairs if q == p and b in walk.always) for p in after_kills}
    led = set(itertools.product([p for p in after_kills if leads[p]], walk.always))
    walk.run_all(sorted(led - walk.pairs),
                 lambda pair: walk.walk_pair(pair, tries=20, leads=leads[pair[0]]))
    wanted |= births | led
    missed = sorted(wanted - walk.pairs)
    if missed:
        raise Failure(f"pairs that no life came to: {missed}")
    print(f"{len(walk.pairs)} pairs; not passed after the other: "
          f"{len(maybe - walk.pairs)} with {', '.join(after_kills) or 'nothing'}")


def walk_random(walk, minutes):
    deadline = time.monotonic() + 60 * minutes
    figures = {"points": 0, "times": 0}

    def one(seed):
        chance = random.Random(seed)
        chain = walk.chain()
        for _ in range(chance.randint(5, CHAIN_KILLS)):
            if walk.stop.is_set() or time.monotonic() > deadline:
                break
            kind, point = "times", None
            if chance.random() < 0.5:
                point = chance.choice(walk.always)
                passage = chance.randint(1, 3 * walk.passages[point])
                kind, point = "points", f"{point}:{passage}"
            code = chain.live("repeat", point, kill_after=chance.uniform(0.01, 1.5) if not point
                              else chance.uniform(1, 4))
            with walk.lock:
                figures["points" if code == 137 else "times"] += 1
                walk.kills += 1
        chain.finish()

    def seeds():
        while time.monotonic() < deadline and not walk.stop.is_set():
            yield walk.draw(1 << 30)

    walk.run_all(range(walk.jobs), lambda _: [one(seed) for seed in seeds()])
    print(f"random walk, {minutes} minutes: {walk.lives} lives, {walk.kills} kills "
          f"({figures['points']} at points, {figures['times']} at random times), "
          f"{walk.acknowledged} acknowledged writes, 0 lost")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--random", action="store_true")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--dir")
    args = parser.parse_args()
    walk = Walk(args)
    points = find_points()
    began = time.monotonic()
    try:
        walk.profile()
        if args.random:
            walk_random(walk, args.minutes)
        else:
            (walk_pairs if args.full else walk_points)(walk, points)
            missed = sorted(set(points) - walk.points)
            if missed:
                raise Failure(f"points that no life passed: {', '.join(missed)}")
            print(f"{len(points)} crash points, {len(walk.pairs)} pairs: {walk.lives} lives, "
                  f"{walk.kills} kills, {walk.acknowledged} acknowledged writes, 0 lost, "
                  f"{time.monotonic() - began:.0f} s")
    except Failure as failure:
        print(f"FAILED (seed {args.seed}): {failure}")
        return 1
    if not args.dir:
        shutil.rmtree(walk.directory)
    return 0


sys.exit(main())
