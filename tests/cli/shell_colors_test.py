# Colours of the line at the prompt, as a terminal shows them, and the place of the cursor.
# usage: shell_colors_test.py SIPPAR_BINARY
# SPDX-License-Identifier: Apache-2.0
import os
import sys
import tempfile
import time
import unittest

try:
    from pty_screen import PtyScreen
    from pty_shell import PtyShell
except ImportError as problem:
    print(f"SKIP: no pseudo terminals for Python here: {problem}")
    sys.exit(77)

BINARY = ""
PROMPT = "sippar> "
LEFT, HOME, END, BACKSPACE, UP = "\x1b[D", "\x01", "\x05", "\x7f", "\x1b[A"


class Terminal:
    """A shell with the screen of its terminal."""

    def __init__(self, folder, columns=60, env=None):
        settings = {"NO_COLOR": "", "SIPPAR_HISTORY": "off", "INPUTRC": "/dev/null"}
        settings.update(env or {})
        self.shell = PtyShell([BINARY, "shell", os.path.join(folder, "data"), "-q"], settings, columns, 20)
        self.screen = PtyScreen(columns, 20)
        self.fed = 0
        self.expect(PROMPT.rstrip(), len(PROMPT), [])

    def type(self, text):
        self.shell.type(text)

    def look(self):
        self.shell.pause(0.02)
        new = self.shell.output[self.fed:]
        # A character may be cut in the middle: its rest comes with the next look.
        text = new.decode("utf-8", "ignore")
        if len(text.encode()) == len(new):
            self.screen.feed(text)
            self.fed += len(new)

    def expect(self, line, column, styled, row=0, seconds=10.0):
        """Waits until the line of the cursor, its column and the parts with styles are these. `row`: how many
        lines above the cursor's the line is."""
        end = time.monotonic() + seconds
        while True:
            self.look()
            at = self.screen.row - row
            seen = (self.screen.line(at), self.screen.column, self.screen.styled(at))
            if seen == (line, column, styled):
                return
            if time.monotonic() > end:
                raise AssertionError(f"the screen shows {seen}, expected {(line, column, styled)}")


class ColorsTest(unittest.TestCase):
    def open(self, columns=60, env=None):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        terminal = Terminal(folder.name, columns, env)
        self.addCleanup(terminal.shell.close)
        return terminal

    def test_each_kind_of_word_has_its_colour(self):
        terminal = self.open()
        terminal.type("SELEC")
        terminal.expect("sippar> SELEC", 13, [])
        terminal.type("T")
        terminal.expect("sippar> SELECT", 14, [("bold", "SELECT")])
        terminal.type(" f, 'a")
        terminal.expect("sippar> SELECT f, 'a", 20, [("bold", "SELECT"), ("yellow", "'a")])
        terminal.type("' -- b")
        terminal.expect("sippar> SELECT f, 'a' -- b", 26,
                        [("bold", "SELECT"), ("green", "'a'"), ("grey", "-- b")])

    def test_the_cursor_stands_where_the_keys_put_it(self):
        terminal = self.open()
        terminal.type("SELECT row FROM t")
        styled = [("bold", "SELECT"), ("bold", "row"), ("bold", "FROM")]
        terminal.expect("sippar> SELECT row FROM t", 25, styled)
        terminal.type(LEFT * 3)
        terminal.expect("sippar> SELECT row FROM t", 22, styled)
        terminal.type(BACKSPACE)
        terminal.expect("sippar> SELECT row FRM t", 21, styled[:2])
        terminal.type("O")
        terminal.expect("sippar> SELECT row FROM t", 22, styled)
        terminal.type(HOME)
        terminal.expect("sippar> SELECT row FROM t", 8, styled)
        terminal.type("X")
        terminal.expect("sippar> XSELECT row FROM t", 9, styled[1:])
        terminal.type(BACKSPACE + END)
        terminal.expect("sippar> SELECT row FROM t", 25, styled)

    def test_wide_characters_take_two_columns(self):
        terminal = self.open()
        terminal.type("SELECT '日本e\u0301'")
        styled = [("bold", "SELECT"), ("green", "'日本e\u0301'")]
        terminal.expect("sippar> SELECT '日本e\u0301'", 22, styled)
        terminal.type(LEFT * 2 + BACKSPACE)
        terminal.expect("sippar> SELECT '日e\u0301'", 18, [("bold", "SELECT"), ("green", "'日e\u0301'")])

    def test_a_text_may_be_open_from_the_line_before(self):
        terminal = self.open()
        terminal.type("SELECT 'a\r")
        terminal.expect("sippar'>", 9, [])
        terminal.type("FROM")
        terminal.expect("sippar'> FROM", 13, [("yellow", "FROM")])
        terminal.type("' FROM")
        terminal.expect("sippar'> FROM' FROM", 19, [("green", "FROM'"), ("bold", "FROM")])

    def test_a_line_longer_than_the_screen_has_no_colours(self):
        terminal = self.open(columns=30)
        terminal.type("SELECT f:a, f:b, f:cd")
        terminal.expect("sippar> SELECT f:a, f:b, f:cd", 29, [("bold", "SELECT")])
        terminal.type("e")
        terminal.expect("sippar> SELECT f:a, f:b, f:cde", 0, [], row=1)
        terminal.type("fg")
        terminal.expect("fg", 2, [])
        terminal.type(BACKSPACE * 3)
        terminal.expect("sippar> SELECT f:a, f:b, f:cd", 29, [("bold", "SELECT")])

    def test_a_search_in_the_history_has_no_colours(self):
        terminal = self.open()
        terminal.type("\\echo SELECT\r")
        terminal.expect("sippar>", 8, [])
        terminal.type("SELECT 1;\x15SELECT 2")
        terminal.expect("sippar> SELECT 2", 16, [("bold", "SELECT")])
        terminal.type("\x12")
        terminal.expect("(reverse-i-search)`': SELECT 2", 30, [])
        terminal.type("\x07")
        terminal.expect("sippar> SELECT 2", 16, [("bold", "SELECT")])

    def test_candidates_and_an_interrupt_stand_below_the_line(self):
        terminal = self.open()
        styled = [("bold", "SHOW"), ("bold", "TABLE")]
        terminal.type("SHOW TAB\t")
        terminal.expect("sippar> SHOW TABLE", 18, styled)
        terminal.type("\t\t")
        terminal.expect("sippar> SHOW TABLE", 18, styled, row=2)
        terminal.expect("sippar> SHOW TABLE", 18, styled)
        terminal.type("\x03")
        terminal.expect("sippar> SHOW TABLE^C", 8, styled, row=1)
        terminal.expect("sippar>", 8, [])

    def test_a_narrower_screen_keeps_the_line(self):
        terminal = self.open()
        terminal.type("SELECT row")
        styled = [("bold", "SELECT"), ("bold", "row")]
        terminal.expect("sippar> SELECT row", 18, styled)
        terminal.shell.resize(30, 20)
        terminal.look()
        terminal.type(LEFT)
        terminal.expect("sippar> SELECT row", 17, styled)
        self.assertEqual(terminal.screen.row, 0)
        terminal.shell.resize(15, 20)
        terminal.type(END + BACKSPACE * 6)
        terminal.expect("sippar> SELE", 12, [])

    def test_a_command_has_no_colours(self):
        terminal = self.open()
        terminal.type("\\echo FROM 'it")
        terminal.expect("sippar> \\echo FROM 'it", 22, [])

    def test_results_follow_a_line_with_colours(self):
        terminal = self.open()
        terminal.type("CREATE TABLE t (FAMILY f);\r")
        terminal.expect("table t created: 1 family, 1 locality group, 1 tablet", 8, [], row=1)
        terminal.type("SELECT 1 AS n;\r")
        terminal.expect("sippar>", 8, [])
        terminal.expect("sippar> SELECT 1 AS n;", 8, [("bold", "SELECT"), ("bold", "AS")], row=7)
        terminal.type(UP)
        terminal.expect("sippar> SELECT 1 AS n;", 22, [("bold", "SELECT"), ("bold", "AS")])

    def test_colors_off_and_on(self):
        terminal = self.open()
        terminal.type("\\colors off\r")
        terminal.expect("sippar>", 8, [])
        terminal.expect("colors is off", 8, [], row=1)
        terminal.type("SELECT 'a")
        terminal.expect("sippar> SELECT 'a", 17, [])
        terminal.type("\x15\\colors on\r")
        terminal.expect("colors is on", 8, [], row=1)
        terminal.type("SELECT")
        terminal.expect("sippar> SELECT", 14, [("bold", "SELECT")])

    def test_the_environment_can_refuse_colours(self):
        for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            with self.subTest(env=env):
                terminal = self.open(env=env)
                terminal.type("SELECT")
                terminal.expect("sippar> SELECT", 14, [])


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
