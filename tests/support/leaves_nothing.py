#!/usr/bin/env python3
"""Runs one test, and fails it when it leaves something: a process, a mount, a file.

  leaves_nothing.py COMMAND ARGUMENT...

Every test of ctest runs under this (../CMakeLists.txt). It gives the test folders of its own for
temporary files, as TMPDIR on the disk and as SIPPAR_TEST_MEMORY in memory. Orphans of the test become
this process's children, daemons too: so it finds what this test left while others run beside it. Where
it may (as root), it takes a mount namespace too: whatever is mounted in there is the test's.
What is left is removed in any case, also when the test fails; with SIPPAR_TEST_KEEP set in the
environment the files of a failing test stay. SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ENDS_SECONDS = 10  # what was told to end, as a mount that was unmounted, may need a moment
PR_SET_CHILD_SUBREAPER = 36
CLONE_NEWNS = 0x20000
MS_PRIVATE_AND_ALL_BELOW = 0x40000 | 0x4000

libc = ctypes.CDLL(None)


def take_mount_namespace():
    """Whether no mount of others can show up here."""
    return (libc.unshare(CLONE_NEWNS) == 0 and
            libc.mount(b"none", b"/", None, MS_PRIVATE_AND_ALL_BELOW, None) == 0)


def mounts():
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as lines:
        return [line.split()[4].encode("latin-1", "replace").decode("unicode_escape")
                for line in lines]


def new_mounts(before, is_alone, folders):
    """Mount points that are there now, the inner ones first."""
    found = mounts()
    for point in before:
        if point in found:
            found.remove(point)
    if not is_alone:
        found = [point for point in found if point.startswith(tuple(folders))]
    return found[::-1]


def parent_of(pid):
    with open(f"/proc/{pid}/stat", "rb") as stat:
        return int(stat.read().rpartition(b")")[2].split()[1])


def command_line(pid):
    with open(f"/proc/{pid}/cmdline", "rb") as command:
        return command.read().replace(b"\0", b" ").decode(errors="replace").strip()


def descendants():
    """Pids of all processes that come from this one."""
    parents = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            parents[int(pid)] = parent_of(pid)
        except OSError:
            continue  # it ended
    found, new = set(), {os.getpid()}
    while new:
        new = {pid for pid, parent in parents.items() if parent in new}
        found |= new
    return found


def run(command, environment):
    """Its exit code; meanwhile this is the parent of orphans, and lets none stay a zombie."""
    child = subprocess.Popen(command, env=environment)
    ended, status = 0, 0
    while ended != child.pid:
        ended, status = os.waitpid(-1, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode < 0:
        print(f"The test was ended by signal {-child.returncode}.", flush=True)
    return child.returncode


def has_children():
    """Takes note of the children that ended. Orphans become children of this process, so without a
    child there is no descendant: the kernel says so, also of a process in the middle of its exec."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
        return True
    except ChildProcessError:
        return False


def end_processes():
    """What did not end by itself within the time; it is killed."""
    limit = time.monotonic() + ENDS_SECONDS
    while has_children() and time.monotonic() < limit:
        time.sleep(0.05)
    killed = {}
    while has_children():
        for pid in descendants():
            try:
                killed[pid] = killed.get(pid) or command_line(pid)
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue  # it ended
        time.sleep(0.02)
    return [f"process {pid}: {command}" for pid, command in killed.items()]


def unmount(points):
    for point in points:
        subprocess.run(["umount", "-l", point], capture_output=True, check=False)
    return [f"mount {point}" for point in points]


def main():
    folders = [tempfile.mkdtemp(prefix="sippar-test.")]
    os.chmod(folders[0], 0o755)  # some tests go on as another user
    environment = dict(os.environ, TMPDIR=folders[0], TEST_TMPDIR=folders[0],
                       PYTHONDONTWRITEBYTECODE="1")
    if os.access("/dev/shm", os.W_OK):
        folders.append(tempfile.mkdtemp(prefix="sippar-test.", dir="/dev/shm"))
        environment["SIPPAR_TEST_MEMORY"] = folders[1]
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    is_alone = take_mount_namespace()
    before = mounts()
    code = 1
    try:
        code = run(sys.argv[1:], environment)
    finally:
        left = end_processes()
        left += unmount(new_mounts(before, is_alone, folders))
        left += [f"file {folder}/{name}" for folder in folders for name in sorted(os.listdir(folder))]
        keeps = code not in (0, 77) and "SIPPAR_TEST_KEEP" in os.environ
        for folder in folders:
            if not keeps or not os.listdir(folder):
                shutil.rmtree(folder, ignore_errors=True)
    if not left:
        return code
    print("The test left behind:", *left, sep="\n  ", flush=True)
    return code if code not in (0, 77) else 1


if __name__ == "__main__":
    sys.exit(main())
