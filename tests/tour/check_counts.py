#!/usr/bin/env python3
"""Checks an imported Webtable against an independent count over its manifest.

  check_counts.py SIPPAR STORE CORPUS [MOUNTPOINT | --without-links]

Rows, cells, bytes and newest versions come from the manifest and the files alone; links of every
page are counted anew with Python's own HTML parser, which takes long, unless --without-links. With
a mount point, the newest contents of every row are compared byte for byte with the corpus's files.
SPDX-License-Identifier: Apache-2.0
"""
import collections
import hashlib
import html.parser
import json
import os
import subprocess
import sys
import urllib.parse


def query(sippar, store, text):
    out = subprocess.run([sippar, "query", store, "--format", "jsonl", "-e", text], check=True,
                         capture_output=True, text=True).stdout
    return [json.loads(line) for line in out.splitlines() if line]


def read_manifest(corpus):
    with open(os.path.join(corpus, "manifest.tsv"), encoding="utf-8", errors="surrogateescape") as f:
        rows = [line.rstrip("\n").split("\t") for line in f]
    return [(r[0], os.path.join(corpus, r[1]), int(r[3])) for r in rows if r[2] == "text/html"]


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.hrefs = []

    def handle_starttag(self, tag, attributes):
        if tag == "a":
            for name, value in attributes:
                if name == "href":
                    self.hrefs.append(value or "")
                    break


def reverse_host(host):
    return ".".join(reversed(host.split(".")))


def link_targets(row, path):
    host, _, rest = row.partition("/")
    base = "http://" + reverse_host(host) + "/" + rest
    parser = Links()
    with open(path, "rb") as f:
        parser.feed(f.read().decode("utf-8", "replace"))
    targets = set()
    for href in parser.hrefs:
        try:
            url = urllib.parse.urlsplit(urllib.parse.urljoin(base, href.strip()))
        except ValueError:
            continue
        if url.scheme in ("http", "https") and url.hostname:
            targets.add(reverse_host(url.hostname))
    return targets


failures = 0


def check(what, got, expected):
    global failures
    ok = got == expected
    failures += not ok
    print(f"{'ok  ' if ok else 'FAIL'} {what}: {got}" + ("" if ok else f", expected {expected}"))


def check_links(sippar, store, pages):
    linked = query(sippar, store, "SELECT SPLIT_PART(row, '/', 1) AS host, COUNT(*) AS n FROM web "
                                  "WHERE CARDINALITY(anchor:*) > 0 GROUP BY host")
    expected_hosts = set()
    for row, path, _ in pages:
        expected_hosts |= link_targets(row, path)
    got_hosts = {h["host"].split(":")[0] for h in linked}
    # Two HTML parsers differ on broken pages; hosts may differ by a few.
    close = len(got_hosts ^ expected_hosts) <= max(3, len(expected_hosts) // 100)
    check(f"hosts linked to ({len(got_hosts)}, counted anew {len(expected_hosts)}) agree", close,
          True)


def quote_name(key):
    """The mount's file name of a row key (fuse/SEMANTICS.md), for keys of printable ASCII."""
    name = "".join(c if c.isascii() and c.isprintable() and c not in "/%" else
                   "".join("%%%02X" % b for b in c.encode()) for c in key)
    return "%2E" + name[1:] if name.startswith(".") else name


def main():
    sippar, store, corpus = sys.argv[1:4]
    with_links = "--without-links" not in sys.argv
    mount = sys.argv[4] if len(sys.argv) > 4 and with_links else None
    pages = read_manifest(corpus)
    versions = collections.defaultdict(dict)
    for row, path, time in pages:
        versions[row].setdefault(time, path)
    newest = {row: times[max(times)] for row, times in versions.items()}
    if mount:
        wrong = 0
        for row, path in newest.items():
            with open(path, "rb") as expected, \
                 open(os.path.join(mount, "web", quote_name(row), "contents", "%"), "rb") as got:
                wrong += hashlib.sha256(expected.read()).digest() != hashlib.sha256(got.read()).digest()
        check(f"rows whose newest contents differ from the file, of {len(newest)}", wrong, 0)
    else:
        one = query(sippar, store, "SELECT COUNT(*) AS n, SUM(LENGTH(contents:)) AS bytes FROM web "
                                   "WHERE contents: IS NOT NULL")[0]
        check("rows with a page", one["n"], len(newest))
        check("bytes of newest pages", one["bytes"], sum(os.path.getsize(p) for p in newest.values()))
        cells = query(sippar, store, "SELECT COUNT(*) AS n, SUM(LENGTH(value)) AS bytes "
                                     "FROM CELLS(web, contents:) VERSIONS ALL")[0]
        kept = [p for times in versions.values() for p in times.values()]
        check("versions of pages", cells["n"], len(kept))
        check("bytes of all versions", cells["bytes"], sum(os.path.getsize(p) for p in kept))
        hosts = query(sippar, store, "SELECT SPLIT_PART(row, '/', 1) AS host, COUNT(*) AS n FROM web "
                                     "WHERE contents: IS NOT NULL GROUP BY host ORDER BY host")
        expected = collections.Counter(row.split("/")[0] for row in newest)
        check("pages by host", {h["host"]: h["n"] for h in hosts}, dict(sorted(expected.items())))
        if with_links:
            check_links(sippar, store, pages)
    print(f"{'FAILED' if failures else 'all'} checks {'' if failures else 'hold'}")
    return 1 if failures else 0


sys.exit(main())
