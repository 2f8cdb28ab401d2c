# `sippar cluster up` and `down`: a cluster of processes that one command starts, whose processes are
# killed and started again. usage: cluster_test.py SIPPAR_BINARY
# SPDX-License-Identifier: Apache-2.0
import json
import os
import re
import signal
import socket
import subprocess
import time

import cluster_lab

NAMES = {"zk1", "ts1", "ts2", "m1", "m2", "g1"}


class ClusterTest(cluster_lab.ClusterLab):
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
        self.assertEqual([pid for pid in everything if not cluster_lab.has_ended(pid)], [])
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
        self.assertEqual([pid for pid in everything if not cluster_lab.has_ended(pid)], [])

    def start_with_lease(self, lease_s):
        """The process of a third tablet server with this lease, to which a tablet of two rows' table was moved."""
        self.first_up()
        self.query(self.target, "CREATE TABLE t (FAMILY f) SPLIT AT ('m'); INSERT INTO t ROW 'a' SET f:q = '1'; "
                                "INSERT INTO t ROW 'z' SET f:q = '2'")
        words = ["serve", "--cluster", self.target, "--roles", "tabletserver", "--name", "ts3",
                 "--listen", "127.0.0.1:0", "--lease", f"{lease_s}s"]
        server = subprocess.Popen([cluster_lab.BINARY, *words], stdout=subprocess.PIPE, text=True)
        for clean_up in (server.stdout.close, server.wait, server.kill):  # called in the opposite order
            self.addCleanup(clean_up)
        self.assertIn("serving", server.stdout.readline())
        self.query(self.target, "MOVE TABLET OF t ROW 'a' TO 'ts3'")
        return server

    def test_L17_a_frozen_server_that_was_removed_is_killed_so_nobody_waits_for_its_lease(self):
        lease_s = 55
        server = self.start_with_lease(lease_s)
        server.send_signal(signal.SIGSTOP)
        begun = time.monotonic()
        self.run_sippar("admin", "wait", self.target, "--servers", "2", "--timeout", f"{lease_s}s")
        self.assertEqual(self.count(self.target), "2")
        self.assertLess(time.monotonic() - begun, 45)
        self.assertEqual(server.wait(20), -signal.SIGKILL)

    def test_L16_a_killed_server_is_recovered_long_before_its_session_ends(self):
        lease_s = 50
        server = self.start_with_lease(lease_s)
        server.kill()
        begun = time.monotonic()
        self.assertEqual(self.count(self.target), "2")
        self.run_sippar("admin", "wait", self.target, "--servers", "2", "--timeout", f"{lease_s}s")
        self.assertLess(time.monotonic() - begun, lease_s / 2)

    def test_a_gateway_alone_is_open_to_all_only_by_insecure_network(self):
        self.first_up()
        self.query(self.target, "CREATE TABLE t (FAMILY f); INSERT INTO t ROW 'a' SET f:q = '1'")
        words = ["serve", "--cluster", self.target, "--roles", "gateway", "--name", "g2", "--wire", "0.0.0.0:0",
                 "--listen", "0.0.0.0:0"]
        _, err = self.run_sippar(*words, code=1)
        self.assertIn("'0.0.0.0:0' can be reached from other machines", err)
        self.assertIn("--insecure-network", err)
        with subprocess.Popen([cluster_lab.BINARY, *words, "--insecure-network"], stdout=subprocess.PIPE,
                              text=True) as server:
            try:
                addresses = re.findall(r"0\.0\.0\.0:(\d+)", server.stdout.readline())
                self.assertEqual(len(addresses), 2)
                for port in addresses:
                    self.assertEqual(self.count(f"127.0.0.1:{port}"), "1")
            finally:
                server.terminate()

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
        with subprocess.Popen([cluster_lab.BINARY, "cluster", "up", self.directory], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as up:
            time.sleep(1)
            up.send_signal(signal.SIGINT)
            _, err = up.communicate(timeout=30)
            self.assertEqual(up.returncode, 130, err)
            self.assertIn(f"sippar cluster down {self.directory}", err)
        self.down("--kill")

    def test_tablets_move_by_statements(self):
        self.first_up()
        self.query(self.target, "CREATE TABLE t (FAMILY f) SPLIT AT ('m'); BALANCE OFF")
        self.query(self.target, "INSERT INTO t ROW 'a' SET f:q = '1'")
        for server in ("ts1", "ts2", "ts1"):
            self.query(self.gateway, f"MOVE TABLET OF t ROW 'a' TO '{server}'")
            tablets = self.run_sippar("admin", "tablets", self.target, "t", "--format", "json")[0]
            first = json.loads(tablets.splitlines()[0])
            self.assertEqual(first["server"].split(".")[0], server)
            self.assertEqual(self.count(self.gateway), "1")
        self.assertEqual(self.run_sippar("admin", "balance", self.target)[0], "balancing is off\n")
        self.query(self.gateway, "BALANCE ON; BALANCE")
        self.assertEqual(self.run_sippar("admin", "balance", self.target)[0], "balancing is on\n")
        _, err = self.run_sippar("query", self.target, "-e", "MOVE TABLET OF t ROW 'a' TO 'ts9'", code=1)
        self.assertIn("server ts9 not found (live servers: ts1.", err)

    def id_of(self, target, pid):
        """The id of the statement that the process runs; waits until it is listed."""
        for _ in range(100):
            out = self.run_sippar("query", target, "--format", "jsonl", "-e", "SHOW QUERIES OF t")[0]
            for line in map(json.loads, out.splitlines()):
                if line["pid"] == pid:
                    return line["query"]
            time.sleep(0.1)
        self.fail("the statement is not listed")

    def test_a_statement_is_cancelled_from_another_way_in(self):
        self.first_up()
        self.query(self.target, "CREATE TABLE t (FAMILY f) WITH (CHANGE_STREAM = 1d) SPLIT AT ('m')")
        for target, other in ((self.gateway, self.target), (self.target, self.gateway)):
            with subprocess.Popen([cluster_lab.BINARY, "query", target, "-e", "TAIL t"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as tail:
                statement = self.id_of(other, tail.pid)
                # One of the two reigns. The next one learns what runs from the next reports.
                for master in ("m1", "m2"):
                    os.kill(self.pids()[master], signal.SIGKILL)
                    self.up()
                    self.assertEqual(self.id_of(other, tail.pid), statement)
                _, said = self.run_sippar("query", other, "-e", f"CANCEL '{statement}'")
                self.assertIn(f"ended {statement} of process {tail.pid} on ", said)
                _, err = tail.communicate(timeout=60)
                self.assertEqual(tail.returncode, 1, err)
                self.assertIn(f"error CANCELLED: cancelled by CANCEL '{statement}' of process ", err)


if __name__ == "__main__":
    cluster_lab.main()
