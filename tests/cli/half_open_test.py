# A server's machine loses its power, or its cable: who waits for an answer is told so (reliability
# N5). Two network namespaces and a pair of devices between them; skipped where they cannot be made.
# usage: half_open_test.py SIPPAR_BINARY SPDX-License-Identifier: Apache-2.0
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = ""
SERVER = f"sippar-s-{os.getpid()}"
CLIENT = f"sippar-c-{os.getpid()}"
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
"""  # sippar serve listens on loopback only, as nothing is encrypted
TOLD_SECONDS = 90  # 10 of silence, 30 for an answer to a ping, and a busy machine
PAGER_SECONDS = 45


def inside(namespace, *command):
    # Not `ip netns exec`: that wants / to be a mount, which it is not in a chroot.
    return ["nsenter", f"--net=/run/netns/{namespace}", *command]


def ip(namespace, *args):
    command = inside(namespace, "ip", *args) if namespace else ["ip", *args]
    subprocess.run(command, check=True, capture_output=True, timeout=20)


def make_network():
    for namespace in (SERVER, CLIENT):
        ip(None, "netns", "add", namespace)
        ip(namespace, "link", "set", "lo", "up")
    ip(SERVER, "link", "add", "wire", "type", "veth", "peer", "name", "wire", "netns", CLIENT)
    for namespace, address in ((SERVER, ADDRESS), (CLIENT, "10.213.7.2")):
        ip(namespace, "address", "add", address + "/24", "dev", "wire")
        ip(namespace, "link", "set", "wire", "up")


def remove_network():
    for namespace in (SERVER, CLIENT):
        subprocess.run(["ip", "netns", "delete", namespace], capture_output=True, timeout=20)


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
        process = subprocess.Popen(inside(SERVER, *command), stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait, 30)
        self.addCleanup(process.terminate)

    def query(self, statement):
        process = subprocess.Popen(inside(CLIENT, BINARY, "query", ADDRESS + ":8086", "-e", statement),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for cleanup in (process.stdout.close, process.stderr.close, process.wait, process.kill):
            self.addCleanup(cleanup)  # the last one first
        return process

    def test_who_waits_is_told(self):
        counted = self.count()
        reading = self.query("SELECT * FROM bench")
        self.assertEqual(len(reading.stdout.read(100_000)), 100_000)
        ip(SERVER, "link", "set", "wire", "down")
        cut = time.monotonic()
        _, error = reading.communicate(timeout=TOLD_SECONDS)
        self.assertNotEqual(reading.returncode, 0)
        self.assertIn("UNAVAILABLE", error.decode())
        print(f"told after {time.monotonic() - cut:.1f} s: {error.decode().strip()}")
        ip(SERVER, "link", "set", "wire", "up")
        self.await_server()
        self.assertEqual(self.count(), counted)

    def test_who_does_not_read_for_a_while_loses_nothing(self):
        reading = self.query("SELECT * FROM bench")
        rows = reading.stdout.read(100_000).count(b"\n")
        time.sleep(PAGER_SECONDS)  # in a pager
        out, error = reading.communicate(timeout=60)
        self.assertEqual(reading.returncode, 0, error)
        self.assertGreaterEqual(rows + out.count(b"\n"), 60_000)

    def count(self):
        counting = self.query("SELECT COUNT(*) FROM bench")
        out, error = counting.communicate(timeout=60)
        self.assertEqual(counting.returncode, 0, error)
        return out


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    if shutil.which("ip") is None:
        print("SKIPPED: no ip (Debian: iproute2)")
        sys.exit(77)
    try:
        make_network()
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        remove_network()
        print(f"SKIPPED: no network namespaces: {(error.stderr or b'').decode().strip() or error}")
        sys.exit(77)
    try:
        unittest.main()
    finally:
        remove_network()
