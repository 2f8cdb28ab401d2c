# Files in and out of the program: outputs that appear whole or not at all, packed files, bytes and
# numbers that come back, dialects of csv, failed imports that say how to go on.
# usage: files_test.py SIPPAR_BINARY
# SPDX-License-Identifier: Apache-2.0
import gzip
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest

BINARY = ""


class FilesTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.store = self.path("store")
        self.run_sippar("query", self.store, "-e", "CREATE TABLE t (FAMILY f, FAMILY n COUNTER)")

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as f:
            f.write(content if isinstance(content, bytes) else content.encode())
        return self.path(name)

    def read(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def run_sippar(self, *args, code=0, **more):
        run = subprocess.run([BINARY, *args], capture_output=True, timeout=60, **more)
        self.assertEqual(run.returncode, code, run.stderr.decode())
        return run.stdout, run.stderr.decode()

    def names(self):
        return sorted(os.listdir(self.folder.name))

    def fill(self, rows, size=200):
        values = ", ".join(f"('r{i:06}', '{'x' * size}')" for i in range(rows))
        self.run_sippar("query", self.store, input=f"INSERT INTO t (ROW, f:x) VALUES {values};".encode())

    def test_f_q17_a_failed_query_leaves_the_old_file(self):
        old = self.write("old.csv", "precious\n")
        before = self.names()
        for statement in ("SELCT", "SELECT row FROM t; SELECT nosuch:x FROM t"):
            _, err = self.run_sippar("query", self.store, "-o", old, "-e", statement, code=1)
            self.assertIn("is left as it was", err)
        self.run_sippar("query", self.path("none"), "-o", old, "-e", "SELECT 1", code=3)
        self.assertEqual(self.read("old.csv"), b"precious\n")
        self.assertEqual(self.names(), before)
        os.chmod(old, 0o640)
        self.run_sippar("query", self.store, "-o", old, "--format", "csv", "-e", "SELECT 1 AS n")
        self.assertEqual(self.read("old.csv"), b"n\n1\n")
        self.assertEqual(stat.S_IMODE(os.stat(old).st_mode), 0o640)
        self.run_sippar("query", self.store, "-o", old, "--keep-going", "--no-header", "-e",
                        "SELCT; SELECT 2", code=1)
        self.assertEqual(self.read("old.csv"), b"2\n")

    def test_f_q17_a_kill_leaves_the_old_file_and_nothing_else(self):
        self.fill(2000)
        old = self.write("old.csv", "precious\n")
        before = self.names()
        for args in (["query", self.store, "-o", old, "-f", "-"],
                     ["export", self.store, "-e", "SELECT row, REPLACE(f:x, 'x', 'yyyyyyyy') FROM t",
                      "--format", "csv", "--to", old]):
            with subprocess.Popen([BINARY, *args], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
                if args[0] == "query":
                    run.stdin.write(b"SELECT row, f:x FROM t;\n")
                    run.stdin.flush()
                    time.sleep(0.5)  # it has written what it can, and waits for more
                else:
                    time.sleep(0.05)
                run.send_signal(signal.SIGKILL)
                run.wait(20)
            names = [name for name in self.names() if name != "store"]
            self.assertEqual(names, [name for name in before if name != "store"])
            if args[0] == "query":
                self.assertEqual(self.read("old.csv"), b"precious\n")

    def test_f_q17_links_pipes_and_devices_are_written_through(self):
        real = self.write("real.csv", "old\n")
        os.symlink(real, self.path("link.csv"))
        self.run_sippar("query", self.store, "--no-header", "-o", self.path("link.csv"), "-e", "SELECT 1")
        self.assertTrue(os.path.islink(self.path("link.csv")))
        self.assertEqual(self.read("real.csv"), b"1\n")
        os.mkfifo(self.path("pipe"))
        got = []
        reader = threading.Thread(target=lambda: got.append(self.read("pipe")))
        reader.start()
        self.run_sippar("query", self.store, "--no-header", "-o", self.path("pipe"), "-e", "SELECT 2")
        reader.join(10)
        self.assertEqual(got, [b"2\n"])
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("pipe")).st_mode))
        out, _ = self.run_sippar("query", self.store, "--no-header", "-o", "/dev/stdout", "-e", "SELECT 3")
        self.assertEqual(out, b"3\n")
        self.run_sippar("query", self.store, "-o", self.path("no/such/file"), "-e", "SELECT 4", code=2)

    def test_f_q11_files_are_packed_and_unpacked_by_their_names(self):
        self.fill(500)
        self.run_sippar("export", self.store, "t", "--to", self.path("t.cells"))
        plain = self.read("t.cells")
        for end in ("zst", "gz"):
            name = f"t.cells.{end}"
            self.run_sippar("query", self.store, "-e", f"EXPORT TABLE t TO '{self.path(name)}'")
            self.assertLess(len(self.read(name)), len(plain) / 5)
            if end == "gz":
                self.assertEqual(gzip.decompress(self.read(name)), plain)
            self.run_sippar("query", self.store, "-e", f"CREATE TABLE from_{end} LIKE t")
            self.run_sippar("import", "cells", self.store, f"from_{end}", self.path(name))
            again, _ = self.run_sippar("export", self.store, f"from_{end}")
            self.assertEqual(again, plain)
            cut = self.write(f"cut.cells.{end}", self.read(name)[:-20])
            _, err = self.run_sippar("import", "cells", self.store, f"from_{end}", cut, code=1)
            self.assertIn("cut short", err)
        # Members one after another are one file, as gzip and zstd have it.
        self.write("two.csv.gz", gzip.compress(b"row,f:x\na,1\n") + gzip.compress(b"b,2\n"))
        _, err = self.run_sippar("import", "csv", self.store, "t", self.path("two.csv.gz"))
        self.assertIn("2 records read", err)
        self.run_sippar("query", self.store, "-o", self.path("q.csv.gz"), "--format", "csv", "-e", "SELECT 1 AS n")
        self.assertEqual(gzip.decompress(self.read("q.csv.gz")), b"n\n1\n")

    def test_f_q16_bytes_come_back(self):
        self.run_sippar("query", self.store, "-e",
                        "INSERT INTO t ROW b'\\xff\\x00' SET f:b = x'00ff0a0d22', f:l = '\\\\x00', f:t = 'é', n:c = 7")
        first, _ = self.run_sippar("export", self.store, "t")
        for form in ("jsonl", "csv", "tsv"):
            self.run_sippar("export", self.store, "t", "--format", form, "--to", self.path("x"))
            self.run_sippar("query", self.store, "-e", f"CREATE TABLE {form}_copy LIKE t")
            self.run_sippar("import", form, self.store, f"{form}_copy", self.path("x"))
            again, _ = self.run_sippar("export", self.store, f"{form}_copy")
            self.assertEqual(again, first, form)
        line = self.run_sippar("query", self.store, "--format", "jsonl", "-e", "SELECT f:b, f:l FROM t")[0]
        self.assertEqual(json.loads(line), {"f:b": {"$base64": "AP8KDSI="}, "f:l": "\\x00"})

    def test_f_s7_a_failed_import_says_how_to_go_on(self):
        people = self.write("p.csv", "id,name\n1,a\n2,b\n3\n4,d\n")
        mapping = ["--map", "ROW = id, f:name = name"]
        _, err = self.run_sippar("import", "csv", self.store, "t", people, *mapping, code=1)
        self.assertIn("p.csv:4: 1 fields where 2 are expected; 2 records of the file done, 2 rows written", err)
        self.assertIn("SKIP = 2", err)
        self.write("p.csv", "id,name\n1,a\n2,b\n3,c\n4,d\n")
        _, err = self.run_sippar("import", "csv", self.store, "t", people, *mapping, "--skip", "2")
        self.assertIn("2 records read", err)
        out, _ = self.run_sippar("query", self.store, "--no-header", "-e",
                                 "SELECT COUNT(*) FROM CELLS(t) VERSIONS ALL")
        self.assertEqual(out, b"4\n")
        for _ in range(2):  # a second run writes the same cells where the file says their times
            self.run_sippar("import", "csv", self.store, "t", people, "--map",
                            "ROW = id, f:age = name, TIMESTAMP = 5")
        out, _ = self.run_sippar("query", self.store, "--no-header", "-e",
                                 "SELECT COUNT(*) FROM CELLS(t, f:age) VERSIONS ALL")
        self.assertEqual(out, b"4\n")

    def test_f_s6_dialects_of_csv(self):
        data = self.write("d.csv", "\ufeffid;name\n1;'a;b'\n2;NA\n")
        self.run_sippar("import", "csv", self.store, "t", data, "--delimiter", ";", "--quote", "'", "--null",
                        "NA", "--map", "ROW = id, f:name = name")
        out, _ = self.run_sippar("query", self.store, "--no-header", "-e", "SELECT row, f:name FROM t")
        self.assertEqual(out, b"1\ta;b\n")
        _, err = self.run_sippar("import", "csv", self.store, "t", data, "--delimiter", ";", "--map",
                                 "ROW = key, f:name = name", code=1)
        self.assertIn("the columns of the file: id, name", err)

    def test_f_s6_encodings_dry_runs_and_bad_records(self):
        text = "id,name\n1,Zoë\n2\n3,日本\n"
        wide, latin = self.write("w.csv", text.encode("utf-16")), self.write("l.csv", b"id,name\n1,Zo\xeb\n")
        mapping = ["--map", "ROW = id, f:name = name"]
        _, err = self.run_sippar("import", "csv", self.store, "t", wide, *mapping, code=1)
        self.assertIn("w.csv: the file is in UTF-16, and UTF-8 is expected", err)
        self.assertIn("WITH (ENCODING = 'UTF-16')", err)
        args = ["import", "csv", self.store, "t", wide, *mapping, "--encoding", "UTF-16"]
        _, err = self.run_sippar(*args, "--dry-run", code=1)
        self.assertIn("dry run: the import would stop at", err)
        self.assertIn("w.csv:3: 1 fields where 2 are expected", err)
        out, err = self.run_sippar(*args, "--dry-run", "--on-error", "skip")
        self.assertEqual(out.decode(), "row\tcolumn\ttimestamp\tvalue\n1\tf:name\t\\N\tZoë\n3\tf:name\t\\N\t日本\n")
        self.assertIn("dry run, nothing written: 3 records read, 2 rows, 2 cells to write, 1 skipped (lines 3)", err)
        show = ["query", self.store, "--no-header", "-e", "SELECT row, f:name FROM t"]
        self.assertEqual(self.run_sippar(*show)[0], b"")
        _, err = self.run_sippar(*args, "--bad-file", self.path("bad.csv.gz"))
        self.assertIn("1 skipped (lines 3), written to", err)
        self.assertEqual(gzip.decompress(self.read("bad.csv.gz")),
                         b"line,reason,record\n3,1 fields where 2 are expected,2\n")
        self.assertEqual(self.run_sippar(*show)[0].decode(), "1\tZoë\n3\t日本\n")
        self.run_sippar("import", "csv", self.store, "t", latin, "--encoding", "ISO-8859-1", "--map",
                        "ROW = id, f:name = name || '!'")
        self.assertEqual(self.run_sippar(*show)[0].decode(), "1\tZoë!\n3\t日本\n")
        _, err = self.run_sippar("import", "csv", self.store, "t", latin, "--encoding", "UTF-8", *mapping, code=1)
        self.assertIn("l.csv: the bytes at offset 12 are not UTF-8", err)
        _, err = self.run_sippar("import", "csv", self.store, "t", latin, "--encoding", "klingon", *mapping, code=1)
        self.assertIn("unknown encoding 'klingon'", err)

    def test_versions_of_an_import_keep_the_order_of_the_file(self):
        self.run_sippar("query", self.store, "-e", "CREATE TABLE v (FAMILY f VERSIONS 3)")
        lines = "".join(f"k{i % 1500},{i}\n" for i in range(6000))
        data = self.write("v.csv", "row,f:x\n" + lines)
        _, err = self.run_sippar("import", "csv", self.store, "v", data)
        self.assertIn("6000 records read", err)
        out, _ = self.run_sippar("query", self.store, "--no-header", "-e",
                                 "SELECT COUNT(*), MIN(INT64(TEXT(f:x))), MAX(INT64(TEXT(f:x))) FROM v")
        self.assertEqual(out, b"1500\t4500\t5999\n")

    def test_raw_files_and_base64(self):
        page = bytes(range(256)) * 300
        name = self.write("page", page)
        self.run_sippar("import", "raw", self.store, "t", name, "--map", "ROW = 'p', f:x = value")
        self.run_sippar("export", self.store, "-e", "SELECT f:x FROM t", "--to", self.path("again.raw"))
        self.assertEqual(self.read("again.raw"), page)
        out, _ = self.run_sippar("query", self.store, "--format", "raw", "-e", "SELECT f:x FROM t")
        self.assertEqual(out, page)
        self.run_sippar("export", self.store, "t", "--to", self.path("t.jsonl-b64.zst"))
        self.run_sippar("query", self.store, "-e", "CREATE TABLE b LIKE t")
        self.run_sippar("import", "jsonl-b64", self.store, "b", self.path("t.jsonl-b64.zst"))
        out, _ = self.run_sippar("query", self.store, "--format", "raw", "-e", "SELECT f:x FROM b")
        self.assertEqual(out, page)

    def test_f_j4_a_failed_import_makes_no_store(self):
        none = self.path("none")
        self.run_sippar("import", "csv", none, "t", self.path("nothing.csv"), code=3)
        self.run_sippar("query", none, "-e", "INSERT INTO t ROW 'a' SET f:x = '1'", code=3)
        self.assertFalse(os.path.exists(none))

    def test_f_q14_a_statement_without_end_is_an_error_with_a_code(self):
        text = b"SELECT '" + b"x" * (20 << 20) + b"';"
        _, err = self.run_sippar("query", self.store, input=text, code=1)
        self.assertIn("error TOO_LARGE: stdin", err)

    def test_f_q13_messages_hold_no_raw_bytes(self):
        hostile = self.path("\x1b[31m\u202e.csv")
        runs = (["import", "csv", self.store, "t", hostile], ["query", self.store, "-f", hostile],
                ["query", hostile, "-e", "SELECT 1"], ["shell", "\x1b[31m", "--format", "\x1b[31m"],
                ["\x1b[31m"], ["import", "\x1b[31m"],
                ["query", self.store, "-e", "SELECT '\u202e\u009b31m' FROM nosuch\u202e WHERE \x1b[31m"])
        for args in runs:
            run = subprocess.run([BINARY, *args], capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
            self.assertNotEqual(run.returncode, 0)
            for raw in (b"\x1b", "\u202e".encode(), "\u009b".encode()):
                self.assertNotIn(raw, run.stdout + run.stderr, args)

    def test_f_s14_help_of_a_command(self):
        for words in (["query"], ["import", "csv"], ["admin", "stats"], ["export"], ["dump"], ["restore"]):
            out, _ = self.run_sippar("help", *words)
            self.assertIn(b"examples:", out, words)
        _, err = self.run_sippar("help", "qurey", code=2)
        self.assertIn("did you mean query?", err)
        _, err = self.run_sippar("import", "parquet", self.store, code=2)
        self.assertIn("one of: web csv tsv jsonl jsonl-b64 cells raw", err)
        _, err = self.run_sippar("admin", "stat", self.store, code=2)
        self.assertIn("did you mean stats?", err)

    def test_f_s16_short_words_about_many_problems(self):
        os.mkdir(self.path("corpus"))
        lines = "".join(f"example.a/{i}\ta/{i}\ttext/html\t5\tp\n" for i in range(100))
        self.write("corpus/manifest.tsv", lines)
        _, err = self.run_sippar("import", "web", self.path("web"), self.path("corpus"), code=1)
        self.assertLess(len(err.splitlines()), 15, err)
        self.assertIn("and 90 more", err)
        with subprocess.Popen([BINARY, "serve", self.store, "--listen", "localhost:0"],
                              stdout=subprocess.PIPE) as server:
            address = server.stdout.readline().decode().split(" on ")[1].split()[0]
            _, err = self.run_sippar("serve", self.path("web"), "--listen", address, code=1)
            self.assertEqual(len(err.splitlines()), 1, err)
            server.terminate()
            self.assertEqual(server.wait(30), 0)


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
