# `sippar dump` and `sippar restore` from outside: what comes back, what is refused, what an
# interrupted restore leaves and how it goes on.
# usage: dump_test.py SIPPAR_BINARY
# SPDX-License-Identifier: Apache-2.0
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = ""

SCHEMA = r"""
CREATE TABLE web (FAMILY anchor VERSIONS 5, FAMILY contents, FAMILY hits COUNTER VERSIONS 9, FAMILY meta TTL 365d,
  LOCALITY GROUP big (contents) COMPRESSION = ZSTD(LEVEL(9)) BLOCK_SIZE 16KiB, LOCALITY GROUP small (hits) IN_MEMORY)
  WITH (SPLIT_SIZE = 64MiB, DELETION_PROTECTION = TRUE, CHANGE_STREAM = 2d) SPLIT AT ('com.m', b'\xff\x01');
CREATE TABLE empty (FAMILY f, FAMILY g);
CREATE TABLE `my-table.1` (FAMILY f);
CREATE TABLE my (FAMILY f) WITH (GRANULARITY = MILLIS) SPLIT AT ('b');
CREATE TABLE sums (FAMILY s TYPE = SUM, FAMILY f TYPE = TEXT);
INSERT INTO web ROW 'com.cnn' SET contents: = 'one' AT 5, contents: = 'two' AT 6, contents: = '' AT 7,
  anchor:a = 'CNN' AT 9, anchor:"b c" = 'x' AT 8, hits:total = 7 AT 3, hits:total = -8 AT 4;
INSERT INTO web ROW b'\xff\x00\x0a' SET anchor:x'00ff0a09' = x'00ff0a0d220927', contents: = '\\x00\\', meta:q = 'tab	it' ;
INSERT INTO web ROW b'\xff\x02' SET contents: = 'é‮ 日本', anchor:x = 'line
break';
INSERT INTO web ROW '--\\end web 0 0' SET contents: = '--\\done 1 1' AT 5;
INSERT INTO web ROW '--\x01' SET contents: = '-- a comment' AT 5;
INSERT INTO `my-table.1` ROW 'r' SET f:a = '1' AT 1;
INSERT INTO my ROW 'a' SET f:a = '1' AT 1000; INSERT INTO my ROW 'c' SET f:a = '1' AT 2000;
INSERT INTO sums ROW 'a' SET f:plain = 'p' AT 5;
"""
TABLES = ["empty", "my", "my-table.1", "sums", "web"]


class DumpTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.store = self.path("store")

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_sippar(self, *args, code=0, **more):
        run = subprocess.run([BINARY, *args], capture_output=True, timeout=120, **more)
        self.assertEqual(run.returncode, code, run.stderr.decode())
        return run.stdout, run.stderr.decode()

    def query(self, store, text):
        return self.run_sippar("query", store, "--format", "plain", "--no-header", "-e", text)[0].decode()

    def make_store(self):
        self.run_sippar("query", self.store, input=SCHEMA.encode())
        # States of an aggregate family come in by IMPORT alone.
        cells = b"".join(b"a\ts:n\t5\t\\x00\\x00\\x00\\x00\\x00\\x00\\x00" + b"%c\n" % n for n in b"(2")
        self.run_sippar("import", "cells", self.store, "sums", "-", input=cells)

    def contents(self, store):
        """All that a user can see of a store: the statements and every cell."""
        tables = self.query(store, "SHOW TABLES")
        seen = {}
        for table in TABLES:
            if table in tables:
                seen[table] = (self.query(store, f"SHOW CREATE TABLE `{table}`"),
                               self.run_sippar("export", store, table)[0])
        return seen

    def test_all_comes_back_from_a_file_a_folder_and_a_pipe(self):
        self.make_store()
        before = self.contents(self.store)
        self.assertEqual(sorted(before), TABLES)
        self.assertEqual(self.query(self.store, "SELECT s:n FROM sums"), "90\n")
        for name, more in (("a.dump", []), ("a.dump.zst", ["--jobs", "3"]), ("a.dump.gz", []),
                           ("a.folder/", []), ("b.folder/", ["--jobs", "3"])):
            _, err = self.run_sippar("dump", self.store, "--to", self.path(name), *more)
            self.assertIn("5 tables, 19 cells written", err)
            copy = self.path("copy." + name.strip("/"))
            _, err = self.run_sippar("restore", copy, self.path(name), *more)
            self.assertIn("5 tables, 19 cells restored", err)
            self.assertEqual(self.contents(copy), before, name)
            # Nothing of the restore stays: the copy's dump is the first one but for its head.
            again = self.run_sippar("dump", copy)[0].split(b"\n", 2)[2]
            self.assertEqual(again, self.run_sippar("dump", self.store)[0].split(b"\n", 2)[2])
        self.assertEqual(sorted(os.listdir(self.path("b.folder"))),
                         ["empty.cells.zst", "my+1.cells.zst", "my+2.cells.zst", "my-table.1.cells.zst",
                          "schema.sql", "sums.cells.zst", "web+1.cells.zst", "web+2.cells.zst",
                          "web+3.cells.zst"])
        text, _ = self.run_sippar("dump", self.store)
        self.run_sippar("restore", self.path("piped"), "-", input=text)
        self.assertEqual(self.contents(self.path("piped")), before)
        # A file of cells is one that `import` knows.
        self.run_sippar("query", self.store, "-e", "CREATE TABLE other LIKE my")
        self.run_sippar("import", "cells", self.store, "other", self.path("b.folder/my+2.cells.zst"))
        self.assertEqual(self.run_sippar("export", self.store, "other")[0], b"c\tf:a\t2000\t1\n")

    def test_the_schema_alone_is_a_script(self):
        self.make_store()
        text, _ = self.run_sippar("dump", self.store, "--schema-only")
        self.run_sippar("query", self.path("copy"), input=text)
        self.run_sippar("restore", self.path("copy2"), "-", input=text)
        for copy in ("copy", "copy2"):
            for table in TABLES:
                show = f"SHOW CREATE TABLE `{table}`"
                self.assertEqual(self.query(self.path(copy), show), self.query(self.store, show))
                self.assertEqual(self.run_sippar("export", self.path(copy), table)[0], b"")

    def test_through_servers(self):
        self.make_store()
        before = self.contents(self.store)
        os.mkdir(self.path("other"))
        self.run_sippar("query", self.path("other"), "-e", "CREATE TABLE own (FAMILY f)")
        servers = [subprocess.Popen([BINARY, "serve", store, "--listen", "localhost:0"], stdout=subprocess.PIPE)
                   for store in (self.store, self.path("other"))]
        addresses = [server.stdout.readline().decode().split(" on ")[1].split()[0] for server in servers]
        self.run_sippar("dump", addresses[0], "--to", self.path("served.dump.zst"), "--jobs", "2")
        self.run_sippar("restore", addresses[1], self.path("served.dump.zst"))
        self.assertEqual(self.contents(addresses[1]), before)
        for server in servers:
            server.terminate()
            self.assertEqual(server.wait(30), 0)
            server.stdout.close()

    def test_some_tables_alone(self):
        self.make_store()
        dump = self.path("two.dump.zst")
        _, err = self.run_sippar("dump", self.store, "my", "sums", "--to", dump)
        self.assertIn("2 tables", err)
        _, err = self.run_sippar("dump", self.store, "summs", "--to", self.path("no.dump"), code=1)
        self.assertIn("table summs: not found; did you mean sums?", err)
        self.assertFalse(os.path.exists(self.path("no.dump")))
        self.run_sippar("restore", self.path("copy"), dump, "my")
        self.assertEqual(sorted(self.contents(self.path("copy"))), ["my"])
        _, err = self.run_sippar("restore", self.path("copy3"), dump, "web", code=1)
        self.assertIn("table web: not found in", err)
        self.assertFalse(os.path.exists(self.path("copy3")))

    def test_tables_that_exist(self):
        self.make_store()
        dump = self.path("all.dump")
        self.run_sippar("dump", self.store, "--to", dump)
        before = self.contents(self.store)
        _, err = self.run_sippar("restore", self.store, dump, code=1)
        for table in TABLES:
            self.assertIn(f"table {table}: it already exists; --if-exists skip leaves it as it is", err)
        self.query(self.store, "INSERT INTO my ROW 'new' SET f:a = 'new'; DROP TABLE empty")
        out, err = self.run_sippar("restore", self.store, dump, "--if-exists", "skip", "--dry-run")
        self.assertIn("empty: 0 cells, is created\nmy: 2 cells, is skipped: it already exists\n", out.decode())
        self.assertNotIn("empty", self.query(self.store, "SHOW TABLES"))
        self.run_sippar("restore", self.store, dump, "--if-exists", "skip")
        self.assertIn("new", self.query(self.store, "SELECT row FROM my"))
        _, err = self.run_sippar("restore", self.store, dump, "--if-exists", "replace", code=1)
        self.assertIn("table web is protected from deletion", err)
        self.assertIn("new", self.query(self.store, "SELECT row FROM my"))
        self.query(self.store, "ALTER TABLE web SET (DELETION_PROTECTION = FALSE)")
        self.run_sippar("restore", self.store, dump, "--if-exists", "replace")
        self.assertEqual(self.contents(self.store), before)

    def test_what_is_damaged_is_refused_by_name_and_nothing_is_written(self):
        self.make_store()
        text, _ = self.run_sippar("dump", self.store)
        copy = self.path("copy")

        def refuse(name, content, *words):
            with open(self.path(name), "wb") as f:
                f.write(content)
            _, err = self.run_sippar("restore", copy, self.path(name), code=1)
            for word in (name, *words):
                self.assertIn(word, err)
            self.assertFalse(os.path.exists(copy))

        lines = text.splitlines(keepends=True)
        refuse("cut1", b"".join(lines[:-1]), "it is cut short", "the last complete table is web")
        refuse("cut2", text[:-200], "it is cut short")
        refuse("cut3", b"", "it is empty")
        refuse("cut4", lines[0], "it is cut short", "no table is complete")
        refuse("changed", text.replace(b"contents:\t5\tone", b"contents:\t5\tond"), "checksum", "table web")
        refuse("lost", text.replace(b"a\tf:a\t1000\t1\n", b""), "table my has 1 cell, and 2 were dumped")
        refuse("twice", text + text, "lines follow after")
        refuse("other", b"id,name\n1,a\n", "it is not a dump", "sippar import")
        refuse("newer", b"-- sippar dump 2 00\n", "use a newer sippar")
        done = b"".join(lines[:-1]) + b"--\\done 2\n"
        refuse("done", done, f"done:{len(lines)}: the line \\done is damaged")
        self.run_sippar("dump", self.store, "--to", self.path("x.dump.zst"))
        with open(self.path("x.dump.zst"), "rb") as f:
            refuse("cut.dump.zst", f.read()[:-100], "it is cut short")
        self.run_sippar("dump", self.store, "--to", self.path("d/"))
        os.remove(self.path("d/web+2.cells.zst"))
        _, err = self.run_sippar("restore", copy, self.path("d"), code=1)
        self.assertIn("web+2.cells.zst", err)
        os.remove(self.path("d/schema.sql"))
        _, err = self.run_sippar("restore", copy, self.path("d"), code=1)
        self.assertIn("schema.sql", err)
        # A dump is a file from elsewhere: it creates its table and does nothing else.
        bad = lines[0] + b"DROP TABLE web;\n--\\end web 0 0000000000000000\n--\\done 1 0\n"
        _, err = self.run_sippar("restore", self.store, "-", "--if-exists", "skip", input=bad)
        bad = bad.replace(b"web", b"wob")
        _, err = self.run_sippar("restore", self.store, "-", input=bad, code=1)
        self.assertIn("in place of CREATE TABLE wob", err)
        bad = lines[0] + b"CREATE TABLE t (FAMILY f);\n--\\file t ../secret\n"
        _, err = self.run_sippar("restore", copy + "2", "-", input=bad, code=1)
        self.assertIn("it is not in the folder of the dump", err)

    def test_outputs_appear_when_they_are_complete(self):
        self.make_store()
        dump = self.path("x.dump")
        with open(dump, "wb") as f:
            f.write(b"precious")
        self.run_sippar("dump", self.store, "nosuch", "--to", dump, code=1)
        self.run_sippar("dump", self.path("absent"), "--to", dump, code=3)
        with open(dump, "rb") as f:
            self.assertEqual(f.read(), b"precious")
        os.mkdir(self.path("used"))
        with open(self.path("used/mine"), "w", encoding="utf-8") as f:
            f.write("mine")
        _, err = self.run_sippar("dump", self.store, "--to", self.path("used"), code=1)
        self.assertIn("the folder already exists and is not empty", err)
        os.mkdir(self.path("free"))
        self.run_sippar("dump", self.store, "--to", self.path("free"))
        self.assertEqual([name for name in os.listdir(self.folder.name) if "part" in name], [])

    def test_an_interrupted_restore_goes_on(self):
        self.query(self.store, "CREATE TABLE t (FAMILY f VERSIONS 3) WITH (DELETION_PROTECTION = TRUE); "
                   "CREATE TABLE a (FAMILY f)")
        rows = b"".join(b"r%07d\tf:%d\t%d\t%s\n" % (i // 4, i % 4, i, b"v%d " % (i * 7919) * 12)
                        for i in range(400_000))
        self.run_sippar("import", "cells", self.store, "t", "-", input=rows)
        self.query(self.store, "INSERT INTO a ROW 'x' SET f:q = '1' AT 1")
        dump, copy = self.path("t.dump"), self.path("copy")
        self.run_sippar("dump", self.store, "--to", dump)
        before = self.run_sippar("dump", self.store)[0].split(b"\n", 2)[2]
        # One kill, one Ctrl-C: both somewhere in the middle of the larger table.
        for number, how in enumerate((signal.SIGKILL, signal.SIGINT)):
            more = ["--if-exists", "skip"] if number > 0 else []
            with subprocess.Popen([BINARY, "restore", copy, dump, *more], stderr=subprocess.PIPE) as run:
                time.sleep(1.0)
                run.send_signal(how)
                err = run.communicate(timeout=60)[1].decode()
            if how == signal.SIGINT and run.returncode == 130:
                self.assertIn("to go on: the same command with --if-exists skip", err)
        _, err = self.run_sippar("restore", copy, dump, "--if-exists", "skip")
        self.assertIn("table a is skipped", err)
        self.assertEqual(self.run_sippar("dump", copy)[0].split(b"\n", 2)[2], before)
        self.assertIn("DELETION_PROTECTION", self.query(copy, "SHOW CREATE TABLE t"))


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
