# `sippar admin` and SHOW COMPACTIONS: what a store says of itself.
# usage: admin_test.py SIPPAR_BINARY
# SPDX-License-Identifier: Apache-2.0
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

BINARY = ""
STATEMENTS = ("CREATE TABLE t (FAMILY f);"
              "INSERT INTO t ROW 'apple' SET f:color = 'green' AT 5;"
              "INSERT INTO t ROW 'pear' SET f:color = 'yellow' AT 6;")


class AdminTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = os.path.join(folder.name, "store")
        self.run_command("query", self.store, "-e", STATEMENTS)

    def run_command(self, *args, code=0):
        run = subprocess.run([BINARY, *args], capture_output=True, timeout=60,
                             stdin=subprocess.DEVNULL)
        self.assertEqual(run.returncode, code, run.stderr.decode())
        return run.stdout.decode() if code == 0 else run.stderr.decode()

    def store_that_was_killed(self, more=""):
        """Its log has what is in no SSTable: a clean end flushes."""
        store = self.store + ".killed"
        self.run_and_kill(store, STATEMENTS + more)
        return store

    def run_and_kill(self, store, statements):
        shell = subprocess.Popen([BINARY, "shell", store], stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        shell.stdin.write(statements + "SELECT count(*) AS rows_are FROM t;\n")
        shell.stdin.flush()
        while "rows_are" not in shell.stdout.readline():
            pass
        shell.kill()
        shell.communicate()

    def test_tablet_dump(self):
        killed = self.store_that_was_killed()
        text = self.run_command("admin", "tablet", "dump", killed, "t")
        self.assertRegex(text, r"tablet      \d+ of table t\nrows        '' .. end\n")
        self.assertIn("sequence    2 visible, 0 is the redo point\n", text)
        self.assertIn("memtable  active: 2 entries", text)
        self.run_command("admin", "compact", self.store)
        text = self.run_command("admin", "tablet", "dump", self.store, "t")
        self.assertIn("sequence    2 visible, 2 is the redo point\n", text)
        self.assertIn("1 files, clean since", text)
        self.assertIn("2 entries, 0 tombstones, 2 rows, 'apple' .. 'pear'", text)
        self.run_command("admin", "tablet", "dump", self.store, "nosuch", code=1)

    def test_sstable_dump(self):
        self.run_command("admin", "flush", self.store)
        dump = self.run_command("admin", "tablet", "dump", self.store, "t")
        file = self.store + "/sst/" + re.search(r"file +([0-9a-f]{16}\.sst)", dump).group(1)
        text = self.run_command("admin", "sstable", "dump", file)
        self.assertIn("entries     2, of these 0 tombstones, in 2 rows\n", text)
        self.assertNotIn("yellow", text)
        text = self.run_command("admin", "sstable", "dump", file, "--entries")
        self.assertIn("    apple f:color @5 #1 = 5 bytes: green\n", text)
        with open(file, "r+b") as damaged:
            damaged.write(b"\x5a")
        self.assertIn("DAMAGED", self.run_command("admin", "sstable", "dump", file))
        self.assertIn("is named by its id", self.run_command(
            "admin", "sstable", "dump", self.store + "/CLUSTER", code=1))

    def test_log_dump(self):
        self.assertFalse(glob.glob(self.store + "/wal/*/*.log"), "a clean end leaves no log")
        text = "".join(self.run_command("admin", "log", "dump", file)
                       for file in sorted(glob.glob(self.store_that_was_killed() + "/wal/*/*.log")))
        self.assertIn("apple", text)
        self.assertIn("pear", text)
        self.run_command("admin", "log", "dump", self.store + "/CLUSTER", code=1)

    def test_log_salvage(self):
        self.store = self.store_that_was_killed(
            "INSERT INTO t ROW 'plum' SET f:color = 'blue' AT 7;")
        self.assertEqual(self.run_command("admin", "log", "salvage", self.store),
                         "the log is whole\n")
        for file in glob.glob(self.store + "/wal/*/*.log"):
            with open(file, "r+b") as damaged:
                content = damaged.read()
                if b"pear" in content:
                    damaged.seek(content.index(b"pear"))
                    damaged.write(b"bear")
        select = ("query", self.store, "-e", "SELECT f:color FROM t")
        self.assertIn("admin log salvage", self.run_command(*select, code=3))
        text = self.run_command("admin", "log", "salvage", self.store)
        self.assertIn("is damaged", text)
        self.assertIn("row plum", text)
        self.assertIn("nothing was changed", text)
        self.run_command(*select, code=3)
        self.assertIn("opens again", self.run_command("admin", "log", "salvage", self.store,
                                                      "--drop"))
        text = self.run_command(*select)
        self.assertIn("green", text)
        self.assertNotIn("yellow", text)
        self.assertNotIn("blue", text)
        self.assertTrue(glob.glob(self.store + "/wal/*.salvaged"))

    def test_log_salvage_follows_tablets_through_lives(self):
        self.store = self.store_that_was_killed("CREATE TABLE u (FAMILY f);"
                                                "INSERT INTO u ROW 'x' SET f:q = 'left';")
        self.run_and_kill(self.store, "INSERT INTO t ROW 'plum' SET f:color = 'blue';"
                                      "INSERT INTO u ROW 'y' SET f:q = 'right';")
        for file in glob.glob(self.store + "/wal/*.sealed/*.log"):
            with open(file, "r+b") as damaged:
                content = damaged.read()
                if b"pear" in content:
                    damaged.seek(content.index(b"pear"))
                    damaged.write(b"bear")
        self.assertIn("admin log salvage", self.run_command("query", self.store, "-e",
                                                            "SELECT * FROM u", code=3))
        text = self.run_command("admin", "log", "salvage", self.store, "--drop")
        self.assertIn("is damaged", text)
        self.assertRegex(text, "dropped: tablet .* row plum")  # of the next life
        text = self.run_command("query", self.store, "-e", "SELECT * FROM t; SELECT * FROM u")
        for word in ("green", "left", "right"):
            self.assertIn(word, text)
        for word in ("yellow", "blue"):
            self.assertNotIn(word, text)
        self.assertEqual(self.run_command("admin", "log", "salvage", self.store),
                         "the log is whole\n")

    def test_f_d2_the_doctor_names_what_a_start_misses(self):
        self.assertIn("nothing is missing", self.run_command("admin", "doctor", self.store))
        query = ["query", self.store, "-e", "SELECT row FROM t"]
        refused = []
        for file in glob.glob(self.store + "/lock/tables+*") + glob.glob(self.store + "/sst/*.sst"):
            if not os.path.exists(file):
                continue  # compacted away by a start since
            os.rename(file, self.store + ".aside")
            start = subprocess.run([BINARY, *query], capture_output=True, timeout=60)
            if start.returncode == 0:  # nothing named it any more
                self.assertIn(b"pear", start.stdout)
                continue
            refused.append(file)
            self.assertIn(file, start.stderr.decode())
            before = sorted(glob.glob(self.store + "/**", recursive=True))
            doctor = subprocess.run([BINARY, "admin", "doctor", self.store], capture_output=True,
                                    timeout=60)
            self.assertEqual(doctor.returncode, 1)
            self.assertIn(file, doctor.stdout.decode() + doctor.stderr.decode())
            self.assertEqual(sorted(glob.glob(self.store + "/**", recursive=True)), before)
            os.rename(self.store + ".aside", file)
            self.assertIn("pear", self.run_command(*query))
        self.assertGreater(len(refused), 1)

    def test_f_d1_salvage_goes_on_without_a_log_segment_that_is_gone(self):
        store = self.store_that_was_killed()
        segment, = glob.glob(store + "/wal/*/*.log")
        os.rename(segment, store + ".aside")
        error = self.run_command("query", store, "-e", "SELECT row FROM t", code=3)
        self.assertIn(segment, error)
        self.assertIn("admin log salvage " + store, error)
        text = self.run_command("admin", "log", "salvage", store)
        self.assertIn(os.path.basename(segment) + ": is missing", text)
        self.run_command("admin", "log", "salvage", store, "--drop")
        self.run_command("query", store, "-e", "SHOW TABLES")

    def test_f_d8_the_doctor_names_foreign_files(self):
        letter = self.store + "/sst/0000000100000001.sst"
        with open(letter, "w") as file:
            file.write("a letter")
        self.assertIn(letter + ": named as an SSTable", subprocess.run(
            [BINARY, "admin", "doctor", self.store], capture_output=True).stdout.decode())
        self.run_command("query", self.store, "-e", "SELECT row FROM t")
        self.assertTrue(os.path.exists(letter))

    def test_show_compactions(self):
        text = self.run_command("query", self.store, "--format", "jsonl", "-e",
                                "INSERT INTO t ROW 'fig' SET f:color = 'blue';"
                                "SET wait = on; COMPACT TABLE t MAJOR; SHOW COMPACTIONS OF t")
        rows = [json.loads(line) for line in text.splitlines()]
        self.assertEqual([row["kind"] for row in rows], ["minor", "major"])
        self.assertEqual(rows[1]["reason"], "major: asked for")
        self.assertEqual(rows[1]["inputs"], 2)
        self.assertEqual(rows[1]["status"], "done")  # COMPACT waited for it
        self.assertGreater(rows[1]["bytes_out"], 0)
        text = self.run_command("query", self.store, "-e", "SHOW COMPACTIONS OF nosuch", code=1)
        self.assertIn("nosuch", text)

    def test_show_metrics(self):
        text = self.run_command("query", self.store, "--format", "csv", "-e",
                                "INSERT INTO t ROW 'fig' SET f:color = 'blue'; FLUSH TABLE t;"
                                "SHOW METRICS")
        values = dict(line.split(",") for line in text.splitlines()[1:])
        self.assertEqual(values["flushes"], "1")
        self.assertEqual(values["memtable_bytes"], "0")
        for name in ("block_cache_hits", "log_bytes_written", "writer_delay_us", "writer_stops"):
            self.assertIn(name, values)


if __name__ == "__main__":
    BINARY = sys.argv.pop(1)
    unittest.main()
