# The shell's own commands in a pseudo terminal: those on the typed and the last statement, the pager,
# the start file, completion of keys, files and arguments; and `sippar demo`.
# usage: shell_commands_test.py SIPPAR_BINARY
# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
import tempfile
import unittest

try:
    from pty_shell import PtyShell
except ImportError as problem:
    print(f"SKIP: no pseudo terminals for Python here: {problem}")
    sys.exit(77)

BINARY = ""
SETUP = """
CREATE TABLE web (FAMILY anchor, FAMILY contents VERSIONS 3, FAMILY hits COUNTER, FAMILY meta);
INSERT INTO web ROW 'com.cnn.www/a' SET contents: = '<html>', anchor:"cnnsi.com" = 'CNN' AT 9, meta:size = '12';
INSERT INTO web ROW 'com.cnn.www/b' SET contents: = '<html>', meta:size = '7', meta:day = '2026-11-27';
INSERT INTO web ROW 'org.debian.www' SET contents: = '<html>debian', hits:total = 30, meta:facts = '{"a": 1}';
CREATE TABLE many (FAMILY f);
"""


class CommandsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.store = cls.path("store")
        fill = ", ".join(f"('r{i:05}', '{i}')" for i in range(1000))
        subprocess.run([BINARY, "query", cls.store], check=True, stderr=subprocess.DEVNULL,
                       input=f"{SETUP} INSERT INTO many (ROW, f:) VALUES {fill};".encode())

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def shell(self, columns=100, lines=40, **env):
        history = env.pop("history", "off")
        shell = PtyShell([BINARY, "shell", self.store], {"SIPPAR_HISTORY": history, **env}, columns, lines)
        self.addCleanup(shell.close)
        shell.wait("sippar> ")
        return shell

    def test_an_open_statement_is_run_printed_and_dropped(self):
        shell = self.shell()
        shell.line("SELECT row FROM web")
        shell.wait("sippar-> ")
        shell.line("\\p")
        shell.wait("SELECT row FROM web")
        shell.wait("sippar-> ")
        shell.line("\\g")
        shell.wait("(3 rows)")
        shell.wait("sippar> ")
        shell.line("SELECT row FROM web WHERE row = 'org.debian.www' \\gx")
        shell.wait("row = org.debian.www")
        shell.wait("(1 row)")
        shell.line("\\g")
        shell.wait("│ org.debian.www │")
        for drop in ("\\r", "\\c"):
            shell.line("SELECT never")
            shell.wait("sippar-> ")
            shell.line(drop)
            shell.wait("sippar> ")
        shell.line("SELECT 40 + 2;")
        shell.wait("42")

    def test_a_backslash_in_a_text_is_no_command(self):
        shell = self.shell()
        shell.line("SELECT r'a")
        shell.wait("sippar'> ")
        shell.line("\\g")
        shell.wait("sippar'> ")
        shell.line("', r'c \\g';")
        shell.wait("(1 row)")

    def test_rows_go_into_a_file_as_its_name_says(self):
        shell = self.shell()
        shell.line(f"SELECT row, meta:size FROM web LIMIT 1 \\g {self.path('out.csv')}")
        shell.wait("sippar> ")
        self.assertEqual(self.read("out.csv"), "row,meta:size\ncom.cnn.www/a,12\n")
        shell.line(f"SELECT nonsense FROM web \\g {self.path('out.csv')}")
        shell.wait("error")
        shell.wait("sippar> ")
        self.assertIn("com.cnn.www/a", self.read("out.csv"))
        shell.line("SELECT 40 + 2;")
        shell.wait("42")

    def test_all_shows_what_the_cap_hid(self):
        shell = self.shell()
        shell.line("SELECT row FROM many;")
        shell.wait("(1000 rows, 800 of them not shown: \\all shows them)")
        shell.line("\\all")
        shell.wait("r00500")
        shell.wait("(1000 rows)")
        shell.line("SELECT row FROM many;")
        shell.wait("800 of them not shown")

    def test_watch_repeats_until_interrupted(self):
        shell = self.shell()
        shell.line("SELECT COUNT(*) AS n FROM web \\watch 0.1 3")
        for _ in range(3):
            shell.wait("every 0.1 s")
            shell.wait("│ 3 │")
        shell.wait("sippar> ")
        shell.line("\\watch 0.1")
        shell.wait("every 0.1 s")
        shell.wait("every 0.1 s")
        shell.type("\x03")
        shell.wait("sippar> ")
        shell.line("\\watch often")
        shell.wait("error META: \\watch takes seconds")

    def test_the_editor_changes_the_statement(self):
        editor = self.write("editor", "#!/bin/sh\nsed -i 's/never/row/' \"$1\"\n")
        os.chmod(editor, 0o755)
        shell = self.shell(SIPPAR_EDITOR=editor)
        shell.line("SELECT never FROM web WHERE row STARTS WITH 'org'")
        shell.wait("sippar-> ")
        shell.line("\\e")
        shell.wait("SELECT row FROM web")
        shell.wait("│ org.debian.www │")
        shell.wait("sippar> ")
        shell = self.shell(SIPPAR_EDITOR="true")
        shell.line("INCREMENT web hits:edited WHERE row = 'org.debian.www' RETURNING hits:edited;")
        shell.wait("1 row, 1 cell written")
        shell.line("\\e")  # leaves the statement as it is, so nothing runs
        shell.wait("sippar> ")
        shell.line("SELECT hits:edited FROM web WHERE hits:edited IS NOT NULL;")
        shell.wait("│           1 │")
        shell = self.shell(SIPPAR_EDITOR="false")
        shell.line("\\e")
        shell.wait("error META: false: it ended with 1")

    def test_programs_of_the_system(self):
        shell = self.shell()
        shell.line("\\! echo from the system")
        shell.wait("\nfrom the system")
        shell.wait("sippar> ")
        script = subprocess.run([BINARY, "query", self.store, "-e", "\\! exit 3"], capture_output=True)
        self.assertEqual(script.returncode, 1)
        self.assertIn(b"exit code 3", script.stderr)

    def test_copy_writes_and_reads_files(self):
        shell = self.shell()
        shell.line(f"\\copy (SELECT row, meta:size AS size FROM web WHERE meta:size IS NOT NULL) TO "
                   f"{self.path('copy.csv')} FORMAT csv")
        shell.wait("2 ")
        shell.wait("sippar> ")
        self.assertEqual(self.read("copy.csv").splitlines()[1], "com.cnn.www/a,12")
        shell.line("CREATE TABLE copied (FAMILY f);")
        shell.wait("created")
        shell.line(f"\\copy copied from '{self.path('copy.csv')}' FORMAT csv (ROW = row, f:s = size)")
        shell.wait("sippar> ")
        shell.line("SELECT f:s FROM copied;")
        shell.wait("│ 12  │")
        shell.line("\\copy web")
        shell.wait("error META: \\copy: write TABLE FROM FILE")

    def test_tail_shows_changes_as_they_come(self):
        shell = self.shell()
        shell.line("CREATE TABLE watched (FAMILY f) WITH (CHANGE_STREAM = 1d);")
        shell.wait("created")
        shell.line("TAIL watched;")
        for i in range(2):
            shell.pause(1)
            subprocess.run([BINARY, "query", self.store, "-e", f"INSERT INTO watched ROW 'r{i}' SET f:q = 'v{i}'"],
                           check=True, stderr=subprocess.DEVNULL)
            shell.wait(f"r{i} | SET | f:q")
        shell.type("\x03")
        shell.wait("cancelled after")
        shell.wait("sippar> ")

    def test_tail_without_a_change_stream_says_so_first_and_shows_new_cells(self):
        shell = self.shell()
        shell.line("CREATE TABLE unwatched (FAMILY f);")
        shell.wait("created")
        shell.line("INSERT INTO unwatched ROW 'old' SET f:q = 'v';")
        shell.wait("written")
        shell.line("TAIL unwatched;")
        shell.wait("note: table unwatched has no change stream")
        shell.pause(1)
        subprocess.run([BINARY, "query", self.store, "-e", "INSERT INTO unwatched ROW 'new' SET f:q = 'v'"],
                       check=True, stderr=subprocess.DEVNULL)
        shell.wait("new | SET | f:q")
        shell.type("\x03")
        self.assertLess(shell.wait("cancelled after"), 1)
        shell.wait("1 rows shown")
        shell.wait("sippar> ")

    def test_history_is_saved(self):
        shell = self.shell(history=self.path("history"))
        shell.line("SELECT 1,")
        shell.line("  2;")
        shell.wait("│ 1 │ 2 │")
        shell.wait("sippar> ")
        shell.line(f"\\s {self.path('saved.sql')}")
        shell.wait("sippar> ")
        self.assertIn("SELECT 1,\n  2;\n", self.read("saved.sql"))
        shell.line("\\s")
        shell.wait("SELECT 1,")

    def test_up_recalls_a_whole_statement_and_how_it_was_run(self):
        shell = self.shell(history=self.path("history2"))
        shell.line("SELECT row")
        shell.line("FROM web WHERE row = 'org.debian.www'")
        shell.line("\\gx")
        shell.wait("row = org.debian.www")
        shell.wait("sippar> ")
        shell.type("\x1b[A")
        shell.wait("\\gx")
        shell.type("\r")
        shell.wait("row = org.debian.www")

    def test_the_pager_gets_what_is_larger_than_the_screen(self):
        pager = "sed s/^/PAGED/"
        shell = self.shell(lines=15, SIPPAR_PAGER=pager)
        shell.line("SELECT row FROM many LIMIT 4;")
        shell.wait("│ r00000 │")
        shell.wait("(4 rows)")
        self.assertNotIn("PAGED", shell.clean())
        shell.line("SELECT row FROM many LIMIT 20;")
        shell.wait("PAGED│ r00019 │")
        shell.wait("PAGED(20 rows)")
        shell.line("\\?")
        shell.wait("PAGED  \\q")
        shell.wait("sippar> ")
        shell.line("\\pager off")
        shell.wait("pager is off")
        shell.line("SELECT row FROM many LIMIT 20;")
        shell.wait("\n│ r00019 │")
        shell = self.shell(columns=20, SIPPAR_PAGER=pager)
        shell.line("\\x off")
        shell.line("SELECT row, f:, f:, f: FROM many LIMIT 1;")
        shell.wait("PAGED│ r00000")

    def test_leaving_the_pager_ends_the_statement(self):
        shell = self.shell(lines=15, SIPPAR_PAGER="head -n 3")
        shell.line("\\rows all")
        shell.line("SELECT row, row, row, row, row, row, row, row FROM many;")  # more than a pipe holds
        shell.wait("│ row")
        shell.wait("until the pager was left)")
        shell.wait("sippar> ")
        shell.line("SELECT 40 + 2;")
        shell.wait("42")

    def test_the_start_file_changes_settings_without_a_word(self):
        start = self.write("shellrc", "\\null nothing\n\\timing on\nnonsense;\n\\set n:INT64=5\n")
        shell = self.shell(SIPPAR_SHELLRC=start)
        self.assertIn("shellrc:3", shell.clean())
        self.assertNotIn("timing is on", shell.clean())
        shell.line("SELECT NULL, @n + 2;")
        shell.wait("nothing")
        shell.wait("7")
        shell.wait("time ")

    def test_an_empty_directory_shows_how_to_begin(self):
        shell = PtyShell([BINARY, "shell", self.path("new")], {"SIPPAR_HISTORY": "off"})
        self.addCleanup(shell.close)
        shell.wait("to begin with:")
        shell.wait("sippar> ")
        for line in shell.clean().splitlines():
            if line.startswith("  "):
                shell.line(line.strip())
                shell.wait("sippar> ")
        self.assertIn("│ ada │ Ada", shell.clean())
        self.assertNotIn("error", shell.clean())

    def test_describe_shows_columns_of_a_sample(self):
        shell = self.shell()
        shell.line("\\d web")
        for row in ("│ anchor:cnnsi.com │    1 │ 33 %  │ text", "│ contents:        │    3 │ 100 % │ HTML or XML",
                    "│ hits:total       │    1 │ 33 %  │ COUNTER      │ 30",
                    "│ meta:size        │    2 │ 67 %  │ whole number │ 12",
                    "│ meta:day         │    1 │ 33 %  │ date", "│ meta:facts       │    1 │ 33 %  │ JSON",
                    "columns of 3 rows, which are all"):
            shell.mark = 0
            shell.wait(row)
        shell.line("\\d many")
        shell.wait("columns of 1000 rows, which are all")
        shell.line("\\d+ web")
        shell.wait("CREATE TABLE")
        shell.wait("columns of 3 rows")

    def complete(self, typed, wanted):
        shell = self.shell()
        shell.type(typed)
        shell.wait(wanted)
        shell.type("\x03")
        return shell

    def test_completion_of_row_keys(self):
        self.complete("SELECT row FROM web WHERE row = 'o\t", "'org.")
        self.complete("SELECT row FROM web WHERE row STARTS WITH 'com.cnn.www/\t\t", "a  b")
        self.complete("SELECT row FROM web WHERE row = 'org.debian.\t", "'org.debian.www'")
        self.complete("INSERT INTO web ROW 'org.d\t", "'org.debian.")
        self.complete("DELETE FROM many WHERE row IN ('r00001', 'r0099\t\t", "r00999")
        shell = self.complete("SELECT row FROM web WHERE contents: = 'o\t", "'o")
        self.assertNotIn("org.", shell.pause())

    def test_completion_of_files_and_arguments(self):
        self.write("some_pages.csv", "a\n1\n")
        begin = self.path("some_p")
        self.complete(f"IMPORT INTO web FROM '{begin}\t", "some_pages.csv")
        self.complete(f"\\i {begin}\t", "some_pages.csv")
        self.complete(f"\\copy web FR\t{begin}\t", "FROM " + self.path("some_pages.csv"))
        self.complete("\\copy ma\t", "\\copy many")
        self.complete("\\pager of\t", "\\pager off")
        self.complete("\\rows a\t", "\\rows all")
        self.complete("\\format jsonl\t", "\\format jsonl")
        self.complete("SELECT row\r\\d ma\t", "\\d many")

    def test_tab_inside_a_call_shows_its_arguments(self):
        self.complete("SELECT SUBSTR(\t", "SUBSTR(text, from [, length]), gives: as argument 1")

    def test_demo(self):
        folder = self.path("demo")
        script = subprocess.run([BINARY, "demo", folder, "--made"], capture_output=True, check=True)
        self.assertIn(b"144 web pages of a made-up web", script.stderr)
        statements = script.stdout.decode()
        self.assertEqual(len(statements.splitlines()), 10)
        ran = subprocess.run([BINARY, "query", os.path.join(folder, "data")], input=script.stdout,
                             capture_output=True, check=True)
        self.assertIn(b"example.", ran.stdout)
        shell = PtyShell([BINARY, "demo", folder, "--no-mount"], {"SIPPAR_HISTORY": "off"})
        self.addCleanup(shell.close)
        shell.wait("\\try runs the next")
        shell.wait("sippar> ")
        for i in range(1, 11):
            shell.line("\\try")
            shell.wait(f"{i}/10  ")
            shell.wait("sippar> ")
        self.assertNotIn("error", shell.clean())
        shell.line("\\q")
        shell.wait("rm -r removes it")
        self.assertEqual(shell.exit_code(), 0)
        other = self.path("other")
        os.mkdir(other)
        self.write("other/file", "x")
        refused = subprocess.run([BINARY, "demo", other], capture_output=True)
        self.assertEqual(refused.returncode, 1)
        self.assertIn(b"name a new or empty folder", refused.stderr)


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
