# Screens of common situations in the shell. Each file of screens/ is what a terminal shows: the lines at
# the prompts are typed, and all else must be what the shell shows. Its first line has the terminal's size.
# usage: shell_screens_test.py SIPPAR_BINARY [--rewrite]
# SPDX-License-Identifier: Apache-2.0
import glob
import os
import re
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
REWRITE = False
SCREENS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "screens")
PROMPT = re.compile(r"^(sippar(?: \[[^\]]*\])?[-'*{]?> )(.*)$")
SETUP = """
CREATE TABLE web (FAMILY anchor, FAMILY contents VERSIONS 3, FAMILY hits COUNTER);
INSERT INTO web ROW 'com.cnn.www' SET contents: = '<html>v1' AT 5, contents: = '<html>v2' AT 6,
  anchor:"cnnsi.com" = 'CNN' AT 9, anchor:"my.look.ca" = 'CNN.com' AT 8;
INSERT INTO web ROW 'org.debian.www' SET contents: = '<html>debian' AT 7, hits:total = 30;
CREATE TABLE log (FAMILY f);
"""


def setup():
    lines = ", ".join(f"('line{i:04}', 'entry {i}')" for i in range(1000))
    return f"{SETUP} INSERT INTO log (ROW, f:text) VALUES {lines};".encode()


class ScreensTest(unittest.TestCase):
    pass


def show(text):
    """What the terminal shows of `text`: blanks at the end of a line are invisible, and so is the caret's way
    to a bracket and back."""
    text = text.replace("\b", "")
    return "\n".join(line.rstrip() for line in text.splitlines())


def run(test, path):
    with open(path, encoding="utf-8") as file:
        size, screen = file.read().split("\n", 1)
    columns, lines = map(int, size.strip("# ").split("x"))
    with tempfile.TemporaryDirectory() as folder:
        if not os.path.basename(path).startswith("new"):
            subprocess.run([BINARY, "query", os.path.join(folder, "data")], input=setup(), check=True,
                           stderr=subprocess.DEVNULL)
        before = os.getcwd()
        os.chdir(folder)
        try:
            shell = PtyShell([BINARY, "shell", "data"], {"SIPPAR_HISTORY": "off", "SIPPAR_PAGER": "cat"},
                             columns, lines)
        finally:
            os.chdir(before)
        shell.wait("> ")
        for line in screen.splitlines():
            typed = PROMPT.match(line)
            if not typed:
                continue
            shell.line(typed.group(2))
            shell.wait("\n")
            if typed.group(2) != "\\q":
                wait_for_prompt(shell)
        shell.type("\x04")
        code = shell.exit_code()
        shell.close()
    seen = show(shell.clean()) + "\n"
    if REWRITE:
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{size}\n{seen}")
        return
    test.assertEqual(seen, screen)
    test.assertEqual(code, 0)


def wait_for_prompt(shell):
    """Waits until the last line is a prompt."""
    for _ in range(500):
        last = shell.clean()[shell.mark:].rsplit("\n", 1)[-1]
        if PROMPT.match(last):
            shell.mark = len(shell.clean())
            return
        shell.pause(0.02)
    raise AssertionError(f"no prompt in {shell.clean()[shell.mark:]!r}")


for each in sorted(glob.glob(os.path.join(SCREENS, "*.txt"))):
    name = os.path.basename(each)[:-4]
    setattr(ScreensTest, f"test_{name}", lambda self, path=each: run(self, path))

if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    REWRITE = "--rewrite" in sys.argv and not sys.argv.remove("--rewrite")
    unittest.main()
