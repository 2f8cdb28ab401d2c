#!/usr/bin/env python3
"""kill -9 in a loop under load: no acknowledged write may be lost, no row torn.

  kill_loop.py KILL_WRITER [--rounds N] [--dir DIR] [--seed S]

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("writer")
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--dir")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    directory = args.dir or tempfile.mkdtemp(prefix="kill_loop.")
    store = os.path.join(directory, "store")
    chance = random.Random(args.seed)
    acknowledged = {}  # row -> last value
    total = 0
    for number in range(1, args.rounds + 1):
        writer = subprocess.Popen([args.writer, "write", store, str(number)],
                                  stdout=subprocess.PIPE)
        lines = []

        def collect(stream=writer.stdout, into=lines):
            for line in stream:
                if line.endswith(b"\n"):
                    into.append(line)

        reader = threading.Thread(target=collect)
        reader.start()
        time.sleep(chance.uniform(0.02, 0.6))
        if writer.poll() is not None:
            print(f"round {number}: the writer ended by itself with {writer.returncode}")
            return 1
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        reader.join()
        for line in lines:
            row, value = line.decode().split()
            acknowledged[row] = value
        total += len(lines)
        check = subprocess.run([args.writer, "check", store], capture_output=True, text=True)
        if check.returncode != 0 and not acknowledged and "not found" in check.stderr:
            continue  # killed before the table was there
        if check.returncode != 0:
            print(f"round {number}: check failed: {check.stderr}")
            return 1
        stored = dict(line.split() for line in check.stdout.splitlines())
        for row, value in acknowledged.items():
            have = stored.get(row)
            if have == value:
                continue
            # A newer write of this round may have been durable without its answer being read.
            newer = have is not None and have.split(".")[0] == str(number) and (
                value.split(".")[0] != str(number) or
                int(have.split(".")[2]) > int(value.split(".")[2]))
            if not newer:
                print(f"round {number}: LOST {row}: acknowledged {value}, stored {have}")
                return 1
            acknowledged[row] = have
    print(f"{args.rounds} rounds of kill -9, {total} acknowledged writes, none lost")
    if not args.dir:
        shutil.rmtree(directory)
    return 0


sys.exit(main())
