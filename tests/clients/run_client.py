#!/usr/bin/env python3
"""Runs the program of one language against `sippar serve` on a fresh store.

  run_client.py SIPPAR LANGUAGE

Exit code 77 with a reason: the language, or the registry its library comes from, is not there.
What is downloaded and built stays in a cache outside the tree. SPDX-License-Identifier: Apache-2.0
"""
import os
import shutil
import signal
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


def java():
    need("java")
    need("mvn")
    folder = work_copy("java")
    prepare(["mvn", "-q", "-B", "package", "dependency:copy-dependencies"], "mvn package", cwd=folder)
    return [["java", "-cp", f"{folder}/target/classes:{folder}/target/dependency/*", "Client"]]


def serve(sippar, directory):
    server = subprocess.Popen([sippar, "serve", directory, "--listen", "localhost:0"],
                              stdout=subprocess.PIPE, text=True)
    line = server.stdout.readline()
    assert line.startswith("serving "), line
    return server, line.split(" on ")[1].split()[0]


def main():
    sippar, language = sys.argv[1:]
    os.makedirs(CACHE, exist_ok=True)
    commands = {"go": go, "cbt": cbt, "python": python, "node": node, "java": java}[language]()
    with tempfile.TemporaryDirectory() as directory:
        server, address = serve(sippar, os.path.join(directory, "store"))
        try:
            env = dict(os.environ, BIGTABLE_EMULATOR_HOST=address)
            for command in commands:
                started = time.monotonic()
                subprocess.run(command, env=env, check=True, timeout=600)
                print(f"{' '.join(command)[-80:]}: {time.monotonic() - started:.1f} s")
        finally:
            server.send_signal(signal.SIGTERM)
            code = server.wait(timeout=60)
    assert code == 0, f"the server ended with {code}"


main()
