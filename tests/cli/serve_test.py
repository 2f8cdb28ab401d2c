# `sippar serve`: its settings from options, environment and file, what it refuses, and what it tells
# a service manager. usage: serve_test.py SIPPAR_BINARY
# SPDX-License-Identifier: Apache-2.0
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = ""
CLUSTER = "zk://127.0.0.1:1/demo"


class ServeTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.store = os.path.join(self.folder, "store")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return path

    def refused(self, *arguments, code=2, **environment):
        run = subprocess.run([BINARY, "serve", *arguments], capture_output=True, text=True,
                             timeout=120, env={**os.environ, **environment})
        self.assertEqual(run.returncode, code, run.stderr)
        self.assertEqual(run.stdout, "")
        return run.stderr

    def first_line(self, *arguments, **environment):
        """What the server says when it serves; it is ended then."""
        run = subprocess.Popen([BINARY, "serve", *arguments], stdout=subprocess.PIPE, text=True,
                               env={**os.environ, **environment})
        with run.stdout:
            line = run.stdout.readline()
            run.send_signal(signal.SIGTERM)
            self.assertEqual(run.wait(timeout=60), 0)
        return line

    def test_an_option_counts_before_the_environment_and_that_before_the_file(self):
        taken = [socket.socket() for _ in range(3)]
        for one in taken:
            one.bind(("127.0.0.1", 0))
        ports = [one.getsockname()[1] for one in taken]
        for one in taken:
            one.close()
        file = self.write("serve.conf", f"listen = 127.0.0.1:{ports[0]}\ndrain = 0.5\n")
        line = self.first_line(self.store, "--config", file)
        self.assertIn(f" on 127.0.0.1:{ports[0]}", line)
        environment = {"SIPPAR_LISTEN": f"127.0.0.1:{ports[1]}"}
        line = self.first_line(self.store, "--config", file, **environment)
        self.assertIn(f" on 127.0.0.1:{ports[1]}", line)
        line = self.first_line(self.store, "--config", file, "--listen", f"127.0.0.1:{ports[2]}",
                               **environment)
        self.assertIn(f" on 127.0.0.1:{ports[2]}", line)

    def test_an_unknown_setting_is_refused_with_the_nearest(self):
        error = self.refused(self.store, "--config", self.write("a.conf", "lisen = 127.0.0.1:0\n"))
        self.assertIn("'lisen' is not known, did you mean listen?", error)
        error = self.refused(self.store, "--config", self.write("b.conf", "zzzzzz = 1\n"))
        self.assertIn("'zzzzzz' is not known; ", error)
        error = self.refused(self.store, "--config", self.write("c.conf", "[part]\nlisten = x:1\n"))
        self.assertIn("section '[part]' is not supported", error)
        self.assertFalse(os.path.exists(self.store))

    def test_an_unknown_option_is_refused_with_the_nearest(self):
        error = self.refused(self.store, "--lisen", "127.0.0.1:0")
        self.assertIn("--lisen, did you mean --listen?\n", error)
        self.assertIn("did you mean --tls-cert?", self.refused("--tls-crt=a.pem", self.store))
        self.assertNotIn("did you mean", self.refused(self.store, "--zzzzzzzzzz"))
        self.assertFalse(os.path.exists(self.store))

    def test_a_file_that_is_missing_is_named(self):
        self.assertIn("no.conf", self.refused(self.store, "--config", "/nowhere/no.conf"))

    def test_a_setting_of_the_file_is_checked_as_its_option(self):
        error = self.refused(self.store, "--config", self.write("serve.conf", "drain = soon\n"))
        self.assertIn("drain", error)

    def test_certificates_of_the_file_count_beside_those_of_the_environment(self):
        # The files are no certificates: a server that takes them names them.
        names = [self.write(f"{name}.pem", "none\n") for name in ("cert", "key", "ca")]
        file = self.write("serve.conf", "wire = 127.0.0.1:0\n" + "".join(
            f"tls-{key} = {name}\n" for key, name in zip(("cert", "key", "ca"), names)))
        environment = {f"SIPPAR_TLS_{key}": "/nowhere/client.pem" for key in ("CERT", "KEY", "CA")}
        error = self.refused(self.store, "--listen", "127.0.0.1:0", "--config", file, code=1, **environment)
        self.assertIn(names[0], error)

    def test_options_without_use_are_refused(self):
        member = ("--cluster", CLUSTER, "--name", "n")
        error = self.refused(*member, "--roles", "tabletserver", "--wire", "127.0.0.1:0")
        self.assertIn("--wire: it is not used with --roles tabletserver", error)
        error = self.refused(*member, "--roles", "tabletserver,gateway", "--wait", "1s")
        self.assertIn("--wait: it is not used with --roles tabletserver,gateway", error)
        error = self.refused(*member, "--roles", "tabletserver", "--drain", "1")
        self.assertIn("--drain: it is not used with --roles tabletserver", error)
        error = self.refused(*member, "--roles", "gateway", "--memory", "1000")
        self.assertIn("--memory: it is not used with --roles gateway", error)
        error = self.refused("--roles", "master", self.store)
        self.assertIn("--cluster", error)

    def test_ctrl_c_ends_a_statement_whose_server_does_not_answer(self):
        subprocess.run([BINARY, "query", self.store, "-e", "CREATE TABLE t (FAMILY f)"], check=True,
                       capture_output=True, timeout=60)
        server = subprocess.Popen([BINARY, "serve", self.store, "--listen", "127.0.0.1:0"],
                                  stdout=subprocess.PIPE, text=True)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait, 60)
        self.addCleanup(server.terminate)
        self.addCleanup(server.send_signal, signal.SIGCONT)
        address = server.stdout.readline().split(" on ")[1].split()[0].rstrip(",;")
        for statement, hint in (
                ("INSERT INTO t ROW 'a' SET f:q = '1'; INSERT INTO t ROW 'b' SET f:q = '2'", ""),
                ("CREATE TABLE u (FAMILY f)", "SHOW TABLES has the table if it was created"),
                ("DROP TABLE t", ""), ("SHOW TABLETS OF t", ""), ("SELECT * FROM t", "")):
            server.send_signal(signal.SIGCONT)
            with subprocess.Popen([BINARY, "query", address], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, bufsize=0) as query:
                query.stdin.write(b"SHOW TABLES;\n")
                self.assertNotEqual(query.stdout.read(1), b"")  # it has reached the server
                server.send_signal(signal.SIGSTOP)
                query.stdin.write(statement.encode() + b";\n")
                query.stdin.close()
                time.sleep(1)
                query.send_signal(signal.SIGINT)
                begun = time.monotonic()
                self.assertEqual(query.wait(60), 130, statement)
                # The answer to the signal takes 20 ms; the rest is for a busy machine.
                self.assertLess(time.monotonic() - begun, 5, statement)
                said = query.stderr.read().decode()
                self.assertIn("cancelled", said, statement)
                self.assertIn(hint, said, statement)

    def test_a_service_manager_is_told_when_it_serves(self):
        path = os.path.join(self.folder, "notify")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(path)
            manager.settimeout(60)
            self.first_line(self.store, "--listen", "127.0.0.1:0", NOTIFY_SOCKET=path)
            self.assertEqual(manager.recv(100), b"READY=1")


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
