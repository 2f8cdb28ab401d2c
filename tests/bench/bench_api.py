#!/usr/bin/env python3
"""The Go client against `sippar serve` and against Google's reference emulator (in memory, not
durable), one after the other on a quiet machine: a second's operations, server CPU of one, and the
ratio of the two.

  bench_api.py SIPPAR [--only sippar|emulator] [--rounds N]      (default: 3, the median is shown)

Needs Go and its module proxy. Stores lie under the current directory, whose disk is measured, too.
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "sippar-bench")
WORKLOADS = ["bulk", "write", "read", "scan", "rmw", "cam"]
TITLES = {"bulk": "bulk write, 4 clients, 100 rows a call", "write": "random write, 16 clients",
          "read": "random read, 16 clients", "scan": "scan, 4 clients",
          "rmw": "read-modify-write, 4 clients", "cam": "check-and-mutate, 4 clients"}


def build():
    folder = os.path.join(CACHE, "go")
    shutil.copytree(os.path.join(HERE, "..", "clients", "go"), folder, dirs_exist_ok=True)
    for name, package in (("api_load", "./load"), ("emulator", "cloud.google.com/go/bigtable/cmd/emulator")):
        subprocess.run(["go", "build", "-o", name, package], cwd=folder, check=True)
    return os.path.join(folder, "api_load"), os.path.join(folder, "emulator")


class Server:
    """A server that answers, and how long that took it."""

    def __init__(self, argv, ready):
        start = time.monotonic()
        self.process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self.process.stdout:
            if ready(line):
                break
        else:
            sys.exit(f"{argv[0]} did not start")
        self.address = ready(line)
        self.start_s = time.monotonic() - start

    def memory_mb(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.stdout.read()
        self.process.wait()


def address_in(line):
    """The first HOST:PORT of a line."""
    for word in line.replace("=", " ").split():
        host, _, port = word.rpartition(":")
        if host and port.isdigit():
            return word
    return None


def run(load, make_server):
    server = make_server()
    print(f"  first answer after {server.start_s * 1000:.0f} ms, {server.memory_mb():.0f} MB idle", end="")
    figures = {}
    for name in WORKLOADS:
        output = subprocess.run([load, name, str(server.process.pid)], check=True, text=True,
                                stdout=subprocess.PIPE,
                                env=dict(os.environ, BIGTABLE_EMULATOR_HOST=server.address)).stdout
        figures[name] = [float(field) for field in output.split("\t")[1:]]
    print(f", {server.memory_mb():.0f} MB at the end", flush=True)
    server.stop()
    return figures


def medians(rounds):
    return {name: [statistics.median(r[name][i] for r in rounds) for i in range(4)] for name in WORKLOADS}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sippar")
    parser.add_argument("--only", choices=["sippar", "emulator"])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    load, emulator = build()

    def sippar():
        directory = tempfile.mkdtemp(prefix="bench_api.", dir=".")
        made.append(directory)
        return Server([os.path.abspath(options.sippar), "serve", directory, "--listen", "127.0.0.1:0"], address_in)

    made = []
    servers = {"emulator": lambda: Server([emulator, "-port", "0"], address_in), "sippar": sippar}
    results = {name: [] for name in servers if options.only in (None, name)}
    try:
        for _ in range(options.rounds):
            for name, rounds in results.items():
                print(name)
                rounds.append(run(load, servers[name]))
    finally:
        for directory in made:
            shutil.rmtree(directory, ignore_errors=True)
    of = {name: medians(rounds) for name, rounds in results.items()}
    for name in WORKLOADS:
        print(TITLES[name])
        for who, figures in of.items():
            a_second, cpu, p50, p99 = figures[name]
            print(f"  {who:<9}{a_second:>11,.0f} /s {cpu:>8.2f} us of server CPU each, call p50 {p50:,.0f} us, p99 {p99:,.0f} us")
        if len(of) == 2:
            print(f"  ratio    {of['sippar'][name][0] / of['emulator'][name][0]:>11.2f}")


if __name__ == "__main__":
    main()
