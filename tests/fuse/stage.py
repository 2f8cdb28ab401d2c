# Drives mount_stage: a store that is mounted and written by one process. Used by mount_test.py and
# semantics_test.py.
# SPDX-License-Identifier: Apache-2.0
import errno
import os
import signal
import subprocess
import sys
import tempfile
import time


def skip_unless_fuse():
    """Ends the test with 77 and a loud line where the kernel cannot be asked."""
    reason = None
    if not os.path.exists("/dev/fuse"):
        reason = "there is no /dev/fuse"
    elif not os.access("/dev/fuse", os.R_OK | os.W_OK):
        reason = "/dev/fuse may not be opened by this user"
    elif os.geteuid() != 0 and subprocess.call(["sh", "-c", "command -v fusermount3 >/dev/null"]):
        reason = "fusermount3 is not installed and this is not root"
    if reason:
        print("SKIPPED, NOTHING WAS TESTED: " + reason, flush=True)
        sys.exit(77)


def is_mounted(path):
    with open("/proc/self/mountinfo") as lines:
        return any(line.split()[4] == path for line in lines)


def wait_until(condition, what, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("waited %.0f s for: %s" % (seconds, what))
        time.sleep(0.02)


class Stage:
    """One store and its mount point in a new folder."""

    def __init__(self, binary):
        self.binary = binary
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="sippar-mount-"))
        self.store = os.path.join(self.folder, "store")
        self.mount = os.path.join(self.folder, "mnt")
        self.queries = os.path.join(self.folder, "queries")
        os.mkdir(self.mount)
        os.mkdir(self.queries)
        self.process = None

    def start(self):
        self.process = subprocess.Popen([self.binary, self.store, self.mount, self.queries],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        answer = self.process.stdout.readline().strip()
        assert answer == "ok", answer
        return self

    def tell(self, *words):
        """Sends a command; returns what follows "error", or fails on it for plain commands."""
        self.process.stdin.write("\t".join(str(word) for word in words) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if answer == "ok":
            return ""
        assert answer.startswith("error "), answer
        return answer[len("error "):]

    def do(self, *words):
        error = self.tell(*words)
        assert error == "", (words[0], error)

    def set(self, table, row, family, qualifier, time_us, value):
        def raw(text):
            return (text.encode() if isinstance(text, str) else text).hex()
        self.do("set", table, raw(row), family, raw(qualifier), time_us, raw(value))

    def drop_row(self, table, row):
        self.do("drop-row", table, row.encode().hex())

    def rss_kib(self):
        return int(self.tell("rss").split()[1])

    def status_kib(self, name):
        with open("/proc/%d/status" % self.process.pid) as status:
            return next(int(line.split()[1]) for line in status if line.startswith(name + ":"))

    def reset_peak(self):
        with open("/proc/%d/clear_refs" % self.process.pid, "w") as clear:
            clear.write("5")

    def counters(self):
        words = self.tell("counters").split()
        return dict(zip(words[0::2], map(int, words[1::2])))

    def save_query(self, name, text):
        with open(os.path.join(self.queries, name), "w", encoding="utf-8") as file:
            file.write(text)

    def path(self, *parts):
        return os.path.join(self.mount, *parts)

    def stop(self):
        if self.process is not None:
            self.process.stdin.close()
            code = self.process.wait(timeout=30)
            self.process.stdout.close()
            self.process = None
            assert code == 0, code
            assert not is_mounted(self.mount), "still mounted after a clean end"

    def clean(self):
        """Whatever state the test left: no process, no mount, no folder."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
        subprocess.call(["umount", "-l", self.mount], stderr=subprocess.DEVNULL)
        subprocess.call(["rm", "-rf", self.folder])


def errno_of(action):
    try:
        action()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "OK"
