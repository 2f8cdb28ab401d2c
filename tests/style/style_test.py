#!/usr/bin/env python3
"""The rules of the house that a machine can check.

  style_test.py [REPOSITORY]    # the working directory when none is named

1. Layers: every #include goes to the own folder or to one before it in layers.txt; no cycles between
   files or folders. 2. Sizes: no file over 400 lines but those in ratchet.txt, and those may not grow. 3. Banned
names. 4. No calls to the OS for files, threads, time or chance outside their folders. 5. Paths named
in READMEs exist, and so do documents and fault rows that sources and documents cite, and the tests that fault rows name. 6. No file over
1 MiB, no path of a machine. 7. No word in a message for which README.md here has a plain one. 8. The license has a line of its own.
SPDX-License-Identifier: Apache-2.0
"""
import fnmatch
import os
import re
import subprocess
import sys

CODE = ("engine", "cluster", "query", "fuse", "cli")
BANNED_IN_NAMES = {"manager": "say what it manages", "helper": "name what it does",
                   "util": "name what it does", "utils": "name what it does", "impl": "name the kind",
                   "misc": "give each thing its file"}
# What reaches around our own interfaces, and where it is allowed. A simulation (tests/sim) runs on these
# interfaces; what passes them by makes its histories differ from run to run.
OS_CALLS = [
    (re.compile(r"std::(j?thread|this_thread|(?:recursive_|timed_|shared_|shared_timed_)?mutex|once_flag"
                r"|call_once|condition_variable\w*|async|future|promise|latch|barrier|\w+_semaphore)\b"),
     ("engine/base/",)),
    (re.compile(r"\bpthread_\w+"), ("engine/base/", "fuse/kernel/")),
    # Safe only where no lock, wait or call to the OS lies between two uses: fibers share it.
    (re.compile(r"\bthread_local\b"), ("engine/base/call_notes.h", "engine/base/cpu_time.cc", "engine/base/tablet_scope.h", "engine/read/read_totals.h", "engine/sstable/block_codec.cc",
                                       "fuse/tree/node.cc")),
    (re.compile(r"std::chrono::\w*_clock"), ("engine/base/",)),
    (re.compile(r"\b(fopen|std::[io]?fstream)\b"), ("cli/", "fuse/kernel/")),
    (re.compile(r"(?<![\w.>])::open\(|(?<![\w.>])::fsync\(|(?<![\w.>])::rename\("),
     ("engine/fs/", "cli/", "fuse/kernel/")),
    (re.compile(r"\b(std::rand|s?rand\(|std::random_device|std::mt19937\w*|std::default_random_engine"
                r"|getrandom\b|getentropy\b)"),
     ("engine/base/",)),
    (re.compile(r"\bclock_gettime\b|\bgettimeofday\b|\b(nano|u)?sleep\(|\btime\((nullptr|NULL|0)\)"),
     ("engine/base/",)),
    # The order of addresses is chance.
    (re.compile(r"std::(multi)?(map|set)<[^<>,]*\*\s*[,>]"), ()),
]
PACKAGE_ONLY = [  # heavy libraries and the disk live behind one door each
    (re.compile(r'#include [<"]antlr4'), ("query/parse/",)),
    (re.compile(r"#include <fuse"), ("fuse/kernel/",)),
    (re.compile(r"#include <gumbo"), ("cli/web/",)),
    (re.compile(r"#include <zstd"), ("engine/sstable/", "cli/packed_file.cc")),
    (re.compile(r"#include <zlib"), ("cli/packed_file.cc",)),
    (re.compile(r"#include <re2/"), ("engine/model/",)),
    (re.compile(r"#include <asio"), ("cluster/net/loop.cc",)),
    (re.compile(r"#include <openssl/"), ("cluster/net/tls.cc", "engine/program/scalar_hash.cc")),
    (re.compile(r"#include <readline/"), ("cli/",)),
    (re.compile(r"#include <zookeeper/"), ("cluster/lock/zookeeper/zookeeper_handle.cc",)),
    (re.compile(r"#include (<grpc|<google/|\"cluster/proto/)"),
     ("cluster/grpc/", "cluster/bigtable/", "cluster/serve/")),
    # DoAdmin and DoData pass the statement's cancel flag and timeout.
    (re.compile(r"\bcontext_?\s*\.client\(\)\s*->(admin|data)\(\)\s*->Do\("), ()),
    # What a target means is decided once.
    (re.compile(r"\bNewPosixFileSystem\b"), ("engine/fs/", "cluster/node/target.cc")),
]
# In string literals. "there is no x" and "is no longer" are plain English.
UNCLEAR = re.compile(r"\b(?:behind|anew|dear|somebody|nobody|whoever)\b|(?<!there )\b(?:is|are) no\b(?! longer)"
                     r"|\bthere (?:already|twice|yet)\b|\bnot there\b|\bexists already\b")
MACHINE_PATHS = re.compile(r"/work/(main|shared|\.library)|(?<![\w}])/root/|/home/[a-z]")
failures = []


def fail(text):
    failures.append(text)


def tracked(root):
    out = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"], check=True,
                         capture_output=True, text=True).stdout
    return [p for p in out.splitlines() if os.path.isfile(os.path.join(root, p))]


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as f:
        return f.read()


def layers(root):
    order, never = {}, {}
    for line in read(root, "tests/style/layers.txt").splitlines():
        if " never " in line and not line.startswith("#"):
            folder, _, *banned = line.split()
            never[folder] = tuple(banned)
        elif line and not line.startswith("#"):
            level = len(order)
            for folder in line.split():
                order[folder] = level
    return order, never


def check_layers(sources, order, never):
    graph = {}
    for path, text in sources.items():
        folder = path if path in order else os.path.dirname(path)
        if folder not in order:
            fail(f"{path}: folder {folder} is not in tests/style/layers.txt")
            continue
        for include in re.findall(r'^#include "([^"]+)"', text, re.M):
            target = os.path.dirname(include)
            if include.startswith(tuple(b if b.endswith(".h") else b + "/" for b in never.get(folder, ()))):
                fail(f"{path}: includes {include}, which {folder} never does (tests/style/layers.txt)")
            graph.setdefault(path, []).append(include)
            if target == folder or target not in order:
                continue
            if order[target] >= order[folder]:
                fail(f"{path}: includes {include}, which comes later (tests/style/layers.txt)")
    fail_on_cycles("includes", {p: [i for i in included if i in sources] for p, included in graph.items()})
    # layers.txt alone would not do: a file that it names by itself may pull its folder into a cycle.
    folders = {}
    for path, included in graph.items():
        others = folders.setdefault(os.path.dirname(path), {})
        others.update(dict.fromkeys(os.path.dirname(i) for i in included if i in sources))
        others.pop(os.path.dirname(path), None)
    fail_on_cycles("folders", folders)


def fail_on_cycles(what, graph):
    state = {}

    def visit(node, trail):
        if state.get(node) == 2:
            return
        if state.get(node) == 1:
            fail(f"cycle of {what}: " + " -> ".join(trail[trail.index(node):] + [node]))
            return
        state[node] = 1
        for target in graph.get(node, []):
            visit(target, trail + [node])
        state[node] = 2

    for node in graph:
        visit(node, [])


def check_sizes(root, sources):
    allowed = {}
    for line in read(root, "tests/style/ratchet.txt").splitlines():
        if line and not line.startswith("#"):
            size, path = line.split()
            allowed[path] = int(size)
    for path, text in sources.items():
        lines = text.count("\n")
        limit = allowed.get(path, 400)
        if lines > limit:
            fail(f"{path}: {lines} lines, at most {limit}: which is the second noun in it?")


def check_names(sources):
    for path, text in sources.items():
        for word in re.split(r"[_./]", path.lower()):
            if word in BANNED_IN_NAMES:
                fail(f"{path}: '{word}' in its name: {BANNED_IN_NAMES[word]}")
        for name in re.findall(r"^\s*(?:class|struct|enum class) (\w+)", text, re.M):
            for word in re.findall(r"[A-Z][a-z]+", name):
                if word.lower() in BANNED_IN_NAMES:
                    fail(f"{path}: type {name}: {BANNED_IN_NAMES[word.lower()]}")


def check_doors(sources):
    for path, text in sources.items():
        code = re.sub(r"//.*", "", text)
        for pattern, folders in OS_CALLS + PACKAGE_ONLY:
            found = pattern.search(code)
            if found and not path.startswith(folders):
                fail(f"{path}: {found.group(0)!r} is allowed only in {', '.join(folders) or 'no file'}")


def check_messages(sources):
    for path, text in sources.items():
        code = re.sub(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*', lambda m: m.group(1) or "", text)
        code = re.sub(r'"\s*\n\s*"', "", code)  # literals that the compiler joins
        for literal in re.findall(r'"((?:[^"\\\n]|\\.)*)"', code):
            found = UNCLEAR.search(literal)
            if found:
                fail(f"{path}: a message says {found.group(0)!r}: {literal[:70]}; tests/style/README.md has plain words")


def check_license(sources):
    for path, text in sources.items():
        if not re.search(r"^// SPDX-License-Identifier: Apache-2\.0$", text, re.M):
            fail(f"{path}: it has no line '// SPDX-License-Identifier: Apache-2.0'")


def check_documents(root, files):
    for path in files:
        if os.path.getsize(os.path.join(root, path)) > 1 << 20:
            fail(f"{path}: larger than 1 MiB")
            continue
        text = read(root, path)
        if path != "tests/style/style_test.py" and MACHINE_PATHS.search(text):
            fail(f"{path}: names a path of one machine: {MACHINE_PATHS.search(text).group(0)}")
        if os.path.basename(path) == "README.md":
            for name in re.findall(r"`((?:engine|cluster|query|fuse|cli|grammar|tests)/[\w./-]+)`",
                                   text):
                homes = (root, os.path.join(root, os.path.dirname(path)))
                if not any(os.path.exists(os.path.join(home, name + end))
                           for home in homes for end in ("", ".h", ".cc")):
                    fail(f"{path}: names `{name}`, which is not there")


# A reason that a reader cannot open is no reason.
def check_citations(root, files):
    documents = {p for p in files if p.endswith(".md")}
    names = {os.path.basename(p) for p in documents}  # FORMAT.md alone is clear enough
    rows = set(re.findall(r"^\| ([A-Z]-?\d+) \|", read(root, "tests/FAULTS.md"), re.M))
    for path in files:
        if not path.endswith((".h", ".cc", ".py", ".md", ".sh", ".txt", ".proto", ".g4", ".slt")):
            continue
        text = read(root, path)
        for cited in set(re.findall(r"(?<![\w/.<*$}-])(\w[\w./-]*\w\.md)\b", text)):
            homes = ("", os.path.dirname(path))
            if cited not in names and not any(os.path.normpath(os.path.join(home, cited)) in documents for home in homes):
                fail(f"{path}: cites {cited}, which is not in the repository")
        for cited in re.findall(r"FAULTS\.md ((?:(?:[A-Z]-?\d+)(?:, | and | to )?)+)", text):
            for row in re.findall(r"[A-Z]-?\d+", cited):
                if row not in rows:
                    fail(f"{path}: cites fault row {row}, which tests/FAULTS.md does not have")
        if path.startswith("tests/") and path.endswith(".cc"):
            for row in re.findall(r"^TEST\w*\(\w+, ([DPLNCOX]\d+)(?=[_A-Z])", text, re.M):
                if row not in rows:
                    fail(f"{path}: a test names fault row {row}, which tests/FAULTS.md does not have")


# Each row of the faults names tests; a name that has no test shows nothing.
def check_faults(root, files):
    tests, last = {}, None
    for path in files:
        if path.startswith("tests/") and path.endswith(".cc"):
            for suite, test in re.findall(r"^TEST\w*\(\s*(\w+),\s*(\w+)", read(root, path), re.M):
                tests.setdefault(suite, []).append(test)
    for row, shown in re.findall(r"^\| ([A-Z]-?\d+) \|.*\| ([^|]*) \|$", read(root, "tests/FAULTS.md"), re.M):
        for name in re.findall(r"`([^`]+)`", shown):
            suite, dot, test = name.partition(".")
            if name.endswith((".txt", ".story", ".py")) or "/" in name:
                is_there = any(path == name or path.endswith("/" + name) or path.startswith(name + "/") for path in files)
            elif dot:
                last = suite or last
                is_there = any(fnmatch.fnmatch(each, test) for each in tests.get(last, ()))
            else:
                continue
            if not is_there:
                fail(f"tests/FAULTS.md: row {row} names `{name}`, which is not there")


def main():
    root = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else ".")
    files = tracked(root)
    sources = {p: read(root, p) for p in files
               if p.startswith(tuple(c + "/" for c in CODE)) and p.endswith((".h", ".cc"))}
    check_layers(sources, *layers(root))
    check_sizes(root, sources)
    check_names(sources)
    check_messages(sources)
    check_doors(sources | {p: read(root, p) for p in files
                           if p.startswith("tests/sim/") and p.endswith((".h", ".cc"))})
    check_license({p: read(root, p) for p in files if p.endswith((".h", ".cc"))})
    check_documents(root, files)
    check_citations(root, files)
    check_faults(root, files)
    for text in failures:
        print(text)
    print(f"{len(sources)} source files, {len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
