# One directory and many processes that come and go: short scripts in loops, shells, an export, a query
# into a file, an import and a mount. No work ends because another process leaves, politely or by
# kill -9. usage: side_by_side_test.py SIPPAR_BINARY
# SPDX-License-Identifier: Apache-2.0
# SIDE_BY_SIDE=long: 16 loops of 50 scripts, 8 loops of 200 (minutes).
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from join_test import Script  # noqa: E402
import join_test  # noqa: E402

BINARY = ""
LONG = os.environ.get("SIDE_BY_SIDE") == "long"


class SideBySideTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.store = self.path("store")
        self.query("CREATE TABLE t (FAMILY f VERSIONS 1, FAMILY n COUNTER)")
        self.failures = []
        self.kills = 0
        self.killed = [0] * 16  # of each loop: whether such a script was done is not known

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_sippar(self, *args, code=0, text=None):
        run = subprocess.run([BINARY, *args], capture_output=True, text=True, timeout=300, input=text)
        self.assertEqual(run.returncode, code, run.stderr)
        return run.stdout, run.stderr

    def query(self, statements, code=0):
        out, err = self.run_sippar("query", self.store, "--no-header", "--format", "csv", "-e",
                                   statements, code=code)
        return err if code else out

    def load(self, table, rows, value="value%d"):
        """Rows r0000000 ... with one cell each."""
        self.query(f"CREATE TABLE {table} (FAMILY f VERSIONS 1)")
        text = "id,v\n" + "".join(f"r{i:07d},{value % i}\n" for i in range(rows))
        self.run_sippar("import", "csv", self.store, table, "-", "--map", "ROW = id, f:v = v",
                        text=text)

    def opener(self, table, rows):
        script = Script(self.store)
        self.assertEqual(script.ask(f"SELECT COUNT(*) FROM {table}"), str(rows))
        return script

    def readers_while(self, leave):
        """An export and a query, joined, whose readers read a little, and the rest when `leave` has
        ended the opener: most of the table was not sent by then."""
        rows, value = 150_000, "value%d-" + "x" * 100
        self.load("big", rows, value)
        opener = self.opener("big", rows)
        readers = [
            subprocess.Popen([BINARY, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)
            for args in (("export", self.store, "big", "--to", "-", "--format", "csv"),
                         ("query", self.store, "--format", "csv", "-e", "SELECT row, f:v FROM big"),
                         ("export", self.store, "big", "--to", "-"))]
        begun = [reader.stdout.readline() for reader in readers]
        leave(opener)
        texts = []
        for reader, first in zip(readers, begun):
            rest, error = reader.communicate(timeout=120)
            self.assertEqual(reader.returncode, 0, error.decode())
            texts.append(first + rest)
        want = [f"r{i:07d},{value % i}" for i in range(rows)]
        self.assertEqual(texts[1].decode().splitlines()[1:], want)
        self.assertEqual(len(texts[0].splitlines()), rows + 1)
        with open(self.path("big.cells"), "wb") as file:
            file.write(texts[2])
        self.query("CREATE TABLE again (FAMILY f VERSIONS 1)")
        self.run_sippar("import", "cells", self.store, "again", self.path("big.cells"))
        self.assertEqual(self.query("SELECT COUNT(*) FROM again"), f"{rows}\n")

    def test_f_j1_readers_go_on_when_the_opener_leaves(self):
        self.readers_while(lambda opener: self.assertEqual(opener.end(), (0, "")))

    def test_f_j1_readers_go_on_when_the_opener_is_killed(self):
        self.readers_while(lambda opener: opener.kill())

    def test_f_j1_an_import_goes_on_when_the_opener_leaves(self):
        self.query("CREATE TABLE big (FAMILY f VERSIONS 1)")
        rows = 100_000
        for before, leave in ((0, lambda opener: opener.end()), (rows, lambda opener: opener.kill())):
            opener = self.opener("big", before)
            with subprocess.Popen([BINARY, "import", "csv", self.store, "big", "-", "--map",
                                   "ROW = id, f:v = v"], stdin=subprocess.PIPE,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as load:
                load.stdin.write(b"id,v\n")
                for i in range(rows):
                    if i == rows // 2:
                        leave(opener)
                    load.stdin.write(b"r%07d,value%d\n" % (i, i))
                _, error = load.communicate()
                self.assertEqual(load.returncode, 0, error.decode())
            self.assertEqual(self.query("SELECT COUNT(*) FROM big"), f"{rows}\n")

    def test_f_j2_a_directory_that_is_held_is_waited_for(self):
        # Neither served nor let go: as one that is opened or closed. Then it is let go.
        import fcntl
        with open(os.path.join(self.store, "lock", "+LOCK"), "r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            begin = time.monotonic()
            _, error = self.run_sippar("query", self.store, "--wait", "300ms", "-e", "SELECT * FROM t",
                                       code=3)
            self.assertIn("held by another process", error)
            self.assertGreater(time.monotonic() - begin, 0.3)
            _, error = self.run_sippar("query", self.store, "--wait", "soon", "-e", "SELECT 1", code=2)
            self.assertIn("--wait", error)
            with subprocess.Popen([BINARY, "query", self.store, "--no-header", "-e",
                                   "SELECT COUNT(*) FROM t"], stdout=subprocess.PIPE) as waiting:
                time.sleep(4)  # longer than it was waited for once
                self.assertIsNone(waiting.poll())
                fcntl.flock(lock, fcntl.LOCK_UN)
                self.assertEqual(waiting.communicate(timeout=30)[0], b"0\n")
                self.assertEqual(waiting.returncode, 0)

    def test_f_j2_ctrl_c_ends_the_wait(self):
        import fcntl
        with open(os.path.join(self.store, "lock", "+LOCK"), "r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            with subprocess.Popen([BINARY, "query", self.store, "-e", "SELECT * FROM t"],
                                  stderr=subprocess.PIPE) as waiting:
                time.sleep(1)
                waiting.send_signal(signal.SIGINT)
                self.assertEqual(waiting.wait(10), 130)
                self.assertIn(b"held by another process", waiting.stderr.read())

    def test_f_j3_a_read_says_nothing_of_changes(self):
        with subprocess.Popen([BINARY, "serve", self.store, "--listen", "127.0.0.1:0"],
                              stdout=subprocess.PIPE) as server:
            address = server.stdout.readline().decode().split(" on ")[1].split()[0]
            reader, writer = Script(address), Script(address)
            for script in (reader, writer):
                self.assertEqual(script.ask("SELECT COUNT(*) FROM t"), "0")
            server.kill()
            server.wait(10)
        reader.tell("SELECT * FROM t")
        writer.tell("INSERT INTO t ROW 'a' SET f:q = '1'")
        code, error = reader.end()
        self.assertNotEqual(code, 0)
        self.assertNotIn("change", error)
        self.assertNotEqual(writer.end()[0], 0)

    def test_f_j4_what_fails_makes_no_directory(self):
        store = self.path("none")
        absent = self.path("absent.csv")
        with open(self.path("one.csv"), "w", encoding="utf-8") as file:
            file.write("id,v\na,1\n")
        point = self.path("mnt")
        os.mkdir(point)
        for code, *args in (
                (3, "import", "csv", store, "t", absent, "--map", "ROW = id"),
                (3, "import", "csv", store, "t", self.path("one.csv"), "--map", "ROW = id"),
                (3, "import", "cells", store, "t", absent),
                (2, "import", "web", store, absent),
                (3, "query", store, "-e", "INSERT INTO t ROW 'a' SET f:q = '1'"),
                (3, "query", store, "-e", "IMPORT INTO t FROM 'x' FORMAT csv (ROW = id)"),
                (3, "query", store, "-e", "SELECT * FROM t"),
                (1, "query", store, "-e", "CREATE TABEL t (FAMILY f)"),
                (3, "export", store, "t", "--to", self.path("t.cells")),
                (3, "admin", "verify", store),
                (3, "admin", "stats", store),
                (1, "mount", store, point)):
            _, error = self.run_sippar(*args, code=code)
            if code == 3:
                self.assertIn("no store", error)
            self.assertFalse(os.path.exists(store), args)

    def short_scripts(self, loops, scripts):
        """Each loop runs short scripts one after another, each an INSERT and an INCREMENT. Gives the
        threads, and for each loop the numbers of the scripts that were acknowledged."""
        done = [[] for _ in range(loops)]

        def run(loop):
            for i in range(scripts):
                run = subprocess.run(
                    [BINARY, "query", self.store, "-q", "-e",
                     f"INSERT INTO t ROW 'l{loop:02d}-{i:03d}' SET f:q = '{i}'; "
                     f"INCREMENT t n:c BY 1 WHERE row = 'count{loop:02d}'"],
                    capture_output=True, text=True, timeout=300)
                if run.returncode == 0:
                    done[loop].append(i)
                elif run.returncode == -signal.SIGKILL and self.kills > 0:
                    self.killed[loop] += 1
                else:
                    self.failures.append(f"script {loop}/{i}: {run.returncode} {run.stderr}")

        threads = [threading.Thread(target=run, args=(loop,)) for loop in range(loops)]
        for thread in threads:
            thread.start()
        return threads, done

    def check_scripts(self, done):
        rows = set(self.query("SELECT row FROM t WHERE row STARTS WITH 'l'").split())
        counts = dict(line.split(",") for line in self.query(
            "SELECT row, n:c FROM t WHERE row STARTS WITH 'count'").split())
        for loop, numbers in enumerate(done):
            for i in numbers:
                self.assertIn(f"l{loop:02d}-{i:03d}", rows)
            count = int(counts[f"count{loop:02d}"])
            self.assertGreaterEqual(count, len(numbers))
            self.assertLessEqual(count, len(numbers) + self.killed[loop])

    def test_f_j2_short_scripts_at_once(self):
        loops, scripts = (8, 200) if LONG else (8, 6)
        begin = time.monotonic()
        threads, done = self.short_scripts(loops, scripts)
        for thread in threads:
            thread.join()
        print(f"{loops * scripts} short scripts in {loops} loops: {len(self.failures)} failed, "
              f"{loops * scripts / (time.monotonic() - begin):.1f} a second", file=sys.stderr)
        self.assertEqual(self.failures, [])
        self.check_scripts(done)

    def background(self, stop, body):
        def run():
            while not stop.is_set():
                try:
                    body()
                except Exception as error:  # pylint: disable=broad-except
                    self.failures.append(f"{body}: {error!r}")
                    return
        thread = threading.Thread(target=run)
        thread.start()
        return thread

    def shell(self):
        """Comes, counts a little, and leaves."""
        script = Script(self.store)
        try:
            for _ in range(random.randint(1, 5)):
                script.ask("SELECT COUNT(*) FROM t")
                time.sleep(random.random() / 5)
            code, error = script.end()
        except BrokenPipeError:  # it was killed
            code, error = script.process.wait(30), "it takes no more statements"
            for pipe in (script.process.stdout, script.process.stderr):
                pipe.close()
        if not self.is_well(code):
            self.failures.append(f"shell: {code} {error}")

    def command(self, name, *args, text=None):
        run = subprocess.run([BINARY, *args], capture_output=True, text=True, timeout=300, input=text)
        if not self.is_well(run.returncode):
            self.failures.append(f"{name}: {run.returncode} {run.stderr}")
        return run.returncode == 0

    def is_well(self, code):
        return code == 0 or (code == -signal.SIGKILL and self.kills > 0)

    def export(self):
        cells = self.path("side.cells")
        if self.command("export", "export", self.store, "side", "--to", cells) and os.path.getsize(
                cells) != self.cells_size:
            self.failures.append(f"export: {os.path.getsize(cells)} bytes")

    def import_rows(self):
        self.imports += 1
        text = "id,v\n" + "".join(f"i{self.imports:03d}-{i:04d},v\n" for i in range(3000))
        if self.command("import", "import", "csv", self.store, "loaded", "-", "--map",
                        "ROW = id, f:v = v", text=text):
            self.imported += 1

    def mount_a_while(self, point):
        with subprocess.Popen([BINARY, "mount", self.store, point], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as mount:
            try:
                while mount.poll() is None and not os.path.ismount(point):
                    time.sleep(0.02)
                for _ in range(20):
                    self.read_mounted(mount, os.path.join(point, "side/r0000007/f/v"))
                    time.sleep(0.05)
            finally:
                mount.send_signal(signal.SIGTERM)
                _, error = mount.communicate(timeout=60)
            if not self.is_well(mount.returncode):
                self.failures.append(f"mount: {mount.returncode} {error.decode()}")
        self.wait_until(lambda: not self.is_mounted(point))

    def is_mounted(self, point):
        with open("/proc/mounts", encoding="utf-8") as mounts:
            return any(line.split()[1] == point for line in mounts)

    def read_mounted(self, mount, path):
        try:
            with open(path, encoding="utf-8") as file:
                if file.read() != "value7":
                    self.failures.append("mount: another value")
        except OSError as error:
            time.sleep(0.5)  # until a killed one is seen to be
            if mount.poll() is None:
                self.failures.append(f"mount: {error}")

    def bustle(self, loops, scripts, kill=False):
        """Short scripts beside two shells that come and go, an export, an import and a mount."""
        self.load("side", 20_000)
        self.query("CREATE TABLE loaded (FAMILY f VERSIONS 1)")
        cells = self.path("side.cells")
        self.run_sippar("export", self.store, "side", "--to", cells)
        self.cells_size = os.path.getsize(cells)
        self.imports = self.imported = 0
        point = self.path("mnt")
        os.mkdir(point)
        stop = threading.Event()
        begin = time.monotonic()
        try:
            others = [self.background(stop, self.shell), self.background(stop, self.shell),
                      self.background(stop, self.export), self.background(stop, self.import_rows)]
            if shutil.which("fusermount3") and os.access("/dev/fuse", os.R_OK | os.W_OK):
                others.append(self.background(stop, lambda: self.mount_a_while(point)))
            if kill:
                others.append(self.background(stop, self.kill_the_opener))
            threads, done = self.short_scripts(loops, scripts)
            for thread in threads:
                thread.join()
            stop.set()
            for thread in others:
                thread.join()
        finally:
            stop.set()
        print(f"{loops} loops of {scripts} scripts beside others{f', {self.kills} kills' if kill else ''}: "
              f"{len(self.failures)} failures, {loops * scripts / (time.monotonic() - begin):.1f} "
              f"scripts a second", file=sys.stderr)
        self.assertEqual(self.failures, [])
        self.check_scripts(done)
        loaded = int(self.query("SELECT COUNT(*) FROM loaded"))
        self.assertGreaterEqual(loaded, self.imported * 3000)
        self.assertLessEqual(loaded, self.imports * 3000)
        self.run_sippar("admin", "verify", self.store)

    def kill_the_opener(self):
        """Whichever process has the directory open."""
        time.sleep(random.random() * 1.5)
        with open(os.path.join(self.store, "lock", "+LOCK"), encoding="utf-8") as lock:
            words = lock.read().split()
        if len(words) != 2:
            return
        try:
            self.kills += 1
            os.kill(int(words[1]), signal.SIGKILL)
        except ProcessLookupError:
            pass  # it has just left

    def test_scripts_shells_export_import_and_mount(self):
        self.bustle(*((16, 50) if LONG else (6, 4)))

    def test_the_same_when_openers_are_killed(self):
        self.bustle(*((16, 50) if LONG else (6, 4)), kill=True)

    def wait_until(self, holds):
        for _ in range(1000):
            if holds():
                return
            time.sleep(0.02)
        self.fail("waited for nothing")


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    join_test.BINARY = BINARY
    unittest.main()
