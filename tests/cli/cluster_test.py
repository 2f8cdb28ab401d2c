# `sippar cluster up` and `down`: a cluster of processes that one command starts, whose processes are
# killed and started again. usage: cluster_test.py SIPPAR_BINARY SPDX-License-Identifier: Apache-2.0
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = ""
NAMES = {"zk1", "ts1", "ts2", "m1", "m2", "g1"}
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
    """A process that has ended and whose parent has not noticed has no command line."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return not file.read()
    except OSError:
        return True


class ClusterTest(unittest.TestCase):
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

    def test_up_kill_down(self):
        err = self.first_up()
        pids = self.pids()
        self.assertEqual(set(pids), NAMES)
        for name, pid in pids.items():
            self.assertIn(f"{name:<4} starts as process {pid},", err)
        self.query(self.target, "CREATE TABLE t (FAMILY f) SPLIT AT ('m')")
        self.query(self.gateway, "INSERT INTO t ROW 'a' SET f:q = '1'; INSERT INTO t ROW 'z' SET f:q = '2'")
        self.assertEqual(self.count(self.gateway), "2")
        self.assertEqual(self.count(self.target), "2")

        err = self.up()
        self.assertIn("nothing was started", err)
        self.assertEqual(self.pids(), pids)
        self.assertIn("keeps its number", self.run_sippar(
            "cluster", "up", self.directory, "--members", "3", code=3)[1])
        self.assertIn("end it first", self.run_sippar(
            "cluster", "up", self.directory, "--servers", "1", code=3)[1])

        os.kill(pids["ts1"], signal.SIGKILL)
        err = self.up()
        again = self.pids()
        self.assertNotEqual(again.pop("ts1"), pids.pop("ts1"))
        self.assertEqual(again, pids)
        self.assertEqual(self.count(self.gateway), "2")

        everything = self.pids().values()
        self.down()
        self.assertEqual([pid for pid in everything if not has_ended(pid)], [])
        self.down()

        self.up()
        self.assertEqual(set(self.pids()), NAMES)
        self.assertEqual(self.count(self.target), "2")

        # As if the machine lost its power: the next start has what was acknowledged.
        self.query(self.target, "INSERT INTO t ROW 'k' SET f:q = '3'")
        for pid in self.pids().values():
            os.kill(pid, signal.SIGKILL)
        self.up()
        self.assertEqual(self.count(self.gateway), "3")
        everything = self.pids().values()
        self.down("--kill")
        self.assertEqual([pid for pid in everything if not has_ended(pid)], [])

    def test_a_foreign_process_with_a_recorded_number_lives(self):
        self.first_up()
        self.down("--kill")
        with subprocess.Popen(["sleep", "100"]) as other:
            with open(os.path.join(self.directory, "pids", "ts1"), "w", encoding="ascii") as file:
                file.write(f"{other.pid}\n")
            self.down("--kill")
            self.assertIsNone(other.poll())
            other.kill()

    def test_what_stands_in_the_way_is_named(self):
        with socket.create_server(("127.0.0.1", self.base + 1)):
            _, err = self.run_sippar("cluster", "up", self.directory, "--port", str(self.base), code=3)
            self.assertIn(f"zk1: port {self.base + 1} of 127.0.0.1 is in use", err)
        _, err = self.run_sippar("cluster", "up", self.directory, "--port", str(self.base), code=3,
                                 env={"ZOOKEEPER_JAR": "/nonexistent/zookeeper.jar"})
        self.assertIn("apt install zookeeper", err)
        other = self.directory + ".other"
        os.mkdir(other)
        with open(os.path.join(other, "letter"), "w", encoding="ascii") as file:
            file.write("my letter\n")
        self.assertIn("holds other things", self.run_sippar("cluster", "up", other, code=3)[1])
        self.assertIn("holds no cluster", self.run_sippar("cluster", "down", other, code=3)[1])
        self.assertEqual(os.listdir(other), ["letter"])

    def test_the_log_of_what_did_not_come_is_shown(self):
        broken = os.path.join(os.path.dirname(self.directory), "broken.jar")
        with open(broken, "w", encoding="ascii") as file:
            file.write("not a jar\n")
        _, err = self.run_sippar("cluster", "up", self.directory, "--port", str(self.base), code=3,
                                 env={"ZOOKEEPER_JAR": broken})
        self.assertIn("zk1: it has ended", err)
        self.assertIn("QuorumPeerMain", err)  # the class that java did not find
        self.assertIn("sippar cluster down", err)

    def test_an_interrupted_up_says_how_to_end_what_it_started(self):
        # ZooKeeper's only member does not answer: `up` waits.
        self.first_up()
        os.kill(self.pids()["zk1"], signal.SIGSTOP)
        with subprocess.Popen([BINARY, "cluster", "up", self.directory], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as up:
            time.sleep(1)
            up.send_signal(signal.SIGINT)
            _, err = up.communicate(timeout=30)
            self.assertEqual(up.returncode, 130, err)
            self.assertIn(f"sippar cluster down {self.directory}", err)
        self.down("--kill")


if __name__ == "__main__":
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
