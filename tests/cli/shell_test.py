# The interactive shell in a pseudo terminal: prompts, multi-line input, paste, Ctrl-C at the prompt
# and in a running statement, completion, history, row transactions, hostile bytes.
# usage: shell_test.py SIPPAR_BINARY
# SPDX-License-Identifier: Apache-2.0
import os
import stat
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
CREATE TABLE web (FAMILY anchor, FAMILY contents VERSIONS 3, FAMILY hits COUNTER);
INSERT INTO web ROW 'com.cnn.www' SET contents: = '<html>', anchor:"cnnsi.com" = 'CNN' AT 9;
INSERT INTO web ROW 'org.debian.www' SET contents: = '<html>debian', hits:total = 30;
INSERT INTO web ROW 'zz.evil' SET contents: = b'a\\x1b[31mred\\x07';
"""


class ShellTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.store = os.path.join(cls.folder.name, "store")
        subprocess.run([BINARY, "query", cls.store], input=SETUP.encode(), check=True,
                       stderr=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def shell(self, **env):
        self.history = os.path.join(self.folder.name, "history")
        shell = PtyShell([BINARY, "shell", self.store], {"SIPPAR_HISTORY": self.history, **env})
        self.addCleanup(shell.close)
        shell.wait("sippar> ")
        return shell

    def test_rows_and_end(self):
        shell = self.shell()
        shell.line("SELECT row FROM web LIMIT 1;")
        shell.wait("│ com.cnn.www │")
        shell.wait("next: AFTER ROW 'com.cnn.www'")
        shell.wait("(1 row)")
        shell.wait("sippar> ")
        shell.type("\x04")
        self.assertEqual(shell.exit_code(), 0)

    def test_enter_runs_only_whole_statements(self):
        shell = self.shell()
        shell.line("SELECT row")
        shell.line("FROM web WHERE row = 'org.debian.www")
        self.assertNotIn("rows)", shell.pause())
        shell.line("x' OR row = 'com.cnn.www';")
        shell.wait("(1 row)")

    def test_words_of_other_shells(self):
        for word in ("help", "Help;", "?"):
            shell = self.shell()
            shell.line(word)
            shell.wait("this list")
            shell.wait("sippar> ")
        shell.line("exit")
        self.assertEqual(shell.exit_code(), 0)

    def test_f_s2_prompts_say_what_is_open_and_there_is_a_way_out(self):
        shell = self.shell()
        shell.line("SELECT row")
        shell.wait("sippar-> ")
        shell.line("FROM web WHERE row = 'org")
        shell.wait("sippar'> ")
        shell.line("exit")
        shell.wait("part of the text or comment that is open")
        shell.line("' OR row = /* here")
        shell.wait("sippar*> ")
        shell.line("*/ 'com.cnn.www';")
        shell.wait("(1 row)")
        shell.wait("sippar> ")
        shell.line("ATOMIC ON web ROW 'x' {")
        shell.wait("sippar{> ")
        shell.line("\\?")
        shell.wait("this list")
        shell.wait("sippar{> ")
        shell.type("\x03")
        shell.wait("sippar> ")
        for leave in ("\\q", "exit", "quit;"):
            shell = self.shell()
            shell.line("SELECT row")
            shell.wait("sippar-> ")
            shell.line(leave)
            self.assertEqual(shell.exit_code(), 0)
        shell = self.shell()
        shell.line("SELECT row")
        shell.wait("sippar-> ")
        shell.type("\x04")
        self.assertEqual(shell.exit_code(), 0)

    def test_f_s2_lines_of_other_shells(self):
        shell = self.shell()
        shell.line(".tables")
        shell.wait("web")
        shell.wait("sippar> ")
        shell.line(".schema web")
        shell.wait("contents")
        shell.line("clear")
        shell.wait("sippar> ")
        shell.line(".mode csv")
        shell.wait("error META")
        shell.line(".quit")
        self.assertEqual(shell.exit_code(), 0)

    def test_f_s3_a_long_result_is_cut_in_the_middle(self):
        path = self.store + "3"
        fill = ", ".join(f"('r{i:05}', '{i}')" for i in range(1000))
        subprocess.run([BINARY, "query", path], check=True, stderr=subprocess.DEVNULL,
                       input=f"CREATE TABLE t (FAMILY f); INSERT INTO t (ROW, f:) VALUES {fill};".encode())
        shell = PtyShell([BINARY, "shell", path], {"SIPPAR_HISTORY": "off"})
        self.addCleanup(shell.close)
        shell.wait("sippar> ")
        shell.line("SELECT row FROM t;")
        shell.wait("│ r00099 │")
        shell.wait("│ …      │")
        shell.wait("│ r00900 │")
        shell.wait("(1000 rows, 800 of them not shown")
        self.assertNotIn("r00100", shell.clean())
        shell.line("\\rows 3")
        shell.wait("3 rows")
        shell.line("SELECT row FROM t LIMIT 3;")
        shell.wait("(3 rows)")
        shell.line("\\rows all")
        shell.wait("all rows")
        shell.line("SELECT row FROM t;")
        shell.wait("r00500")
        shell.wait("(1000 rows)")

    def test_f_s4_times_are_dates(self):
        shell = self.shell()
        shell.line("SELECT CELLS anchor:* FROM web;")
        shell.wait("1970-01-01T00:00:00.000009Z")
        shell.line("SELECT anchor:cnnsi.com FROM web VERSIONS ALL WHERE row = 'com.cnn.www';")
        shell.wait("[(1970-01-01T00:00:00.000009Z, CNN)]")
        shell.line("\\dates off")
        shell.wait("dates is off")
        shell.line("SELECT CELLS anchor:* FROM web;")
        shell.wait("│         9 │")

    def test_f_s1_columns_with_examples(self):
        shell = self.shell()
        shell.line("\\d+ web")
        shell.wait("anchor")
        shell.wait("cnnsi.com")
        shell.wait("CNN")

    def test_f_s13_completion(self):
        for typed, wanted in (("SHOW me\t", "SHOW metrics"), ("SHOW q\t", "SHOW queries"), ("SET ver\t", "SET versions"),
                              ("\\h sel\t", "\\h select"), ("\\d we\t", "\\d web"),
                              ("SELECT row\rFROM we\t", "FROM web"), ("EXPLAIN sel\t", "EXPLAIN select"),
                              ("EXPLAIN DEL\t", "EXPLAIN DELETE"), ("BACK\t", "BACKUP"),
                              ("SELECT anchor:cn\t", "anchor:cnnsi.com"),
                              ("CREATE TABLE z (FAMILY f TYPE = TE\t", "TYPE = TEXT"),
                              ("SELECT row FROM web WHERE hits:\t", "hits:total")):
            shell = self.shell()
            shell.type(typed)
            shell.wait(wanted)
        shell = self.shell()
        shell.type("\\d web \t\t")
        self.assertNotIn("web web", shell.pause())
        shell = self.shell()
        shell.type("GRA\t")
        self.assertNotIn("GRANT", shell.pause())

    def test_f_q13_nothing_hides_on_the_terminal(self):
        shell = self.shell()
        hidden = "\u202e\u200b\u0085"
        shell.line(f"INSERT INTO web ROW 'h' SET contents: = '{hidden}';")
        shell.wait("1 row")
        for form in ("auto", "csv", "tsv", "plain", "jsonl", "json", "markdown", "line", "insert", "cells"):
            shell.line(f"\\format {form}")
            shell.wait("sippar> ")
            before = len(shell.output)
            shell.line("SELECT CELLS contents: FROM web WHERE row = 'h';")
            shell.wait("contents")
            shell.wait("sippar> ")
            answer = shell.output[before:]
            for raw in hidden:
                self.assertNotIn(raw.encode(), answer, form)
        shell.line("DELETE FROM web WHERE row = 'h';")
        shell.wait("1 row deleted")

    def test_paste_waits_for_enter(self):
        shell = self.shell()
        shell.type("\x1b[200~SELECT row FROM web;\nSELECT COUNT(*) FROM web;\x1b[201~")
        self.assertNotIn("row)", shell.pause())
        shell.type("\r")
        shell.wait("(3 rows)")
        shell.wait("(1 row)")

    def test_interrupt_clears_the_input(self):
        shell = self.shell()
        shell.line("SELECT 'never closed")
        shell.type("\x03")
        shell.wait("^C")
        shell.wait("sippar> ")
        shell.line("SELECT 40 + 2;")
        shell.wait("42")

    def slow_shell(self):
        """A shell on a store of its own, and a statement that takes it many seconds."""
        fill = ", ".join(f"('r{i:05}', '{'x' * 50}')" for i in range(20000))
        subprocess.run([BINARY, "query", self.store + "2"], check=True, stderr=subprocess.DEVNULL,
                       input=("CREATE TABLE IF NOT EXISTS t (FAMILY f); INSERT INTO t (ROW, f:) VALUES " + fill
                              + ";").encode())
        slow = PtyShell([BINARY, "shell", self.store + "2"], {"SIPPAR_HISTORY": "off"})
        self.addCleanup(slow.close)
        slow.wait("sippar> ")
        # Costly on purpose: each row replaces in a text that grows to 2,500 characters and more.
        costly = "f:"
        for letter in "abcd":
            costly = f"REGEXP_REPLACE(CONCAT({costly}, {costly}, {costly}), r'x(.?)', r'\\1{letter}x')"
        return slow, f"SELECT COUNT(*) FROM t WHERE LENGTH({costly}) > 1;"

    def test_progress_of_a_scan_says_its_share_and_the_time_left(self):  # F-S5
        slow, statement = self.slow_shell()
        slow.line(statement)
        slow.wait(" %  tablets 0/1")
        slow.wait("s left", seconds=30)
        slow.type("\x03")
        slow.wait("cancelled after")

    def test_interrupt_cancels_a_statement_soon(self):
        slow, statement = self.slow_shell()
        slow.line(statement)
        slow.pause(0.7)
        slow.type("\x03")
        taken = slow.wait("cancelled after") + slow.wait("sippar> ")
        self.assertLess(taken, 0.5)  # the promise is 200 ms; a loaded machine gets some more
        slow.line("SELECT 40 + 2;")
        slow.wait("42")

    def test_completion(self):
        shell = self.shell()
        shell.type("SEL\t")
        shell.wait("SELECT ")
        shell.type("anc\t* FROM we\t")
        shell.wait("anchor:* FROM web")
        shell.line(" WHE\trow = 'com.cnn.www';")
        shell.wait("cnnsi.com: CNN")
        shell.wait("sippar> ")
        shell.line("\\form\t jsonl")
        shell.line("SELECT row FROM web LIMIT 1;")
        shell.wait('{"row":"com.cnn.www"}')

    def test_completion_knows_the_table_of_functions(self):
        shell = self.shell()
        for typed, completed in (("DATE_P", "DATE_PART("), ("FORMAT_D", "FORMAT_DATE("),
                                 ("HLL", "HLL_EXTRACT("), ("APPROX_C", "APPROX_COUNT_DISTINCT(")):
            shell.type(f"SELECT {typed}\t")
            shell.wait(completed)
            shell.type("\x03")
            shell.wait("sippar> ")
        shell.line("\\h date_part")
        shell.wait("DATE_PART(part, time [, zone]), gives: INT64")

    def test_history_is_private_and_keeps_lines_together(self):
        shell = self.shell()
        shell.line("SELECT 1,")
        shell.line("2;")
        shell.wait("sippar> ")
        shell.type("\x04")
        shell.exit_code()
        self.assertEqual(stat.S_IMODE(os.stat(self.history).st_mode), 0o600)
        again = self.shell()
        again.type("\x1b[A")
        again.wait("2;")
        again.type("\r")
        again.wait("│ 1 │ 2 │")
        os.remove(self.history)

    def test_row_transaction_in_the_prompt(self):
        shell = self.shell()
        shell.line("BEGIN ROW web 'com.cnn.www';")
        shell.wait("sippar [web")
        shell.line("UPDATE web SET hits:total = 1 WHERE row = 'com.cnn.www';")
        shell.wait("]> ")
        shell.type("\x04")
        shell.wait("row transaction is open")
        shell.line("ROLLBACK;")
        shell.wait("sippar> ")
        shell.type("\x04")
        self.assertEqual(shell.exit_code(), 0)

    def test_errors_point_at_the_place(self):
        shell = self.shell()
        shell.line("SELECT row FROM web WEHRE row = 'a';")
        shell.wait("^^^^^ did you mean WHERE?")
        shell.line("SELECT anchr:* FROM web;")
        shell.wait("UNKNOWN_FAMILY")
        shell.wait("anchor")

    def test_no_raw_bytes_reach_the_terminal(self):
        shell = self.shell()
        shell.line("SELECT contents: FROM web WHERE row = 'zz.evil';")
        shell.wait("a\\x1b[31mred\\x07")
        self.assertNotIn(b"\x1b[31mred", shell.output)
        self.assertNotIn(b"red\x07", shell.output)

    def test_meta_commands(self):
        shell = self.shell()
        shell.line("\\dt")
        shell.wait("web")
        shell.line("\\d web")
        shell.wait("contents")
        shell.line("\\h SELECT")
        shell.wait("example:")
        shell.line("\\set n:INT64=5")
        shell.line("SELECT @n + 1;")
        shell.wait("6")
        shell.line("\\timing on")
        shell.line("SELECT 1;")
        shell.wait("time ")
        shell.line("\\nonsense")
        shell.wait("error META")
        shell.line("\\q")
        self.assertEqual(shell.exit_code(), 0)


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
