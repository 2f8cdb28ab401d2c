# `sippar import`, `export` and `admin` from outside: a made-up corpus, bad input, round trips.
# usage: import_test.py SIPPAR_BINARY
# SPDX-License-Identifier: Apache-2.0
import csv
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = ""
CHECK_COUNTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tour",
                            "check_counts.py")
OLD, NEW = 1_600_000_000_000_000, 1_700_000_000_000_000


def page(host, number, version):
    """A page that links to its neighbours, to another host, to itself, and to no web address."""
    return (f"<!DOCTYPE html><html lang='en'><body><p>{host} {number} version {version} {'é' * number}"
            f"<a href='p{number + 1}.html#here'> next\n <b>page</b> </a> <a href='/'>top</a>"
            f"<a href='p{number + 1}.html'>again</a> <a href=''>self</a>"
            f"<a href='https://Other{number % 3}.Example.NET/x/../y'>out</a>"
            f"<a href='mailto:a@b.example'>mail</a></body></html>").encode()


class ImportTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.store = os.path.join(self.folder.name, "store")
        self.corpus = os.path.join(self.folder.name, "corpus")
        self.lines = []

    def add(self, row, path, content, kind="text/html", time_us=NEW):
        full = os.path.join(self.corpus, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as f:
            f.write(content)
        self.lines.append(f"{row}\t{path}\t{kind}\t{time_us}\tpkg=1")

    def make_corpus(self, pages=20):
        for host in ("www.one.example", "two.example"):
            key = ".".join(reversed(host.split(".")))
            for number in range(pages):
                for version, when in ((1, OLD), (2, NEW)):
                    if version == 1 or number % 2 == 0:
                        self.add(f"{key}/p{number}.html", f"v{version}/{host}/p{number}.html",
                                 page(host, number, version), time_us=when)
        self.add("example.one.www/style.css", "v1/www.one.example/style.css", b"p {}", "text/css")
        self.write_manifest()

    def write_manifest(self):
        with open(os.path.join(self.corpus, "manifest.tsv"), "w", encoding="utf-8") as f:
            f.writelines(line + "\n" for line in self.lines)

    def run_sippar(self, *args, code=0, text=None):
        run = subprocess.run([BINARY, *args], capture_output=True, timeout=120,
                             input=None if text is None else text.encode())
        self.assertEqual(run.returncode, code, run.stderr.decode())
        return run.stdout.decode(), run.stderr.decode()

    def query(self, text):
        out, _ = self.run_sippar("query", self.store, "--format", "jsonl", "-e", text)
        return [json.loads(line) for line in out.splitlines()]

    def import_web(self, *args, code=0):
        return self.run_sippar("import", "web", self.store, self.corpus, *args, code=code)[1]

    def export_cells(self, table="web"):
        out = os.path.join(self.folder.name, "out.cells")
        self.run_sippar("export", self.store, table, "--to", out)
        with open(out, "rb") as f:
            content = f.read()
        os.remove(out)
        return content

    def test_every_page_link_and_language_is_there(self):
        self.make_corpus()
        err = self.import_web("--jobs", "3")
        self.assertIn("60 pages", err)
        check = subprocess.run([sys.executable, CHECK_COUNTS, BINARY, self.store, self.corpus],
                               capture_output=True, text=True)
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr)
        row = "example.one.www/p4.html"
        self.assertEqual(
            self.query(f"SELECT contents: AS c, language: AS l, meta:package AS p FROM web WHERE row = '{row}'"),
            [{"c": page("www.one.example", 4, 2).decode(), "l": "en", "p": "pkg=1"}])
        # p3 has one version, linked twice in it: one cell, the first text.
        anchors = self.query(f"SELECT CELLS anchor:* FROM web WHERE row = '{row}'")
        self.assertEqual([(a["column"], a["value"]) for a in anchors],
                         [("anchor:www.one.example/p3.html", "next page")])
        self.assertEqual(self.query("SELECT COUNT(*) AS n FROM web WHERE row = 'net.example.other1/y'"),
                         [{"n": 1}])

    def test_a_second_import_changes_nothing(self):
        self.make_corpus()
        self.import_web()
        first = self.export_cells()
        self.assertGreater(len(first), 10_000)
        self.import_web("--jobs", "1")
        self.assertEqual(first, self.export_cells())

    def test_other_types_come_with_all(self):
        self.make_corpus()
        self.import_web()
        count = "SELECT COUNT(*) AS n FROM web WHERE meta:type = 'text/css'"
        self.assertEqual(self.query(count), [{"n": 0}])
        self.import_web("--all")
        self.assertEqual(self.query(count), [{"n": 1}])

    def test_bad_lines_and_files_are_named_and_the_others_go_on(self):
        self.add("example.a/1", "a/1", b"<a href=2>two</a>")
        self.lines += ["too\tfew", "example.a/2\ta/2\ttext/html\tyesterday\tp",
                       "example.a/3\t../../secret\ttext/html\t5\tp", "\ta/1\ttext/html\t5\tp",
                       "example.a/4\ta/missing\ttext/html\t5\tp"]
        self.add("example.a/5", "a/5", b"five")
        self.write_manifest()
        err = self.import_web(code=1)
        for number, what in ((2, "2 fields"), (3, "yesterday"), (4, "inside the corpus"),
                             (5, "row"), (6, "missing")):
            self.assertRegex(err, f"manifest.tsv:{number}: .*{what}")
        self.assertIn("5 failed", err)
        self.assertEqual(self.query("SELECT row FROM web WHERE contents: IS NOT NULL"),
                         [{"row": "example.a/1"}, {"row": "example.a/5"}])

    def test_what_cannot_be_imported_is_refused(self):
        err = self.import_web(code=2)  # no corpus
        self.assertIn("manifest.tsv", err)
        self.assertFalse(os.path.exists(self.store))
        self.make_corpus(1)
        os.mkdir(self.store)
        with open(os.path.join(self.store, "holiday.jpg"), "wb") as f:
            f.write(b"not ours")
        self.import_web(code=3)
        os.remove(os.path.join(self.store, "holiday.jpg"))
        self.import_web()
        self.run_sippar("query", self.store, "-e", "CREATE TABLE other (FAMILY f)")
        self.assertIn("no family", self.import_web("--table", "other", code=1))

    def test_interrupted_it_can_be_taken_up_again(self):
        for number in range(400):
            self.add(f"example.big/{number:04}", f"big/{number:04}",
                     b"<p>" + os.urandom(30_000).hex().encode())
        self.write_manifest()
        run = subprocess.Popen([BINARY, "import", "web", self.store, self.corpus],
                               stderr=subprocess.PIPE)
        while not os.path.isdir(self.store) and run.poll() is None:
            time.sleep(0.005)
        time.sleep(0.15)
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=60)
        self.assertIn(run.returncode, (0, 130), err.decode())
        if run.returncode == 130:
            self.assertIn("run the same command", err.decode())
        self.import_web()
        self.assertEqual(self.query("SELECT COUNT(*) AS n FROM web WHERE contents: IS NOT NULL"),
                         [{"n": 400}])

    def test_tables_of_text_come_in_and_go_out(self):
        self.run_sippar("query", self.store, "-e", "CREATE TABLE t (FAMILY f)")
        text = "id,name,city\nada,\"Lovelace, Ada\",London\ngrace,Hopper,\"New\nYork\"\n"
        people = os.path.join(self.folder.name, "people.csv")
        with open(people, "w", encoding="utf-8") as f:
            f.write(text)
        mapping = "ROW = id, f:name = name, f:city = city"
        self.run_sippar("import", "csv", self.store, "t", people, "--map", mapping)
        out, _ = self.run_sippar("export", self.store, "-e",
                                 "SELECT row AS id, f:name AS name, f:city AS city FROM t", "--format", "csv")
        self.assertEqual(list(csv.reader(io.StringIO(out))), list(csv.reader(io.StringIO(text))))
        self.assertEqual(self.query("SELECT f:name AS n FROM t WHERE row = 'ada'"),
                         [{"n": "Lovelace, Ada"}])

    def test_jobs_change_how_much_is_done_at_once_and_nothing_else(self):
        self.run_sippar("query", self.store, "-e", "CREATE TABLE t (FAMILY f) SPLIT AT ('1', '2', '3')")
        people = os.path.join(self.folder.name, "people.csv")
        with open(people, "w", encoding="utf-8") as f:
            f.write("row,f:n\n" + "".join(f"{i * 37 % 4000:04},{i}\n" for i in range(8000)))
        exports = set()
        for jobs in ("1", "3", "16"):
            _, told = self.run_sippar("import", "csv", self.store, "t", people, "--jobs", jobs)
            self.assertIn("8000 records read", told)
            out, _ = self.run_sippar("export", self.store, "-e", "SELECT row, f:n FROM t", "--format", "csv",
                                     "--jobs", jobs)
            exports.add(out)
        (only,) = exports
        # The second half of the file has the last record of each key.
        records = sorted((f"{i * 37 % 4000:04}", str(i)) for i in range(4000, 8000))
        self.assertEqual(list(csv.reader(io.StringIO(only)))[1:], [list(record) for record in records])
        for command in (("import", "csv", self.store, "t", people), ("export", self.store, "t")):
            for jobs in ("0", "65", "x"):
                self.run_sippar(*command, "--jobs", jobs, code=2)

    def test_cells_bring_a_table_back_exactly(self):
        self.make_corpus(4)
        self.import_web()
        before = self.export_cells()
        backup = os.path.join(self.folder.name, "backup.cells")
        with open(backup, "wb") as f:
            f.write(before)
        self.run_sippar("query", self.store, "-e", "CREATE TABLE copy (FAMILY anchor, FAMILY contents, "
                        "FAMILY language, FAMILY meta)")
        self.run_sippar("import", "cells", self.store, "copy", backup)
        self.assertEqual(before, self.export_cells("copy"))

    def test_admin_tells_sizes_compacts_and_verifies(self):
        self.make_corpus()
        self.import_web()
        out, _ = self.run_sippar("admin", "stats", self.store)
        self.assertRegex(out, r"web +page +1 +40 +60 ")
        self.assertRegex(out, r"family contents +60 ")
        self.run_sippar("admin", "compact", self.store, "web")
        out, _ = self.run_sippar("admin", "verify", self.store)
        self.assertIn("web: every block is whole", out)
        self.run_sippar("admin", "compact", self.store, "nothing", code=1)
        self.run_sippar("admin", "stats", self.store + "-absent", code=3)


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
