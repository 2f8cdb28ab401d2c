# A cluster of processes for a test: `sippar cluster up` starts it, and whatever happens, it is killed at
# the end. Imported by cluster*_test.py.
# SPDX-License-Identifier: Apache-2.0
import os
import random
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

BINARY = ""
PORTS = 4  # the gateway's, and three of one ZooKeeper member


def free_base():
    """The first of PORTS free ports in a row that the kernel gives to no other program of this machine."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
        first_given, last_given = map(int, file.read().split())
    bases = [*range(5000, first_given - PORTS), *range(last_given + 1, 65520 - PORTS)] or [*range(5000, 65000)]
    for base in random.sample(bases, len(bases)):
        if all(is_free(base + offset) for offset in range(PORTS)):
            return base
    sys.exit("no free ports")


def is_free(port):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
            return True
        except OSError:
            return False


def has_ended(pid):
    """Whether the last thread of the process has ended; its parent need not have noticed."""
    try:
        held = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return select.select([held], [], [], 0)[0] != []
    finally:
        os.close(held)


class ClusterLab(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.directory = os.path.join(folder.name, "lab")
        self.base = free_base()
        self.gateway = f"127.0.0.1:{self.base}"
        self.target = f"zk://127.0.0.1:{self.base + 1}/local"
        self.addCleanup(self.end_all)

    def end_all(self):
        if not os.path.isdir(self.directory):
            return
        self.run_sippar("cluster", "down", self.directory, "--kill", code=None)

    def run_sippar(self, *args, code=0, env=None):
        run = subprocess.run([BINARY, *args], capture_output=True, timeout=120, stdin=subprocess.DEVNULL,
                             text=True, env={**os.environ, **(env or {})})
        if code is not None:
            self.assertEqual(run.returncode, code, f"{args}\n{run.stdout}{run.stderr}")
        return run.stdout, run.stderr

    def up(self, *args):
        out, err = self.run_sippar("cluster", "up", self.directory, *args)
        self.assertEqual(out.splitlines()[-1], f"cluster {self.target} gateway {self.gateway} ready")
        return err

    def first_up(self):
        return self.up("--servers", "2", "--masters", "2", "--members", "1", "--port", str(self.base))

    def down(self, *args):
        self.run_sippar("cluster", "down", self.directory, *args)
        self.assertEqual(os.listdir(os.path.join(self.directory, "pids")), [])

    def pids(self):
        pids = {}
        for name in os.listdir(os.path.join(self.directory, "pids")):
            with open(os.path.join(self.directory, "pids", name), encoding="ascii") as file:
                pids[name] = int(file.read())
        return pids

    def query(self, target, text):
        return self.run_sippar("query", target, "--format", "csv", "-e", text)[0].splitlines()

    def count(self, target):
        return self.query(target, "SELECT COUNT(*) FROM t")[-1]


def main():
    """Runs the tests of the calling file, or skips them where a package is missing."""
    global BINARY
    BINARY = os.path.abspath(sys.argv.pop(1))
    jar = os.environ.get("ZOOKEEPER_JAR") or "/usr/share/java/zookeeper.jar"
    missing = [package for package, there in (("openjdk-17-jre-headless", shutil.which("java")),
                                              ("zookeeper", os.path.exists(jar)),
                                              ("libzookeeper-mt-dev", "NO_ZOOKEEPER_CLIENT" not in os.environ))
               if not there]
    if missing:
        print(f"SKIPPED, NOTHING WAS TESTED: no {' and no '.join(missing)} (Debian packages; "
              "sh tests/install-packages.sh --checks)", flush=True)
        sys.exit(77)
    unittest.main()
