# A server's machine loses its power, or its cable: who waits for an answer is told so (FAULTS.md
# N5). Two network namespaces and a pair of devices between them; skipped where they cannot be made.
# usage: half_open_test.py SIPPAR_BINARY
# SPDX-License-Identifier: Apache-2.0
import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = ""
SERVER = None  # the two Networks
CLIENT = None
ADDRESS = "10.213.7.1"
FORWARD = f"""
import asyncio
async def pump(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
async def join(reader, writer):
    to_server = await asyncio.open_connection('127.0.0.1', 8086)
    await asyncio.gather(pump(reader, to_server[1]), pump(to_server[0], writer), return_exceptions=True)
async def main():
    await (await asyncio.start_server(join, '{ADDRESS}', 8086)).serve_forever()
asyncio.run(main())
"""  # without certificates sippar serve listens on loopback only
TOLD_SECONDS = 90  # 10 of silence, 30 for an answer to a ping, and a busy machine
PAGER_SECONDS = 45


class Network:
    """A network namespace without a name: `ip netns add` would leave /run/netns mounted for ever. It
    lasts as long as its process, which ends with this one, however this one ends."""

    def __init__(self):
        self.holder = subprocess.Popen(["unshare", "--net", "cat"], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0)
        self.pid = self.holder.pid
        try:
            self.holder.stdin.write(b"?")
        except BrokenPipeError:
            pass  # seen below
        if self.holder.stdout.read(1) != b"?":
            self.close()
            raise OSError("unshare --net fails")

    def inside(self, *command):
        return ["nsenter", f"--net=/proc/{self.pid}/ns/net", *command]

    def ip(self, *args):
        subprocess.run(self.inside("ip", *args), check=True, capture_output=True, timeout=20)

    def close(self):
        self.holder.stdin.close()
        self.holder.stdout.close()
        self.holder.wait(20)


def connect():
    for network in (SERVER, CLIENT):
        network.ip("link", "set", "lo", "up")
    SERVER.ip("link", "add", "wire", "type", "veth", "peer", "name", "wire", "netns", str(CLIENT.pid))
    for network, address in ((SERVER, ADDRESS), (CLIENT, "10.213.7.2")):
        network.ip("address", "add", address + "/24", "dev", "wire")
        network.ip("link", "set", "wire", "up")


class HalfOpenTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        store = os.path.join(folder.name, "store")
        subprocess.run([BINARY, "bench", store, "--workload", "fillseq", "--rows", "60000", "--sync", "no"],
                       check=True, capture_output=True, timeout=120)
        self.start(BINARY, "serve", store, "--listen", "127.0.0.1:8086")
        self.start(sys.executable, "-c", FORWARD)
        self.await_server()

    def await_server(self):
        deadline = time.monotonic() + 30
        while self.query("SHOW TABLES").wait(30) != 0:
            self.assertLess(time.monotonic(), deadline, "no server")
            time.sleep(0.2)

    def start(self, *command):
        process = subprocess.Popen(SERVER.inside(*command), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait, 30)
        self.addCleanup(process.terminate)

    def query(self, statement):
        process = subprocess.Popen(CLIENT.inside(BINARY, "query", ADDRESS + ":8086", "-e", statement),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for cleanup in (process.stdout.close, process.stderr.close, process.wait, process.kill):
            self.addCleanup(cleanup)  # the last one first
        return process

    def test_who_waits_is_told(self):
        counted = self.count()
        reading = self.query("SELECT * FROM bench")
        self.assertEqual(len(reading.stdout.read(100_000)), 100_000)
        SERVER.ip("link", "set", "wire", "down")
        cut = time.monotonic()
        _, error = reading.communicate(timeout=TOLD_SECONDS)
        self.assertNotEqual(reading.returncode, 0)
        self.assertIn("UNAVAILABLE", error.decode())
        print(f"told after {time.monotonic() - cut:.1f} s: {error.decode().strip()}")
        SERVER.ip("link", "set", "wire", "up")
        self.await_server()
        self.assertEqual(self.count(), counted)

    def test_who_does_not_read_for_a_while_loses_nothing(self):
        reading = self.query("SELECT * FROM bench")
        rows = reading.stdout.read(100_000).count(b"\n")
        time.sleep(PAGER_SECONDS)  # in a pager
        out, error = reading.communicate(timeout=900)
        self.assertEqual(reading.returncode, 0, error)
        self.assertGreaterEqual(rows + out.count(b"\n"), 60_000)

    def count(self):
        counting = self.query("SELECT COUNT(*) FROM bench")
        out, error = counting.communicate(timeout=900)
        self.assertEqual(counting.returncode, 0, error)
        return out


def main():
    global BINARY, SERVER, CLIENT
    BINARY = os.path.abspath(sys.argv.pop(1))
    missing = [tool for tool in ("ip", "unshare", "nsenter") if shutil.which(tool) is None]
    if missing:
        print(f"SKIPPED: no {missing[0]} (Debian: iproute2, util-linux)")
        return 77
    with contextlib.ExitStack() as networks:
        try:
            SERVER = networks.enter_context(contextlib.closing(Network()))
            CLIENT = networks.enter_context(contextlib.closing(Network()))
            connect()
        except (OSError, subprocess.SubprocessError) as error:
            said = (getattr(error, "stderr", None) or b"").decode().strip()
            print(f"SKIPPED: no network namespaces: {said or error}")
            return 77
        program = unittest.main(exit=False)
    return 0 if program.result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
