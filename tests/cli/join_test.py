# One directory, several processes: a script, queries and a mount side by side, without a server; the
# one that has the directory open leaves or is killed; other users' and silent owners.
# usage: join_test.py SIPPAR_BINARY
# SPDX-License-Identifier: Apache-2.0
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = ""


class Script:
    """A long-running `sippar query TARGET` that is fed statement by statement."""

    def __init__(self, target, *args):
        self.process = subprocess.Popen([BINARY, "query", target, "--no-header", *args],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)

    def ask(self, statement):
        """The one line that the statement gives."""
        self.tell(statement)
        return self.process.stdout.readline().decode().rstrip("\n")

    def tell(self, statement):
        self.process.stdin.write(statement.encode() + b";\n")
        self.process.stdin.flush()

    def end(self):
        """Its exit code and what it wrote to stderr."""
        self.process.stdin.close()
        error = self.process.stderr.read().decode()
        self.process.stdout.close()
        self.process.stderr.close()
        return self.process.wait(30), error

    def kill(self):
        self.process.kill()
        self.process.wait(10)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            pipe.close()


class JoinTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.store = os.path.join(self.folder.name, "store")
        self.query("CREATE TABLE t (FAMILY f VERSIONS 1, FAMILY n COUNTER)")

    def run_sippar(self, *args, code=0):
        run = subprocess.run([BINARY, *args], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, code, run.stderr)
        return run.stdout, run.stderr

    def query(self, statements, target=None, code=0):
        out, err = self.run_sippar("query", target or self.store, "--no-header", "-e", statements,
                                   code=code)
        return err if code else out

    def owner(self):
        """A script that has the directory open."""
        script = Script(self.store)
        self.assertEqual(script.ask("SELECT COUNT(*) FROM t"), "0")
        return script

    def test_everybody_sees_and_writes_the_same_table(self):
        owner = self.owner()
        mode = os.stat(os.path.join(self.store, "sippar.sock")).st_mode
        self.assertTrue(stat.S_ISSOCK(mode))
        self.assertEqual(stat.S_IMODE(mode), 0o600)
        self.query("INSERT INTO t ROW 'a' SET f:q = 'joined'")
        self.assertEqual(owner.ask("SELECT f:q FROM t WHERE row = 'a'"), "joined")
        owner.tell("UPDATE t SET f:q = 'owner' WHERE row = 'a'")
        self.assertEqual(owner.ask("SELECT 'done'"), "done")
        self.assertEqual(self.query("SELECT f:q FROM t WHERE row = 'a'"), "owner\n")
        self.query("CREATE TABLE u (FAMILY g); INSERT INTO u ROW 'x' SET g: = '1'")
        self.assertEqual(owner.ask("SELECT COUNT(*) FROM u"), "1")
        self.assertIn("default", self.run_sippar("admin", "stats", self.store)[0])
        self.run_sippar("admin", "compact", self.store)
        self.run_sippar("admin", "verify", self.store)
        self.run_sippar("export", self.store, "t", "--to", os.path.join(self.folder.name, "t.cells"))
        self.assertIn("nosuch", self.query("SELECT nosuch:x FROM t", code=1))
        self.assertEqual(owner.end()[0], 0)
        self.assertFalse(os.path.exists(os.path.join(self.store, "sippar.sock")))

    def test_when_the_owner_leaves_another_goes_on(self):
        owner = self.owner()
        joined = Script(self.store)
        self.assertEqual(joined.ask("SELECT COUNT(*) FROM t"), "0")
        self.assertEqual(owner.end()[0], 0)
        joined.tell("INSERT INTO t ROW 'a' SET f:q = '1'")
        self.assertEqual(joined.ask("SELECT COUNT(*) FROM t"), "1")
        # It has the directory now, and serves it.
        self.assertEqual(self.query("SELECT COUNT(*) FROM t"), "1\n")
        joined.tell("CREATE TABLE v (FAMILY f)")
        self.assertEqual(joined.ask("SELECT COUNT(*) FROM v"), "0")
        self.assertEqual(joined.end()[0], 0)

    def test_changes_of_tables_after_the_owner_left(self):
        owner = self.owner()
        joined = Script(self.store)
        self.assertEqual(joined.ask("SELECT COUNT(*) FROM t"), "0")
        owner.kill()
        joined.tell("CREATE TABLE v (FAMILY f)")
        self.assertEqual(joined.ask("SELECT COUNT(*) FROM v"), "0")
        self.assertEqual(joined.end()[0], 0)

    def test_each_increment_counts_once_though_owners_are_killed(self):
        total = 0
        for _ in range(4):
            owner = self.owner_of_any()
            writers = [Script(self.store) for _ in range(2)]
            for writer in writers:
                self.assertEqual(writer.ask("SELECT 'ready'"), "ready")
                writer.tell("INCREMENT t n:c BY 1 WHERE row = 'r'")
                total += 1
            for _ in range(300):
                for writer in writers:
                    writer.tell("INCREMENT t n:c BY 1 WHERE row = 'r'")
                    total += 1
            owner.kill()  # with a call of each writer under way
            for writer in writers:
                self.assertEqual(writer.ask("SELECT 'done'"), "done")
                self.assertEqual(writer.end()[0], 0)
            self.assertEqual(self.query("SELECT n:c FROM t WHERE row = 'r'"), f"{total}\n")

    def queries_of(self, table):
        out, _ = self.run_sippar("query", self.store, "--format", "jsonl", "-e",
                                 f"SHOW QUERIES OF {table}")
        return [json.loads(line) for line in out.splitlines()]

    def test_statements_of_other_processes_are_listed_and_cancelled(self):
        self.query("CREATE TABLE w (FAMILY f) WITH (CHANGE_STREAM = 1d)")
        owner = self.owner()
        joined = Script(self.store)
        self.assertEqual(joined.ask("SELECT COUNT(*) FROM t"), "0")
        for script in (owner, joined):
            script.tell("TAIL w")
        self.wait_until(lambda: len(self.queries_of("w")) == 2)
        listed = self.queries_of("w")
        ids = {line["pid"]: line["query"] for line in listed}
        self.assertEqual({line["statement"] for line in listed}, {"TAIL w"})
        # Statements of the owner end, too. It is last: it serves the others.
        for script in (joined, owner):
            pid = script.process.pid
            begin = time.monotonic()
            _, said = self.run_sippar("query", self.store, "-e", f"CANCEL '{ids[pid]}'")
            self.assertIn(f"ended {ids[pid]} of process {pid} on ", said)
            self.assertLess(time.monotonic() - begin, 3)
            code, error = script.end()  # a script ends at its first error
            self.assertEqual(code, 1)
            self.assertRegex(error, f"^error CANCELLED: .*cancelled by CANCEL '{ids[pid]}' of process ")
            self.assertNotIn(ids[pid], [line["query"] for line in self.queries_of("w")])
        self.assertIn("is not under way", self.query(f"CANCEL '{ids[owner.process.pid]}'", code=1))

    def owner_of_any(self):
        script = Script(self.store)
        self.assertEqual(script.ask("SELECT COUNT(*) FROM t").isdigit(), True)
        return script

    def test_host_and_port(self):
        with subprocess.Popen([BINARY, "serve", self.store, "--listen", "127.0.0.1:0",
                               "--wire", "127.0.0.1:0"], stdout=subprocess.PIPE) as server:
            line = server.stdout.readline().decode()
            address = line.split(" on ")[1].split()[0]
            wire = line.split(" programs on ")[1].split()[0]
            for target in (address, "sippar://" + address, "unix:" + self.store + "/sippar.sock",
                           self.store, wire, "sippar://" + wire):
                self.query("INCREMENT t n:c BY 1 WHERE row = 'r'", target=target)
                self.query("INSERT INTO t ROW 'a' SET f:q = 'x'", target=target)
            for target in (address, wire):
                self.assertEqual(self.query("SELECT n:c FROM t WHERE row = 'r'", target=target), "6\n")
            server.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(20), 0)
        for target in (address, wire):
            error = self.query("SELECT 1; SELECT * FROM t", target=target, code=3)
            self.assertIn(target, error)

    def test_bench_of_a_server(self):
        store = os.path.join(self.folder.name, "bench")
        with subprocess.Popen([BINARY, "serve", store, "--listen", "127.0.0.1:0",
                               "--wire", "127.0.0.1:0"], stdout=subprocess.PIPE) as server:
            line = server.stdout.readline().decode()
            for target in (line.split(" on ")[1].split()[0], line.split(" programs on ")[1].split()[0]):
                for workload in ("fillseq", "readrandom", "scan"):
                    out, _ = self.run_sippar("bench", target, "--workload", workload, "--rows", "500",
                                             "--threads", "2", "--format", "json")
                    self.assertGreater(json.loads(out)["ops_per_s"], 0)
                _, error = self.run_sippar("bench", target, "--workload", "fillseq", "--rows", "5",
                                           "--sync", "no", code=3)
                self.assertIn("syncs its writes", error)
            server.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(20), 0)

    def test_a_wire_for_other_machines_needs_certificates(self):
        for arguments, said in ((("--wire", "0.0.0.0:0"), "certificate"),
                                (("--wire", "127.0.0.1:0", "--tls-cert", __file__), "--tls-"),
                                (("--tls-cert", __file__, "--tls-key", __file__, "--tls-ca", __file__), "--wire"),
                                (("--wire", "127.0.0.1:0", "--tls-cert", ""), "--tls-cert"),
                                (("--wire", "unix:" + self.store + ".socket"), "HOST:PORT")):
            server = subprocess.run([BINARY, "serve", self.store, "--listen", "127.0.0.1:0", *arguments],
                                    capture_output=True, timeout=60)
            self.assertNotEqual(server.returncode, 0)
            self.assertIn(said, server.stderr.decode())

    def test_an_owner_that_does_not_answer(self):
        owner = self.owner()
        owner.process.send_signal(signal.SIGSTOP)
        try:
            _, error = self.run_sippar("query", self.store, "--wait", "1s", "-e",
                                       "SELECT COUNT(*) FROM t", code=3)
        finally:
            owner.process.send_signal(signal.SIGCONT)
        self.assertIn("held by another process (pid", error)
        self.assertIn("cannot be joined", error)
        self.assertEqual(owner.end()[0], 0)

    def test_a_dead_socket_is_no_owner(self):
        owner = self.owner()
        owner.kill()
        self.assertTrue(os.path.exists(os.path.join(self.store, "sippar.sock")))
        begin = time.monotonic()
        self.assertEqual(self.query("SELECT COUNT(*) FROM t"), "0\n")
        self.assertLess(time.monotonic() - begin, 2)

    @unittest.skipUnless(os.geteuid() == 0, "becomes another user")
    def test_another_user_is_not_served(self):
        owner = self.owner()
        path = os.path.join(self.store, "sippar.sock")
        for folder in (self.folder.name, self.store):
            os.chmod(folder, 0o777)
        os.chmod(path, 0o666)  # as if the mode alone had protected it
        child = os.fork()
        if child == 0:
            os.setuid(65534)
            with socket.socket(socket.AF_UNIX) as other:
                other.connect(path)
                other.settimeout(5)
                try:
                    other.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0")
                    os._exit(0 if other.recv(100) == b"" else 1)
                except (BrokenPipeError, ConnectionResetError):
                    os._exit(0)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual(owner.end()[0], 0)

    @unittest.skipUnless(shutil.which("fusermount3") and os.access("/dev/fuse", os.R_OK | os.W_OK),
                         "needs FUSE")
    def test_a_mount_beside_a_script_and_after_it(self):
        owner = self.owner()
        self.query("INSERT INTO t ROW 'a' SET f:q = 'one'")
        point = os.path.join(self.folder.name, "mnt")
        os.mkdir(point)
        with subprocess.Popen([BINARY, "mount", self.store, point], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as mount:
            try:
                self.wait_until(lambda: os.path.ismount(point))
                self.assertEqual(self.content(point, "t/a/f/q"), "one")
                self.query("INSERT INTO t ROW 'b' SET f:q = 'two'")
                self.assertEqual(self.content(point, "t/b/f/q"), "two")
                owner.kill()
                self.query("INSERT INTO t ROW 'c' SET f:q = 'three'")
                self.assertEqual(self.content(point, "t/c/f/q"), "three")
                self.assertEqual(self.query("SELECT COUNT(*) FROM t"), "3\n")
            finally:
                mount.send_signal(signal.SIGTERM)
                mount.wait(20)

    def content(self, point, path):
        with open(os.path.join(point, path), encoding="utf-8") as file:
            return file.read()

    def wait_until(self, holds):
        for _ in range(200):
            if holds():
                return
            time.sleep(0.05)
        self.fail("waited for nothing")


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
