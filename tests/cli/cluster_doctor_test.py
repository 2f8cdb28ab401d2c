# `sippar admin doctor` on a cluster of processes: what it says when ZooKeeper's data are wiped under the
# cluster, when a server is frozen, and when no master is left. usage: cluster_doctor_test.py SIPPAR_BINARY
# SPDX-License-Identifier: Apache-2.0
import json
import os
import shutil
import signal
import subprocess
import time

import cluster_lab

MEMBERS = ("ts1", "ts2", "m1", "m2", "g1")
PATIENCE_S = 60


class ClusterDoctorTest(cluster_lab.ClusterLab):
    def setUp(self):
        super().setUp()
        self.first_up()
        self.query(self.target, "CREATE TABLE t (FAMILY f) SPLIT AT ('m')")
        self.query(self.gateway, "INSERT INTO t ROW 'a' SET f:q = '1'; INSERT INTO t ROW 'z' SET f:q = '2'")
        self.store = os.path.join(self.directory, "store")

    def await_that(self, what, is_so):
        until = time.monotonic() + PATIENCE_S
        while not is_so():
            self.assertLess(time.monotonic(), until, f"not in {PATIENCE_S} s: {what}")
            time.sleep(0.1)

    def still_running(self, pids):
        """The members of `pids` that have not ended in time."""
        until = time.monotonic() + PATIENCE_S
        running = list(pids)
        while running and time.monotonic() < until:
            time.sleep(0.1)
            running = [name for name in running if not cluster_lab.has_ended(pids[name])]
        return running

    def doctor(self, code, target=None):
        """The findings."""
        out, _ = self.run_sippar("admin", "doctor", target or self.target, "--format", "json", code=code)
        findings = [json.loads(line) for line in out.splitlines()]
        for finding in findings:
            self.assertEqual(set(finding), {"trouble", "about", "what", "why", "way_out"})
            self.assertTrue(finding["why"] and finding["way_out"], finding)
        return findings

    def one_about(self, about, code, target=None):
        found = [finding for finding in self.doctor(code, target) if finding["about"] == about]
        self.assertEqual(len(found), 1, found)
        return found[0]

    def end_zookeeper(self):
        """Kills the member. Returns what starts it again."""
        pid = self.pids()["zk1"]
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = [word.decode() for word in file.read().split(b"\0")[:-1]]
        os.kill(pid, signal.SIGKILL)
        self.await_that("the end of ZooKeeper", lambda: cluster_lab.has_ended(pid))

        def start():
            with open(os.path.join(self.directory, "log", "zk1"), "ab") as log:
                process = subprocess.Popen(words, cwd=self.directory, stdin=subprocess.DEVNULL, stdout=log,
                                           stderr=log)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            with open(os.path.join(self.directory, "pids", "zk1"), "w", encoding="ascii") as file:
                file.write(f"{process.pid}\n")
            return process

        return start

    def test_X16_zookeepers_data_are_wiped_under_the_cluster(self):
        self.assertEqual(self.doctor(0), [])
        self.assertIn("nothing is wrong", self.run_sippar("admin", "doctor", self.target)[0])
        pids = {name: pid for name, pid in self.pids().items() if name in MEMBERS}
        data = os.path.join(self.directory, "zookeeper", "1", "data", "version-2")
        start_zookeeper = self.end_zookeeper()
        os.rename(data, data + ".aside")
        zookeeper = start_zookeeper()

        # The members end by themselves and say why: within their leases, or, where ZooKeeper hangs up on a
        # session that has seen more than it has, after three.
        self.assertEqual(self.still_running(pids), [])
        for name in MEMBERS:
            with open(os.path.join(self.directory, "log", name), encoding="utf-8") as file:
                said = file.read().splitlines()[-1]
            self.assertRegex(said, "the lock service does not know this cluster any more.*admin doctor", name)

        # From the target alone it cannot be told whether there was a cluster; the directory knows.
        finding = self.one_about("cluster", 3)
        self.assertIn("wiped", finding["why"])
        self.assertIn("sippar admin doctor DIR", finding["way_out"])
        finding = self.one_about("cluster", 3, self.store)
        self.assertIn(f"ZooKeeper has lost it: {self.store} is the store of this cluster", finding["why"])
        self.assertIn("dataDir", finding["way_out"])
        self.assertIn("init and collapse cannot help", finding["way_out"])

        # What cannot help is refused, and points to the doctor.
        before = sorted(os.listdir(self.store))
        _, err = self.run_sippar("admin", "init", self.target, "--store", f"posix:{self.store}", code=3)
        self.assertIn(f"sippar admin doctor {self.store}", err)
        self.run_sippar("admin", "collapse", self.target, self.store, code=3)
        self.assertEqual(sorted(os.listdir(self.store)), before)
        self.assertIn("has lost it", self.one_about("cluster", 3, self.store)["why"])

        # The way back.
        zookeeper.kill()
        zookeeper.wait()
        shutil.rmtree(data)
        os.rename(data + ".aside", data)
        self.up()
        self.assertEqual(self.count(self.gateway), "2")
        self.run_sippar("admin", "wait", self.target, "--servers", "2", "--timeout", "60s")
        self.assertEqual(self.doctor(0), [])

    def test_what_does_not_answer_is_named(self):
        pids = self.pids()
        os.kill(pids["ts1"], signal.SIGSTOP)
        finding = [each for each in self.doctor(1) if each["what"].startswith("server ts1.")][0]
        self.assertIn("does not answer", finding["why"])
        self.assertIn(f"process {pids['ts1']} ", finding["way_out"])

        # Its tablets go to the other server, and the orders of an administrator are no trouble.
        self.run_sippar("admin", "wait", self.target, "--servers", "1", "--timeout", "60s")
        self.run_sippar("admin", "balance", self.target, "off")
        findings = self.doctor(0)
        self.assertEqual([each["trouble"] for each in findings], [False])
        self.assertIn("balancing is off", findings[0]["why"])

        for name in ("m1", "m2"):
            os.kill(pids[name], signal.SIGKILL)
        self.await_that("the end of the masters' sessions",
                        lambda: "no master runs" in "".join(each["why"] for each in self.doctor(3)))
        os.kill(pids["ts2"], signal.SIGKILL)
        self.await_that("the end of the last server's session",
                        lambda: "no tablet server runs" in "".join(each["why"] for each in self.doctor(3)))

        os.kill(pids["zk1"], signal.SIGSTOP)
        findings = self.doctor(3)
        self.assertEqual([each["about"] for each in findings], ["zookeeper", "zookeeper"])
        self.assertIn("it does not answer", findings[0]["why"])
        self.assertIn("ZooKeeper does not answer", findings[1]["why"])


if __name__ == "__main__":
    cluster_lab.main()
