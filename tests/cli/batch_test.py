# `sippar query`: exit codes, where rows and messages go, formats, parameters, streams.
# usage: batch_test.py SIPPAR_BINARY
# SPDX-License-Identifier: Apache-2.0
import csv
import io
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = ""
SETUP = (
    "CREATE TABLE t (FAMILY f VERSIONS 3, FAMILY n COUNTER);"
    "INSERT INTO t ROW 'a' SET f:x = 'one' AT 1, n:c = 7 AT 1;"
    "INSERT INTO t ROW 'b' SET f:x = b'\\xff\\x00\\n', f:\"q'\\t\" = '' AT 2;"
)


class BatchTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.store = os.path.join(self.folder.name, "store")
        self.query("-e", SETUP)

    def query(self, *args, code=0, text=None, store=None):
        run = subprocess.run([BINARY, "query", store or self.store, *args], capture_output=True,
                             input=None if text is None else text.encode(), timeout=60,
                             stdin=subprocess.DEVNULL if text is None else None)
        self.assertEqual(run.returncode, code, run.stderr.decode())
        self.assertNotIn(b"\x1b", run.stdout)  # never colours in a pipe
        return run.stdout.decode(errors="surrogateescape"), run.stderr.decode()

    def test_rows_on_stdout_the_rest_on_stderr(self):
        out, err = self.query("-e", "SELECT row FROM t LIMIT 1; DELETE FROM t WHERE row = 'zz'")
        self.assertEqual(out, "row\na\n")
        self.assertIn("next: AFTER ROW 'a'", err)

    def test_exit_codes(self):
        self.query("-e", "SELECT row FROM t", code=0)
        self.query("-e", "SELCT", code=1)
        self.query("-e", "SELECT nosuch:x FROM t", code=1)
        self.query("--nonsense", code=2)
        self.query("--format", "jsno", code=2)
        self.query("-f", "/nonexistent/file", code=2)
        self.query("--param", "n:INT64=x", "-e", "SELECT 1", code=2)
        self.query("-e", "SELECT 1", store=self.store + "-none", code=3)
        self.query("--fail-on-empty", "-e", "SELECT row FROM t WHERE row = 'zz'", code=4)
        self.query("--fail-on-unapplied", "-e",
                   "UPDATE t SET f:x = 'y' WHERE row = 'a' IF f:x = 'no'", code=4)

    def test_reading_makes_no_store(self):
        path = self.store + "-new"
        self.query("-e", "SHOW TABLES", store=path, code=3)
        self.assertFalse(os.path.exists(path))
        self.query("-e", "CREATE TABLE u (FAMILY f)", store=path)
        self.assertTrue(os.path.isdir(path))

    def test_first_error_ends_the_script(self):
        script = "SELECT 'one';\nSELECT 'two';\nSELCT;\nSELECT 'four';\nSELECT 'five';\n"
        out, err = self.query("--no-header", text=script, code=1)
        self.assertEqual(out, "one\ntwo\n")
        self.assertIn("error SYNTAX: stdin:3:1: unexpected 'SELCT'", err)
        self.assertIn("did you mean SELECT?", err)
        out, _ = self.query("--no-header", "--keep-going", text=script, code=1)
        self.assertEqual(out, "one\ntwo\nfour\nfive\n")

    def test_neighbouring_inserts_are_sent_together_and_fail_by_line(self):
        lines = ["CREATE TABLE m (FAMILY f VERSIONS 9, FAMILY g);"]
        for i in range(2500):
            lines.append(f"INSERT INTO m ROW 'r{i % 2000:04d}' SET f:q = '{i}';")
        lines.append("INSERT INTO m (ROW, f:q, g:q) VALUES ('s1', 'a;b', 'x'), ('s2', 'it''s', NULL);")
        lines.append("INSERT INTO m ROW 's1' SET f:q = 'again' IF g:q = 'x';")
        lines.append("INSERT INTO t ROW 'c' SET f:x = 'three' AT 3;")
        lines.append("SELECT COUNT(*) FROM m; SELECT f:q FROM m WHERE row LIKE 's%';")
        out, err = self.query("--no-header", text="\n".join(lines))
        self.assertEqual(out, "2002\nagain\nit's\n")
        self.assertEqual(err.count("1 row, 1 cell written\n"), 2501)
        self.assertIn("2 rows, 3 cells written\napplied: true, 1 row\n1 row, 1 cell written\n", err)
        # Each INSERT has a time of its own, also two of one row that come one after the other.
        out, _ = self.query("--no-header", "-e", "SELECT CELLS * FROM m VERSIONS ALL WHERE row < 'r0500'")
        self.assertEqual(len(out.splitlines()), 1000)
        lines = ["INSERT INTO m ROW 'v' SET f:q = '1';", "INSERT INTO m ROW 'v' SET f:q = '2';",
                 "INSERT INTO m ROW 'w' SET f:q = '3',", "  nosuch:q = '4';",
                 "INSERT INTO m ROW 'x' SET f:q = '5';"]
        _, err = self.query("-f", "-", text="\n".join(lines), code=1)
        self.assertIn("1 row, 1 cell written\n1 row, 1 cell written\nerror UNKNOWN_FAMILY: stdin:4:3:", err)
        read = "SELECT row, f:q FROM m VERSIONS ALL WHERE row > 't'"
        self.assertEqual(self.query("--no-header", "-e", "SELECT CELLS f:q FROM m VERSIONS ALL WHERE row > 't'")[0].count("\n"), 2)
        _, err = self.query("--keep-going", text="\n".join(lines), code=1)
        self.assertEqual(err.count("1 row, 1 cell written"), 3)
        self.assertIn("\nx\t", self.query("-e", read)[0])
        # The tablet's server refuses a row: the error names the statement that wrote it.
        lines = ["INSERT INTO m ROW 'y' SET f:q = '1';", "INSERT INTO m ROW '" + "z" * 70_000 + "' SET f:q = '2';",
                 "INSERT INTO m ROW 'z' SET f:q = '3'"]
        _, err = self.query(text="\n".join(lines), code=1)
        self.assertIn("stdin:2:", err)

    def test_the_last_statement_may_be_an_insert_that_ran_with_others(self):
        def insert(row, rest="SET f:x = 'new'"):
            return f"INSERT INTO t ROW '{row}' {rest}"
        delete = "DELETE FROM t WHERE row = 'a'"
        # Alone, with others, one of another kind after them, one that fails.
        for inserts, code in (([insert("a")], 0), ([insert("b"), insert("a")], 0),
                              ([insert("b"), insert("a", "SET f:x = 'new' IF f:x = 'no'")], 0),
                              ([insert("a"), insert("b", "SET nosuch:q = ''")], 1)):
            script = ";\n".join([delete, *inserts]) + ";\n"
            with self.subTest(inserts=inserts):
                out, _ = self.query("--keep-going", text=script + "\\p\n", code=code)
                self.assertEqual(out, inserts[-1] + "\n")
        # \g must not run the DELETE again.
        out, _ = self.query("--no-header", text=f"{delete};\n{insert('b')};\n{insert('a')};\n\\g\n"
                                                "SELECT f:x FROM t WHERE row = 'a';\n")
        self.assertEqual(out, "new\n")

    def test_a_row_transaction_holds_back_each_insert(self):
        out, _ = self.query("--no-header", "-e", "BEGIN ROW t 'a'; INSERT INTO t ROW 'a' SET f:x = '2';"
                            "INSERT INTO t ROW 'a' SET f:x = '3'; SELECT f:x FROM t WHERE row = 'a';"
                            "ROLLBACK; SELECT f:x FROM t WHERE row = 'a'")
        self.assertEqual(out, "3\none\n")

    def test_pieces_run_in_order(self):
        path = os.path.join(self.folder.name, "script.sql")
        with open(path, "w", encoding="utf-8") as script:
            script.write("\ufeff#! shebang line\r\n-- comment ;\r\nSELECT 'file';\r\n")
        out, _ = self.query("--no-header", "-e", "SELECT 'first'", "-f", path, "-e",
                            "SELECT 'last'")
        self.assertEqual(out, "first\nfile\nlast\n")

    def test_parameters_are_values(self):
        out, _ = self.query("--no-header", "--param", "k=a", "--param", "n:INT64=5", "-e",
                            "SELECT row, @n + 1 FROM t WHERE row = @k")
        self.assertEqual(out, "a\t6\n")
        out, _ = self.query("--no-header", "--param", "k=a' OR TRUE OR row = '", "-e",
                            "SELECT row FROM t WHERE row = @k")
        self.assertEqual(out, "")

    def test_formats(self):
        out, _ = self.query("--format", "csv", "-e", "SELECT CELLS * FROM t")
        records = list(csv.reader(io.StringIO(out)))
        self.assertEqual(records[0], ["row", "column", "timestamp", "value"])
        self.assertEqual(len(records), 5)
        out, _ = self.query("--format", "json", "-e", "SELECT row, n:c FROM t LIMIT 1")
        document = json.loads(out)
        self.assertEqual(document["rows"], [["a", 7]])
        self.assertIn("AFTER ROW", document["next"])
        out, _ = self.query("--format", "jsonl", "-e", "SELECT row, f:* FROM t WHERE row = 'a'")
        self.assertEqual(json.loads(out)["f:*"], {"x": "one"})

    def test_insert_format_makes_an_equal_table(self):
        dump, _ = self.query("--format", "insert", "-e", "SELECT CELLS * FROM t VERSIONS ALL")
        copy = self.store + "-copy"
        self.query(store=copy, text="CREATE TABLE t (FAMILY f VERSIONS 3, FAMILY n COUNTER);" + dump)
        for path in (self.store, copy):
            cells, _ = self.query("--format", "cells", "-e", "SELECT CELLS * FROM t VERSIONS ALL",
                                  store=path)
            if path == self.store:
                first = cells
        self.assertEqual(first, cells)

    def test_json_errors(self):
        _, err = self.query("--format", "json", "-e", "SELECT 1;\nSELCT", code=1)
        error = json.loads(err.splitlines()[-1])
        self.assertEqual((error["code"], error["line"], error["column"]), ("SYNTAX", 2, 1))

    def test_open_transaction_at_the_end(self):
        _, err = self.query("-e", "BEGIN ROW t 'a'; UPDATE t SET f:x = 'no' WHERE row = 'a'", code=1)
        self.assertIn("OPEN_TRANSACTION", err)
        out, _ = self.query("--no-header", "-e", "SELECT f:x FROM t WHERE row = 'a'")
        self.assertEqual(out, "one\n")

    def test_statements_run_as_they_come(self):
        with subprocess.Popen([BINARY, "query", self.store, "--no-header"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as run:
            run.stdin.write(b"SELECT 'early';\nSELECT\n")
            run.stdin.flush()
            self.assertEqual(run.stdout.readline(), b"early\n")
            run.stdin.write(b"'late';\n")
            run.stdin.flush()
            self.assertEqual(run.stdout.readline(), b"late\n")
            run.stdin.close()
            self.assertEqual(run.wait(10), 0)

    def test_interrupt_and_closed_pipe(self):
        with subprocess.Popen([BINARY, "query", self.store, "--no-header"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as run:
            run.stdin.write(b"SELECT 'ready';\n")
            run.stdin.flush()
            self.assertEqual(run.stdout.readline(), b"ready\n")
            time.sleep(0.1)  # it waits for the next statement
            run.send_signal(signal.SIGINT)
            self.assertEqual(run.wait(10), 130)
        fill = ", ".join(f"('r{i:05}', '{'x' * 200}')" for i in range(5000))
        self.query(text=f"INSERT INTO t (ROW, f:x) VALUES {fill};")
        with subprocess.Popen([BINARY, "query", self.store, "-e", "SELECT row, f:x FROM t"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            run.stdout.readline()
            run.stdout.close()
            self.assertEqual(run.wait(20), 141)

    def test_a_reader_that_stopped_reading_holds_back_neither_timeout_nor_interrupt(self):
        fill = ", ".join(f"('r{i:05}', '{'x' * 200}')" for i in range(5000))
        self.query(text=f"INSERT INTO t (ROW, f:x) VALUES {fill};")
        for args, sent, code in ((["--timeout", "1s"], None, 5), ([], signal.SIGINT, 130)):
            with subprocess.Popen([BINARY, "query", self.store, *args, "-e", "SELECT row, f:x FROM t"],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
                run.stdout.readline()  # the pipe fills up from now on
                if sent:
                    time.sleep(0.5)
                    run.send_signal(sent)
                self.assertEqual(run.wait(10), code)  # a second or less where the machine is idle

    def test_interrupt_ends_one_search_in_one_value(self):
        letters = random.Random(7)
        text = "".join(letters.choices("xz", k=2 << 20))
        with subprocess.Popen([BINARY, "query", self.store], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
            run.stdin.write(f"SELECT REGEXP_MATCH('{text}', 'x.{{900}}y');".encode())
            run.stdin.close()
            time.sleep(2)
            run.send_signal(signal.SIGINT)
            start = time.monotonic()
            try:
                code = run.wait(20)
            finally:
                run.kill()
            self.assertEqual(code, 130, run.stderr.read())
            self.assertLess(time.monotonic() - start, 3)

    def test_program(self):
        def run(*args):
            return subprocess.run([BINARY, *args], capture_output=True, timeout=20)
        self.assertEqual(run("--version").returncode, 0)
        self.assertEqual(run().returncode, 2)
        unknown = run("qurey")
        self.assertEqual(unknown.returncode, 2)
        self.assertIn(b"did you mean query?", unknown.stderr)
        for command in ("query", "shell"):
            shown = run(command, "--help")
            self.assertEqual(shown.returncode, 0)
            self.assertIn(b"examples:", shown.stdout)


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
