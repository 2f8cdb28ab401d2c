#!/usr/bin/env python3
"""Starts members of ZooKeeper from Debian's packages, runs a test, and ends them.

  zookeeper_members.py MEMBERS COMMAND ARGUMENT...

Exit 77 and a line with SKIPPED where ZooKeeper is not installed. The command finds in its environment
  SIPPAR_ZOOKEEPER          host:port,host:port of the members
  SIPPAR_ZOOKEEPER_RELAYED  the same, through relays
  SIPPAR_ZOOKEEPER_CONTROL  port of 127.0.0.1 that takes one line a connection and answers "ok" or why not:
    kill N | start N | freeze N | thaw N     the process of member N (1, 2, ...)
    cut N | join N                           what is sent to N and by N through its relay for clients
    part N | join-members N                  the same between N and the other members
    slow MS                                  all relays for clients pass everything on MS milliseconds late
    wipe                                     the data of all members, which are started again
    heal                                     what the others broke, but not what was wiped
    leads N                                  "ok" if member N is the leader
    received N                               answers with the number of packets that member N has received
Every member listens on 127.0.0.1 and reaches the others' leader ports through a relay, so that each can
be cut off alone. Everything is below TMPDIR.
SPDX-License-Identifier: Apache-2.0
"""
import os
import random
import shutil
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time

JAR = "/usr/share/java/zookeeper.jar"
LOG_JAR = "/usr/share/java/slf4j-simple.jar"  # without it there is no log
TICK_MS = 500
START_SECONDS = 60
CONFIGURATION = """tickTime={tick}
initLimit=40
syncLimit=10
minSessionTimeout={shortest}
maxSessionTimeout=60000
dataDir={directory}/data
clientPort={port}
clientPortAddress=127.0.0.1
maxClientCnxns=0
admin.enableServer=false
4lw.commands.whitelist=srvr
quorumListenOnAllIPs=false
"""


def free_ports(count):
    """Ports that the kernel gives to nobody: a member that is killed has to find its own free again, while
    other tests of this machine listen and connect."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
        first_given, last_given = map(int, file.read().split())
    candidates = [*range(5000, first_given), *range(last_given + 1, 1 << 16)] or [*range(5000, 1 << 16)]
    ports = []
    for port in random.sample(candidates, len(candidates)):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        ports.append(port)
        if len(ports) == count:
            return ports
    sys.exit(f"only {len(ports)} of {count} ports are free")


class Relay:
    """Passes on what comes to a port. While it is cut, it holds everything back and tells neither end.

    A follower that finds its leader's port closed tries again for a while; one whose connection ends begins
    an election. So a relay between members waits `patience_seconds` for the port before it ends one."""

    def __init__(self, target, patience_seconds=0):
        self.target = target
        self.patience_seconds = patience_seconds
        self.whole = threading.Event()
        self.whole.set()
        self.late_seconds = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            end, _ = self.listener.accept()
            threading.Thread(target=self.connect, args=(end,), daemon=True).start()

    def connect(self, end):
        until = time.monotonic() + self.patience_seconds
        while True:
            self.whole.wait()
            try:
                other = socket.create_connection(("127.0.0.1", self.target))
                break
            except OSError:
                if time.monotonic() >= until:
                    end.close()
                    return
                time.sleep(0.05)
        for a, b in ((end, other), (other, end)):
            a.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.pass_on, args=(a, b), daemon=True).start()

    def pass_on(self, source, sink):
        try:
            while data := source.recv(1 << 16):
                self.whole.wait()
                time.sleep(self.late_seconds)
                sink.sendall(data)
            self.whole.wait()
        except OSError:
            self.whole.wait()
        for each in (source, sink):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Members:
    def __init__(self, count, directory):
        self.directory = directory
        self.numbers = range(1, count + 1)
        self.processes = {}
        ports = free_ports(3 * count)
        self.ports = {n: ports[3 * (n - 1):3 * n] for n in self.numbers}  # clients, leader, election
        self.for_clients = {n: Relay(self.ports[n][0]) for n in self.numbers}
        self.between = {(a, b): Relay(self.ports[b][1], patience_seconds=5)
                        for a in self.numbers for b in self.numbers if a != b}
        for number in self.numbers:
            self.configure(number)

    def configure(self, number):
        home = os.path.join(self.directory, str(number))
        os.makedirs(os.path.join(home, "data"))
        with open(os.path.join(home, "data", "myid"), "w", encoding="ascii") as file:
            file.write(f"{number}\n")
        with open(os.path.join(home, "zoo.cfg"), "w", encoding="ascii") as file:
            file.write(CONFIGURATION.format(tick=TICK_MS, shortest=2 * TICK_MS, directory=home,
                                            port=self.ports[number][0]))
            for other in self.numbers if len(self.numbers) > 1 else []:
                leader = self.ports[other][1] if other == number else self.between[number, other].port
                file.write(f"server.{other}=127.0.0.1:{leader}:{self.ports[other][2]}\n")

    def begin(self, number):
        home = os.path.join(self.directory, str(number))
        with open(os.path.join(home, "log"), "ab") as log:
            self.processes[number] = subprocess.Popen(
                ["java", "-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                 "-Dzookeeper.forceSync=no",  # no test cuts the power
                 "-Dzookeeper.jmx.log4j.disable=true", "-Dorg.slf4j.simpleLogger.logFile=System.out",
                 "-cp", f"{JAR}:{LOG_JAR}", "org.apache.zookeeper.server.quorum.QuorumPeerMain",
                 os.path.join(home, "zoo.cfg")],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def figure(self, number, name):
        """A line of what the member says of itself; empty while it serves nobody."""
        try:
            with socket.create_connection(("127.0.0.1", self.ports[number][0]), timeout=2) as end:
                end.sendall(b"srvr")
                answer = b""
                while data := end.recv(4096):
                    answer += data
                return answer.decode().partition(f"{name}: ")[2].partition("\n")[0]
        except OSError:
            return ""

    def is_frozen(self, number):
        with open(f"/proc/{self.processes[number].pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] in "TZ"

    def mode(self, number):
        """leader, follower or standalone; empty while it serves nobody."""
        return self.figure(number, "Mode")

    def await_serving(self, number):
        until = time.monotonic() + START_SECONDS
        while not self.mode(number):
            if self.processes[number].poll() is not None or time.monotonic() > until:
                return f"member {number} does not serve (exit code {self.processes[number].poll()}); the end of " \
                       f"its log:\n{self.end_of_log(number)}"
            time.sleep(0.1)
        return "ok"

    def end_of_log(self, number):
        with open(os.path.join(self.directory, str(number), "log"), encoding="utf-8", errors="replace") as log:
            return "".join(log.readlines()[-15:])

    def obey(self, line):
        word, _, rest = line.partition(" ")
        if word == "heal":
            for relay in [*self.for_clients.values(), *self.between.values()]:
                relay.whole.set()
                relay.late_seconds = 0
            for process in self.processes.values():
                process.send_signal(signal.SIGCONT)
            for number in self.numbers:
                if self.processes[number].poll() is not None:
                    self.begin(number)
            return next((a for a in map(self.await_serving, self.numbers) if a != "ok"), "ok")
        if word == "wipe":
            for number, process in self.processes.items():
                process.kill()
                process.wait()
                shutil.rmtree(os.path.join(self.directory, str(number), "data", "version-2"))
            for number in self.numbers:
                self.begin(number)
            return next((a for a in map(self.await_serving, self.numbers) if a != "ok"), "ok")
        number = int(rest)
        if word == "slow":
            for relay in self.for_clients.values():
                relay.late_seconds = number / 1000
            return "ok"
        if word == "leads":
            return "ok" if self.mode(number) == "leader" else "no"
        if word == "received":
            return self.figure(number, "Received")
        if word == "start":
            self.begin(number)
            return self.await_serving(number)
        if word in ("kill", "freeze", "thaw"):
            signals = {"kill": signal.SIGKILL, "freeze": signal.SIGSTOP, "thaw": signal.SIGCONT}
            self.processes[number].send_signal(signals[word])
            if word == "kill":
                self.processes[number].wait()
            while word == "freeze" and not self.is_frozen(number):
                time.sleep(0.01)
            return "ok"
        relays = {"cut": [self.for_clients[number]], "join": [self.for_clients[number]]}.get(
            word, [r for ends, r in self.between.items() if number in ends])
        for relay in relays:
            if word in ("join", "join-members"):
                relay.whole.set()
            elif word in ("cut", "part"):
                relay.whole.clear()
            else:
                return f"no such command: {line}"
        return "ok"

    def end(self):
        for process in self.processes.values():
            process.kill()
            process.wait()

    def show_logs(self):
        for number in self.numbers:
            print(f"--- member {number}, the end of its log\n{self.end_of_log(number)}", flush=True)


def main():
    count, command = int(sys.argv[1]), sys.argv[2:]
    missing = [package for package, there in (("openjdk-17-jre-headless", shutil.which("java")),
                                              ("zookeeper", os.path.exists(JAR))) if not there]
    if missing:
        print(f"SKIPPED, NOTHING WAS TESTED: no {' and no '.join(missing)} (Debian packages; "
              "sh tests/install-packages.sh --checks)", flush=True)
        return 77
    with tempfile.TemporaryDirectory(prefix="sippar-zookeeper-") as directory:
        members = Members(count, directory)

        class Control(socketserver.StreamRequestHandler):
            def handle(self):
                line = self.rfile.readline().decode().strip()
                self.wfile.write((members.obey(line) + "\n").encode())

        try:
            for number in members.numbers:
                members.begin(number)
            for number in members.numbers:
                if (answer := members.await_serving(number)) != "ok":
                    print(answer, flush=True)
                    members.show_logs()
                    return 1
            control = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Control)
            threading.Thread(target=control.serve_forever, daemon=True).start()
            hosts = ",".join(f"127.0.0.1:{members.ports[n][0]}" for n in members.numbers)
            relayed = ",".join(f"127.0.0.1:{members.for_clients[n].port}" for n in members.numbers)
            code = subprocess.run(command, check=False, env={
                **os.environ, "SIPPAR_ZOOKEEPER": hosts, "SIPPAR_ZOOKEEPER_RELAYED": relayed,
                "SIPPAR_ZOOKEEPER_CONTROL": str(control.server_address[1])}).returncode
            if code != 0:
                members.show_logs()
            return code
        finally:
            members.end()


sys.exit(main())
