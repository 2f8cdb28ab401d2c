#!/usr/bin/env python3
"""All figures of the project beside their targets and beside what this machine can do at best.

  figures.py BUILD_DIR CORPUS [WORK_DIR]      after: cmake --build BUILD_DIR --target
                                              sippar bench_store bench_import

Needs a quiet machine, 8 GB of memory for the large corpus, 10 GB of disk, and FUSE for the listing
(SKIPPED without). WORK_DIR (default: a new one under /tmp) is emptied of what this made.
SPDX-License-Identifier: Apache-2.0
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))
import pty_shell  # noqa: E402

TARGETS = {  # figure -> (text, predicate)
    "import of parsed pages, synced, flushed": (">= 60 MB/s", lambda v: v >= 60),
    "pages / stored contents, after import": (">= 10 : 1", lambda v: v >= 10),
    "pages / stored contents, compacted": (">= 10 : 1", lambda v: v >= 10),
    "full cell scan, after import": (">= 200 MB/s", lambda v: v >= 200),
    "full cell scan, compacted": (">= 200 MB/s", lambda v: v >= 200),
    "open after kill -9, 2 GiB store, 64 MiB log": ("< 2 s", lambda v: v < 2),
    "shell: start to prompt, 1 M rows": ("< 0.1 s", lambda v: v < 0.1),
    "ls -f of 1 M rows": (">= 300,000 /s", lambda v: v >= 300_000),
    "ls -f: extra memory of the mount": ("< 64 MB", lambda v: v < 64),
}
missed = []


def show(figure, value, unit):
    target, good = TARGETS.get(figure, ("", None))
    verdict = "" if good is None else "ok" if good(value) else "MISSED"
    if verdict == "MISSED":
        missed.append(figure)
    print(f"{figure:<58} {f'{value:,.2f} {unit}':>16}   {target:<16} {verdict}", flush=True)


def run(*argv):
    return subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout


def show_lines(text):
    for line in text.splitlines():
        figure, value, unit = line.split("\t")
        show(figure, float(value), unit)


def machine(work):
    """What the disk and the memory give with no program of ours in between."""
    path = os.path.join(work, "probe")
    block = os.urandom(1 << 20)
    start = time.monotonic()
    with open(path, "wb", buffering=0) as f:
        for _ in range(512):
            f.write(block)
        os.fsync(f.fileno())
    show("machine: sequential write with a sync at the end", 512 * 1.048576 / (time.monotonic() - start), "MB/s")
    start = time.monotonic()
    with open(path, "rb", buffering=0) as f:
        while f.read(1 << 20):
            pass
    show("machine: read of a cached file", 512 * 1.048576 / (time.monotonic() - start), "MB/s")
    with open(path, "wb", buffering=0) as f:
        start = time.monotonic()
        count = 0
        while time.monotonic() - start < 2:
            f.write(block[:200])
            os.fdatasync(f.fileno())
            count += 1
    show("machine: small appends with fdatasync, one thread", count / (time.monotonic() - start), "/s")
    os.remove(path)


def crash(bench, work):
    store = os.path.join(work, "crash")
    ended = subprocess.run([bench, "crash", store]).returncode
    if ended != -9:
        sys.exit(f"bench_import crash ended with {ended}, not by its own kill -9")
    size = sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(store) for f in files)
    show("size of the store that was killed", size / 1e6, "MB")
    value = float(run(bench, "open", store).split("\t")[1])
    show("open after kill -9, 2 GiB store, 64 MiB log", value, "s")
    shutil.rmtree(store)


def shell(sippar, store):
    best = 9.0
    for _ in range(5):
        session = pty_shell.PtyShell([sippar, "shell", store])
        best = min(best, session.wait("> "))
        session.type("\x04")
        deadline = time.monotonic() + 5
        while not session.ended() and time.monotonic() < deadline:
            session.wait("\0", 0.05)
    show("shell: start to prompt, 1 M rows", best, "s")


def resident_mb(pid, field):
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith(field + ":")) / 1024


def listing(sippar, store, work):
    if subprocess.run(["sh", os.path.join(HERE, "..", "tour", "can-mount")]).returncode:
        print("ls -f of 1 M rows: SKIPPED, /dev/fuse cannot be opened here")
        return
    mount = os.path.join(work, "mnt")
    os.mkdir(mount)
    server = subprocess.Popen([sippar, "mount", store, mount])
    try:
        while not os.path.ismount(mount) and server.poll() is None:
            time.sleep(0.02)
        os.listdir(mount)
        before = resident_mb(server.pid, "VmRSS")
        start = time.monotonic()
        names = int(run("sh", "-c", f"ls -f '{mount}/small' | wc -l"))
        seconds = time.monotonic() - start
        if names < 1_000_000:
            sys.exit(f"ls -f gave {names} names, expected a million")
        show("ls -f of 1 M rows", names / seconds, "/s")
        show("ls -f: extra memory of the mount", resident_mb(server.pid, "VmHWM") - before, "MB")
    finally:
        subprocess.run(["fusermount3", "-u", mount])
        server.wait(10)
        os.rmdir(mount)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, corpus = os.path.abspath(sys.argv[1]), sys.argv[2]
    work = sys.argv[3] if len(sys.argv) > 3 else tempfile.mkdtemp(prefix="figures.")
    sippar = os.path.join(build, "cli", "sippar")
    bench = os.path.join(build, "tests", "bench", "bench_import")
    machine(work)
    show_lines(run(bench, "web", corpus, os.path.join(work, "web")))
    shutil.rmtree(os.path.join(work, "web"))
    store = os.path.join(work, "store")
    print(run(os.path.join(build, "tests", "bench", "bench_store"), store), end="", flush=True)
    shell(sippar, store)
    listing(sippar, store, work)
    shutil.rmtree(store)
    shutil.rmtree(store + "-synced", ignore_errors=True)
    crash(bench, work)
    print(f"missed: {', '.join(missed)}" if missed else "no target of this table is missed")


main()
