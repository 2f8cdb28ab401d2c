# Rows D6 and D19 with a real file system: a tmpfs that is full, then read-only, then well again.
# usage: disk_state_test.py SIPPAR_BINARY; skips (77) where nothing may be mounted.
# SPDX-License-Identifier: Apache-2.0
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = ""
MOUNTED = ""


def mount(*args):
    return subprocess.run(["mount", *args], capture_output=True).returncode == 0


class DiskStateTest(unittest.TestCase):
    def query(self, statement, ok=True):
        run = subprocess.run([BINARY, "query", self.store, "-e", statement], capture_output=True,
                             timeout=60, stdin=subprocess.DEVNULL)
        self.assertEqual(run.returncode == 0, ok, run.stderr.decode())
        return (run.stdout if ok else run.stderr).decode()

    def insert(self, first, limit, ok=True):
        return self.query("".join(f"INSERT INTO t ROW 'r{i:04}' SET f:q = '{'x' * 100}';"
                                  for i in range(first, limit)), ok)

    def rows(self):
        return self.query("SELECT * FROM t;").count("r0")

    def fill(self):
        with open(os.path.join(MOUNTED, "ballast"), "wb", buffering=0) as ballast:
            try:
                for size in (1 << 16, 1 << 10, 1):
                    for _ in range(1 << 20):
                        ballast.write(b"x" * size)
            except OSError:
                pass

    def test_full_then_read_only_then_well(self):
        self.store = os.path.join(MOUNTED, "store")
        self.query("CREATE TABLE t (FAMILY f); CREATE TABLE other (FAMILY f);")
        self.insert(0, 50)
        self.query("COMPACT TABLE t MAJOR;")
        self.insert(50, 100)
        self.fill()
        self.assertIn("space", self.insert(100, 101, ok=False))
        self.assertEqual(self.rows(), 100)
        self.query("DROP TABLE other;")  # what makes room is possible
        self.fill()
        self.assertTrue(mount("-o", "remount,ro", MOUNTED))
        self.assertIn("Read-only file system", self.insert(100, 101, ok=False))
        self.assertEqual(self.rows(), 100)
        self.assertTrue(mount("-o", "remount,rw", MOUNTED))
        self.assertIn("space", self.insert(100, 101, ok=False))
        os.remove(os.path.join(MOUNTED, "ballast"))
        self.insert(100, 150)
        self.assertEqual(self.rows(), 150)
        self.query("COMPACT TABLE t MAJOR;")
        self.assertEqual(self.rows(), 150)


def main():
    global BINARY, MOUNTED
    if "--mounts-are-private" not in sys.argv:
        if os.geteuid() != 0 or shutil.which("unshare") is None:
            print("SKIPPED: mounting needs root and unshare")
            return 77
        unshare = ["unshare", "--mount"]
        if subprocess.run([*unshare, "true"], stderr=subprocess.DEVNULL).returncode != 0:
            unshare += ["--propagation", "unchanged"]  # in a chroot, whose root is no mount point
        return subprocess.run([*unshare, sys.executable, *sys.argv,
                               "--mounts-are-private"]).returncode
    BINARY = os.path.abspath(sys.argv[1])
    MOUNTED = tempfile.mkdtemp(prefix="disk_state.")
    try:
        if not mount("-t", "tmpfs", "-o", "size=16m", "tmpfs", MOUNTED):
            print("SKIPPED: no tmpfs may be mounted here")
            return 77
        program = unittest.main(argv=sys.argv[:1], exit=False)
        return 0 if program.result.wasSuccessful() else 1
    finally:
        subprocess.run(["umount", MOUNTED], capture_output=True)
        os.rmdir(MOUNTED)


if __name__ == "__main__":
    sys.exit(main())
