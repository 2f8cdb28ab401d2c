#!/usr/bin/env python3
"""Runs the program of one language against `sippar serve` on a fresh store.

  run_client.py SIPPAR LANGUAGE [CORPUS | large | joined | cluster]

hbase and beam run a MapReduce over a Webtable, made from CORPUS (tests/corpus) or from pages of its
own, and what they count must be what the query language counts. With "large" the programs but cbt's
and Beam's write and read a cell of 100 MiB, three times. With "joined" another process has the
directory open, and the server joins it. With "cluster" the server is the gateway of a cluster of
processes.

Exit code 77 with a reason: the language, or the registry its library comes from, is not there.
What is downloaded and built stays in a cache outside the tree.
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "sippar-clients")


def skip(reason):
    print("SKIP:", reason)
    sys.exit(77)


def need(program):
    if shutil.which(program) is None:
        skip(f"no {program} on this machine")


def prepare(command, what, **kwargs):
    """Downloads and builds; a registry that does not answer is no failure of ours."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=300, **kwargs)
    except subprocess.TimeoutExpired:
        skip(f"{what}: no end after 300 s")
    if result.returncode != 0:
        skip(f"{what}: {(result.stdout + result.stderr)[-500:]}")


def work_copy(language):
    folder = os.path.join(CACHE, language)
    shutil.copytree(os.path.join(HERE, language), folder, dirs_exist_ok=True)
    return folder


def go():
    need("go")
    folder = work_copy("go")
    prepare(["go", "build", "-o", "client", "."], "go build", cwd=folder)
    return [[os.path.join(folder, "client")]]


def cbt():
    need("go")
    env = dict(os.environ, GOBIN=CACHE)
    binary = os.path.join(CACHE, "cbt")
    if not os.path.exists(binary):  # of later versions the source is not in the module proxy
        prepare(["go", "install", "cloud.google.com/go/bigtable/cmd/cbt@v1.10.1"], "go install cbt",
                env=env)
    base = [binary, "-project", "sippar", "-instance", "default"]
    return [base + words for words in (
        ["createtable", "cbt_pages"],
        ["createfamily", "cbt_pages", "anchor"],
        ["setgcpolicy", "cbt_pages", "anchor", "maxversions=2"],
        ["set", "cbt_pages", "com.cnn.www", "anchor:cnnsi.com=CNN"],
        ["read", "cbt_pages"],
        ["lookup", "cbt_pages", "com.cnn.www"],
        ["count", "cbt_pages"],
        ["ls", "cbt_pages"],
        ["deleterow", "cbt_pages", "com.cnn.www"],
        ["deletetable", "cbt_pages"])]


def python():
    folder = os.path.join(CACHE, "python")
    interpreter = os.path.join(folder, "bin", "python")
    if not os.path.exists(interpreter):
        prepare([sys.executable, "-m", "venv", folder], "python venv")
    prepare([interpreter, "-m", "pip", "install", "-q", "google-cloud-bigtable"], "pip install")
    return [[interpreter, os.path.join(HERE, "python", "client.py")]]


def node():
    need("node")
    need("npm")
    folder = work_copy("node")
    prepare(["npm", "install", "--silent", "--no-audit", "--no-fund"], "npm install", cwd=folder)
    return [["node", os.path.join(folder, "client.js")]]


def java_program(name, *words):
    need("java")
    need("mvn")
    folder = work_copy(name)
    prepare(["mvn", "-q", "-B", "package", "dependency:copy-dependencies"], f"mvn package {name}",
            cwd=folder)
    return ["java", "-cp", f"{folder}/target/classes:{folder}/target/dependency/*", *words]


def java():
    return [java_program("java", "Client")]


# Table of the counts, and how they are read.
# Where each job puts its counts, and which versions of anchors it counts.
JOBS = {"hbase": ("hbase_hosts", "INT64(counts:anchors)", ""),
        "beam": ("hosts", "INT64(TEXT(counts:anchors))", "VERSIONS ALL")}


def hbase():
    return [java_program("hbase", "HBaseJob", "web", "hbase_hosts")]


def beam():
    return [java_program("beam", "BeamJob", "web", "hosts")]


def make_corpus(directory):
    """Pages of three hosts that link to each other."""
    hosts = ["www.cnn.com", "my.look.ca", "cnnsi.com"]
    os.makedirs(directory)
    with open(os.path.join(directory, "manifest.tsv"), "w") as manifest:
        for i in range(300):
            host = hosts[i % 3]
            links = "".join(f'<a href="http://{hosts[j % 3]}/{j % 40}.html">to {j}</a>'
                            for j in range(i, i + 2 + i % 5))
            with open(os.path.join(directory, f"{i}.html"), "w") as page:
                page.write(f"<html><title>{i}</title><body>{links}</body></html>")
            row = ".".join(reversed(host.split("."))) + f"/{i}.html"
            manifest.write(f"{row}\t{i}.html\ttext/html\t1700000000000000\tpages=1\n")


def query(sippar, store, statement):
    out = subprocess.run([sippar, "query", store, "-e", statement, "--format", "jsonl"], check=True,
                         capture_output=True, text=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def fill_web(sippar, store, directory, corpus):
    if corpus is None:
        corpus = os.path.join(directory, "corpus")
        make_corpus(corpus)
    subprocess.run([sippar, "import", "web", store, corpus], check=True)
    query(sippar, store, "CREATE TABLE hosts (FAMILY counts VERSIONS 1)")


def check_hosts(sippar, store, table, value, versions):
    want = query(sippar, store, "SELECT SPLIT_PART(row, '/', 1) AS host, COUNT(*) AS n "
                                f"FROM CELLS(web, anchor:*) {versions} GROUP BY host ORDER BY host")
    got = query(sippar, store, f"SELECT row AS host, {value} AS n FROM {table} ORDER BY host")
    assert want and got == want, (want[:5], got[:5])
    print(f"{sum(host['n'] for host in want)} anchors of {len(want)} hosts, as the query says")


def serve(sippar, directory):
    server = subprocess.Popen([sippar, "serve", directory, "--listen", "localhost:0"],
                              stdout=subprocess.PIPE, text=True)
    line = server.stdout.readline()
    assert line.startswith("serving "), line
    return server, line.split(" on ")[1].split()[0]


class Store:
    """One directory, and a server of it."""

    def __init__(self, sippar, directory):
        self.sippar = sippar
        self.target = os.path.join(directory, "store")

    def begin(self):
        self.server, self.address = serve(self.sippar, self.target)
        return self.server.pid

    def end(self):
        self.server.send_signal(signal.SIGTERM)
        code = self.server.wait(timeout=60)
        assert code == 0, f"the server ended with {code}"

    def close(self):
        pass


class Cluster:
    """Processes of a cluster, whose gateway is the server."""

    def __init__(self, sippar, directory):
        if not shutil.which("java") or not os.path.exists("/usr/share/java/zookeeper.jar"):
            skip("no ZooKeeper on this machine")
        self.command = [sippar, "cluster"]
        self.directory = os.path.join(directory, "cluster")
        up = subprocess.run([*self.command, "up", self.directory, "--port", str(free_ports(4))],
                            stdout=subprocess.PIPE, text=True, timeout=300, check=True)
        words = up.stdout.splitlines()[-1].split()
        assert words[0] == "cluster" and words[2] == "gateway" and words[4] == "ready", up.stdout
        self.target, self.address = words[1], words[3]

    def begin(self):
        with open(os.path.join(self.directory, "pids", "g1"), encoding="ascii") as file:
            return int(file.read())

    def end(self):
        pass

    def close(self):
        subprocess.run([*self.command, "down", self.directory], check=True, timeout=300)


def free_ports(count):
    """The first of so many free ports in a row, outside of those that the kernel gives out."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as file:
        first_given = int(file.read().split()[0])
    for _ in range(1000):
        base = random.randrange(5000, max(first_given, 6000) - count)
        try:
            for port in range(base, base + count):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", port))
            return base
        except OSError:
            pass
    sys.exit("no free ports")


def own(sippar, directory):
    owner = subprocess.Popen([sippar, "query", directory, "--no-header"], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
    owner.stdin.write(b"CREATE TABLE IF NOT EXISTS theirs (FAMILY f);\nSELECT 1;\n")
    owner.stdin.flush()
    owner.stdout.readline()
    return owner


def peak_megabytes(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM"))


def main():
    sippar, language = sys.argv[1:3]
    corpus = sys.argv[3] if len(sys.argv) > 3 else None
    large = corpus == "large"
    joined = corpus == "joined"
    clustered = corpus == "cluster"
    os.makedirs(CACHE, exist_ok=True)
    commands = {"go": go, "cbt": cbt, "python": python, "node": node, "java": java,
                "hbase": hbase, "beam": beam}[language]()
    with tempfile.TemporaryDirectory() as directory:
        store = (Cluster if clustered else Store)(sippar, directory)
        try:
            is_job = language in JOBS and not large
            if is_job:
                fill_web(sippar, store.target, directory,
                         None if joined or clustered else corpus)
            owner = own(sippar, store.target) if joined else None
            run(commands, store, large)
            if owner is not None:
                owner.stdin.close()
                assert owner.wait(timeout=60) == 0
            if is_job:
                check_hosts(sippar, store.target, *JOBS[language])
        finally:
            store.close()


def run(commands, store, large):
    pid = store.begin()
    try:
        env = dict(os.environ, BIGTABLE_EMULATOR_HOST=store.address)
        for command in commands:
            started = time.monotonic()
            subprocess.run(command + ["large"] * large, env=env, check=True, timeout=600)
            print(f"{' '.join(command)[-80:]}: {time.monotonic() - started:.1f} s, "
                  f"the server's memory had a peak of {peak_megabytes(pid)} MB")
    finally:
        store.end()


main()
