# The query directories, generated files and saved queries of a real mount under real tools: they
# answer as the query language does, the tools that walk a table never run into them, memory stays
# bounded, and errors say why. Usage: questions_test.py STAGE "SERVE COMMAND".
# SPDX-License-Identifier: Apache-2.0
import csv
import io
import json
import os
import shlex
import subprocess
import sys
import unittest

from stage import Stage, errno_of, is_mounted, skip_unless_fuse, wait_until

STAGE = sys.argv[1]
SERVE = shlex.split(sys.argv[2])
ROWS = 5_000


def run(*command, **options):
    result = subprocess.run(command, capture_output=True, **options)
    assert result.returncode == 0, (command, result.returncode, result.stderr)
    assert result.stderr == b"", (command, result.stderr)
    return result.stdout


class QuestionsTest(unittest.TestCase):
    """Row i of the table `rows` is r%08d with f:q = v%d."""

    @classmethod
    def setUpClass(cls):
        cls.stage = Stage(STAGE)
        cls.addClassCleanup(cls.stage.clean)
        cls.stage.start()
        cls.stage.do("table", "rows", "f", "g")
        cls.stage.do("fill", "rows", "f", ROWS)
        cls.stage.do("table", "odd", "f")
        for key in (b".count", b".where", b"a/b", b"100%", b"r\xff\n", b"x..y"):
            cls.stage.set("odd", key, "f", "q", 1, key)
        cls.rows = cls.stage.path("rows")

    @classmethod
    def tearDownClass(cls):
        cls.stage.stop()

    def read(self, *parts):
        with open(self.stage.path(*parts), "rb") as file:
            return file.read()

    def last_error(self):
        return self.read(".status").decode().splitlines()[-1]

    def count(self, *parts):
        return int(self.read("rows", *parts, ".count"))

    def names(self, *parts):
        return run("ls", "-f", self.stage.path("rows", *parts)).decode().split()[2:]

    def test_selections_list_count_and_look_up_the_same_rows(self):
        for path, wanted in [
                (".prefix/r000012", range(1200, 1300)),
                (".range/r00000010..r00000020", range(10, 20)),
                (".range/..r00000003", range(3)),
                (".range/r00004990..", range(4990, ROWS)),
                (".first/7", range(7)),
                (".prefix/r0000001/.range/r00000015../.first/2", range(15, 17)),
                (".where/TEXT(f:q) = 'v42'", range(42, 43)),
                (".where/row LIKE 'r0000123%25'", range(1230, 1240)),
                (".prefix/r000000/.where/f:q LIKE '%257'/.first/3", range(7, 37, 10)),
                (".where/g:q IS NULL", range(ROWS))]:
            with self.subTest(path=path):
                names = ["r%08d" % i for i in wanted]
                self.assertEqual(self.names(path), names)
                self.assertEqual(self.count(path), len(names))
                self.assertEqual(self.read("rows", path, names[-1], "f/q").decode(),
                                 "v%d" % wanted[-1])
                outside = "r%08d" % ROWS if len(names) == ROWS else "r00004000"
                self.assertFalse(os.path.exists(self.stage.path("rows", path, outside)))
        self.assertEqual(self.count(), ROWS)

    def test_tools_work_inside_of_a_selection(self):
        path = self.stage.path("rows/.prefix/r0000000")
        self.assertEqual(len(run("find", path, "-type", "f").split()), 10)
        self.assertEqual(run("grep", "-rl", "v7", path).decode().strip(), path + "/r00000007/f/q")
        self.assertEqual(len(run("tar", "-C", path, "-c", ".")) > 10_000, True)
        self.assertEqual(run("cat", path + "/r00000003/f/.versions/q/3"), b"v3")
        self.assertTrue(os.path.samefile(path + "/r00000003/f/q", self.rows + "/r00000003/f/q"))

    def test_tools_that_walk_a_table_do_not_enter_what_answers_questions(self):
        found = run("find", self.stage.path("odd"), "-type", "f").decode().splitlines()
        controls = [name for name in found if os.path.basename(name).startswith(".")]
        self.assertEqual(sorted(os.path.basename(name) for name in controls),
                         [".schema.sql", ".stats", ".tablets"])
        self.assertEqual(len(found), len(controls) + 6)
        # A second walk copies nothing more.
        self.assertEqual(run("tar", "-C", self.stage.mount, "-c", "odd").count(b"odd/.count"), 0)
        run("du", "-s", self.stage.path("odd"))
        hits = run("grep", "-rl", "count", self.stage.path("odd")).decode().split()
        self.assertEqual(hits, [self.stage.path("odd/%2Ecount/f/q")])

    def test_control_names_hide_no_row(self):
        self.assertEqual(self.read("odd/%2Ecount/f/q"), b".count")
        self.assertEqual(self.read("odd/%2Ewhere/f/q"), b".where")
        self.assertEqual(self.read("odd/.count"), b"6\n")
        self.assertEqual(run("ls", self.stage.path("odd/.prefix/%2E")).split(),
                         [b"%2Ecount", b"%2Ewhere"])
        self.assertEqual(run("ls", self.stage.path("odd/.range/x.%2E..x.%2Ez")).split(), [b"x..y"])

    def test_any_table_and_any_time_can_be_asked(self):
        self.stage.do("table", "mine/inst/odd-1.pages", "f")
        for time_us in (-5, 3):
            self.stage.set("mine/inst/odd-1.pages", "r%d" % time_us, "f", "q", time_us, "x")
        table = "mine%2Finst%2Fodd-1.pages"
        self.assertEqual(self.read(table, ".count"), b"2\n")
        for time_us, count in [(-6, 0), (-5, 1), (3, 2), (2**63 - 1, 2), (-2**63 + 1, 0)]:
            with self.subTest(time_us=time_us):
                path = self.stage.path(".as-of/%d" % time_us, table)
                self.assertEqual(self.read(path, ".count"), b"%d\n" % count)
                self.assertEqual(len(os.listdir(path + "/.prefix/r")), count)
                self.assertEqual(len(os.listdir(path + "/.where/f:q = 'x'")), count)

    def test_exports_hold_every_row_in_order(self):
        lines = self.read("rows/.export/rows.jsonl").splitlines()
        self.assertEqual(len(lines), ROWS)
        self.assertEqual([json.loads(line)["row"] for line in lines],
                         ["r%08d" % i for i in range(ROWS)])
        self.assertEqual(json.loads(lines[5])["f"], {"q": "v5"})
        table = list(csv.DictReader(io.StringIO(self.read("rows/.export/rows.csv").decode())))
        self.assertEqual(len(table), ROWS)
        self.assertEqual(json.loads(table[6]["f"]), {"q": "v6"})
        copy = os.path.join(self.stage.folder, "copy.csv")
        run("cp", self.rows + "/.export/rows.csv", copy)
        with open(copy, "rb") as file:
            self.assertEqual(file.read(), self.read("rows/.export/rows.csv"))
        self.assertEqual(run("ls", self.rows + "/.export").split(), [b"rows.csv", b"rows.jsonl"])
        self.assertEqual(self.read("rows/.first/2/.export/rows.jsonl").count(b"\n"), 2)
        self.assertEqual(run("sh", "-c", "head -n 2 %s/.export/rows.csv | tail -n 1" % self.rows),
                         run("sh", "-c", "sed -n 2p %s/.first/1/.export/rows.csv" % self.rows))

    def test_an_export_is_read_on_and_from_its_start_again(self):
        path = self.rows + "/.export/rows.jsonl"
        whole = self.read("rows/.export/rows.jsonl")
        with open(path, "rb", buffering=0) as file:
            self.assertEqual(file.read(100), whole[:100])
            file.seek(50_000)
            self.assertEqual(file.read(10), whole[50_000:50_010])
            file.seek(0)
            self.assertEqual(file.read(10), whole[:10])
        self.assertEqual(run("wc", "-l", path).split()[0], b"%d" % ROWS)
        self.assertEqual(run("tail", "-n", "1", path), whole.splitlines(keepends=True)[-1])

    def test_a_row_is_one_line_of_json(self):
        text = self.read("rows/r00000009/.row.json")
        self.assertEqual(os.stat(self.rows + "/r00000009/.row.json").st_size, len(text))
        self.assertEqual(json.loads(text), {**json.loads(text), "row": "r00000009",
                                            "f": {"q": "v9"}})
        self.assertEqual(text.count(b"\n"), 1)
        self.assertEqual(json.loads(self.read("odd/a%2Fb/.row.json"))["row"], "a/b")
        self.assertNotIn(".row.json", os.listdir(self.rows + "/r00000009"))
        self.stage.set("odd", "changing", "f", "q", 5, "old")
        self.assertIn(b"old", self.read("odd/changing/.row.json"))
        self.stage.set("odd", "changing", "f", "q", 6, "new")
        self.assertIn(b"new", self.read("odd/changing/.row.json"))
        self.assertIn(b"old", self.read(".as-of/5/odd/changing/.row.json"))
        self.stage.drop_row("odd", "changing")

    def test_a_wrong_expression_says_why(self):
        for name, reason in [("none:q = 1", "UNKNOWN_FAMILY at byte 1"), ("f:q ==", "SYNTAX"),
                             ("f:q = 'a') OR (f:q = 'b'", "SYNTAX"), ("", "SYNTAX"),
                             ("f:q = 'v1'; DELETE FROM rows ALL ROWS", "SYNTAX"),
                             ("f:q LIKE 'a%'", "write % as %25")]:
            with self.subTest(name=name):
                path = self.rows + "/.where/" + (name or "%")
                self.assertEqual(errno_of(lambda: os.stat(path)), "EINVAL")
                self.assertIn(reason, self.last_error())
        for name, reason in [(".range/x", "START..LIMIT"), (".first/none", "write 1 or more")]:
            self.assertEqual(errno_of(lambda: os.stat(self.rows + "/" + name)), "EINVAL")
            self.assertIn(reason, self.last_error())
        self.assertEqual(self.count(), ROWS)

    def test_the_fan_out_view_leads_to_rows(self):
        self.stage.do("table", "pages", "f")
        for key in ("com.cnn.www", "com.cnn.www/a/x", "com.cnn.www/a/", "org.debian"):
            self.stage.set("pages", key, "f", "q", 1, key)
        top = self.stage.path("pages/.tree")
        found = run("find", top, "-printf", "%y %P\\n").decode().splitlines()
        self.assertEqual(found, ["d ", "d com.", "d com./cnn.", "l com./cnn./www",
                                 "d com./cnn./www%2F", "d com./cnn./www%2F/a%2F",
                                 "l com./cnn./www%2F/a%2F/%", "l com./cnn./www%2F/a%2F/x", "d org.",
                                 "l org./debian"])
        for path, key in [("com./cnn./www", b"com.cnn.www"), ("org./debian", b"org.debian"),
                          ("com./cnn./www%2F/a%2F/%", b"com.cnn.www/a/"),
                          ("com./cnn./www%2F/a%2F/x", b"com.cnn.www/a/x")]:
            self.assertEqual(self.read("pages/.tree", path, "f/q"), key)
        self.assertEqual(len(run("find", "-L", top, "-type", "f").split()), 4)

    def test_saved_queries_run_when_they_are_opened(self):
        self.stage.save_query("last.sql", "SELECT row, f:q FROM rows WHERE row >= 'r00004998';\n")
        self.assertEqual(self.read(".sql/last.csv"), b"row,f:q\nr00004998,v4998\nr00004999,v4999\n")
        self.assertEqual(json.loads(self.read(".sql/last.json"))["rows"][1][0], "r00004999")
        self.assertEqual(set(os.listdir(self.stage.path(".sql"))) & {"last.csv", "last.json"},
                         {"last.csv", "last.json"})
        self.assertNotIn(".sql", os.listdir(self.stage.mount))
        self.stage.save_query("last.sql", "SELECT COUNT(*) AS n FROM rows")
        self.assertEqual(self.read(".sql/last.csv"), b"n\n%d\n" % ROWS)
        for name in ("none.csv", "last", "last.xml", "..csv"):
            self.assertEqual(errno_of(lambda: os.stat(self.stage.path(".sql", name))), "ENOENT")

    def test_a_saved_query_that_writes_or_is_wrong_is_refused(self):
        for text, reason in [("DELETE FROM rows WHERE row = 'r00000000'", "would write"),
                             ("DROP TABLE rows", "would write"),
                             ("SELECT * FROM rows; DROP TABLE rows", "SYNTAX"),
                             ("SELECT nothing: FROM rows", "UNKNOWN_FAMILY"),
                             ("SELECT * FROM no_table", "UNKNOWN_TABLE"), ("", "SYNTAX")]:
            with self.subTest(text=text):
                self.stage.save_query("bad.sql", text)
                self.assertEqual(errno_of(lambda: open(self.stage.path(".sql/bad.csv"))), "EINVAL")
                self.assertIn(reason, self.last_error())
        self.assertEqual(self.count(), ROWS)
        os.remove(os.path.join(self.stage.queries, "bad.sql"))

    def test_generated_files_are_not_written(self):
        for name in ("rows/.count", "rows/.export/rows.csv", "rows/.export/new.csv"):
            self.assertEqual(errno_of(lambda: open(self.stage.path(name), "wb")), "EROFS")


class LifeOfStreamsTest(unittest.TestCase):
    def setUp(self):
        self.stage = Stage(STAGE)
        self.addCleanup(self.stage.clean)
        self.stage.start()

    def test_an_export_of_large_rows_takes_little_memory(self):
        self.stage.do("table", "large", "f")
        for i in range(80):
            self.stage.do("huge", "large", "row%02d" % i, "f", 1 << 20)
        self.stage.do("flush", "large")
        self.stage.reset_peak()
        before = self.stage.status_kib("VmRSS")
        size = 0
        with open(self.stage.path("large/.export/rows.csv"), "rb", buffering=0) as file:
            while part := file.read(1 << 20):
                size += len(part)
        self.assertGreater(size, 80 << 20)
        self.assertLess(self.stage.status_kib("VmHWM") - before, 100 << 10)
        self.stage.stop()

    def test_a_mount_ends_while_an_export_is_open(self):
        self.stage.do("table", "rows", "f")
        self.stage.do("fill", "rows", "f", 100_000)
        file = open(self.stage.path("rows/.export/rows.jsonl"), "rb", buffering=0)
        self.addCleanup(file.close)
        self.assertEqual(file.read(1), b"{")
        self.stage.process.stdin.close()
        self.assertEqual(self.stage.process.wait(timeout=30), 0)
        self.stage.process.stdout.close()
        self.stage.process = None
        self.assertFalse(is_mounted(self.stage.mount))

    def test_too_many_open_streams_are_refused_and_come_back(self):
        self.stage.do("table", "rows", "f")
        self.stage.do("fill", "rows", "f", 100)
        path = self.stage.path("rows/.export/rows.csv")
        files = [open(path, "rb") for _ in range(32)]
        self.assertEqual(errno_of(lambda: open(path, "rb")), "ENOMEM")
        for file in files:
            file.close()
        wait_until(lambda: errno_of(lambda: open(path, "rb").close()) == "OK", "room for a stream")
        self.stage.stop()


@unittest.skipUnless(SERVE[-1] == "mount", "the program itself is not built here")
class ProgramTest(unittest.TestCase):
    def serve(self, stage, *options, cwd=None):
        """Returns the process when the mount is there; end() ends both."""
        process = subprocess.Popen([*SERVE, stage.store, stage.mount, *options], cwd=cwd,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(subprocess.call, ["umount", "-l", stage.mount],
                        stderr=subprocess.DEVNULL)
        wait_until(lambda: is_mounted(stage.mount), "the mount")
        return process

    def end(self, stage, process):
        run("umount", stage.mount)
        self.assertEqual(process.wait(timeout=30), 0)

    def test_the_program_takes_a_relative_folder_of_queries(self):
        stage = Stage(STAGE)
        self.addCleanup(stage.clean)
        subprocess.run([SERVE[0], "query", stage.store, "-e", """CREATE TABLE t (FAMILY f);
            INSERT INTO t ROW 'a' SET f:q = 'one' AT 1; INSERT INTO t ROW 'b' SET f:q = 'two' AT 1;"""],
                       check=True, capture_output=True)
        stage.save_query("two.sql", "SELECT row FROM t WHERE f:q = 'two'")
        process = self.serve(stage, "--queries", "queries", cwd=stage.folder)
        with open(stage.path(".sql/two.csv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "row\nb\n")
        self.assertEqual(os.listdir(stage.path("t/.where/f:q = 'one'")), ["a"])
        self.end(stage, process)

    def test_a_question_has_its_time(self):
        stage = Stage(STAGE)
        self.addCleanup(stage.clean)
        stage.start()
        stage.do("table", "rows", "f")
        stage.do("fill", "rows", "f", 100_000)
        stage.stop()
        process = self.serve(stage, "--query-timeout", "0.002")
        for name in ("rows/.count", "rows/.export/rows.csv"):
            def read_all(path=stage.path(name)):
                with open(path, "rb") as file:
                    file.read()
            self.assertEqual(errno_of(read_all), "ETIMEDOUT")
        self.assertEqual(errno_of(lambda: os.stat(stage.path("rows/r00000001"))), "OK")
        self.end(stage, process)


if __name__ == "__main__":
    skip_unless_fuse()
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
