# A shell in a pseudo terminal for tests: types keys, waits for text. No library but Python's own.
# SPDX-License-Identifier: Apache-2.0
import os
import pty
import re
import select
import signal
import struct
import fcntl
import termios
import time

ESCAPES = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\r")


class PtyShell:
    """`sippar shell` with its terminal; output is kept without escape sequences."""

    def __init__(self, argv, env=None, columns=100, lines=40):
        self.output = b""
        self.mark = 0
        self.status = None
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            # No pager unless the test has one: it would take the keys. No start file of this user. No colours:
            # with them the line is drawn twice (pty_screen.py tells what a terminal then shows).
            full = dict(os.environ, TERM="xterm", LC_ALL="C.UTF-8", NO_COLOR="1", SIPPAR_PAGER="off",
                        SIPPAR_SHELLRC="off")
            full.update(env or {})
            os.execve(argv[0], argv, full)
        self.resize(columns, lines)

    def resize(self, columns, lines):
        size = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, size)

    def type(self, text):
        os.write(self.terminal, text.encode())

    def line(self, text):
        self.type(text + "\r")

    def _read(self, seconds):
        ready, _, _ = select.select([self.terminal], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self.terminal, 65536)
        except OSError:
            return False
        self.output += data
        return bool(data)

    def clean(self):
        return ESCAPES.sub(b"", self.output).decode("utf-8", "replace")

    def wait(self, text, seconds=10.0):
        """Waits for `text` behind what earlier waits found; gives the seconds it took."""
        start = time.monotonic()
        while True:
            seen = self.clean()
            at = seen.find(text, self.mark)
            if at >= 0:
                self.mark = at + len(text)
                return time.monotonic() - start
            left = seconds - (time.monotonic() - start)
            if left <= 0 or (not self._read(min(left, 0.2)) and self.ended()):
                raise AssertionError(f"no {text!r} in {seen[self.mark:]!r}")

    def pause(self, seconds=0.3):
        """Lets the shell work for a while; gives all output so far."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._read(max(end - time.monotonic(), 0))
        return self.clean()

    def ended(self):
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
        return self.status is not None

    def exit_code(self, seconds=10.0):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self._read(0.02)
            if self.ended():
                return os.waitstatus_to_exitcode(self.status)
        raise AssertionError("the shell did not end")

    def close(self):
        """Ends the shell if it still runs; one store may be open only once."""
        if self.ended():
            os.close(self.terminal)
            return
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.terminal)
