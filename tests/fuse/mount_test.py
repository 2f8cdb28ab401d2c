# A real mount under real tools: ls, find, tar, rsync, grep, cp, du, sha256sum; odd keys; open files
# across rewrites; kill, stop, busy and stale mounts. Usage: mount_test.py STAGE "SERVE COMMAND".
# SPDX-License-Identifier: Apache-2.0
import hashlib
import mmap
import os
import random
import shlex
import signal
import subprocess
import sys
import time
import unittest

from stage import Stage, errno_of, is_mounted, skip_unless_fuse, wait_until

STAGE = sys.argv[1]
SERVE = shlex.split(sys.argv[2])

ODD_KEYS = [b"%", b"a/b", b"new\nline", b"nul\0nul", b"\xff\xfe", b".", b"..", b".hidden",
            b".versions", b" lead and trail ", b"-rf", b"*", b"tab\t", "é".encode(), "\u202e".encode(),
            b"k" * 300, b"k" * 300 + b"2", b"x" * 255, b"x" * 256, b"\0" * 90, b"com.cnn.www/index"]


def run(*command, **options):
    result = subprocess.run(command, capture_output=True, **options)
    assert result.returncode == 0, (command, result.returncode, result.stderr)
    assert result.stderr == b"", (command, result.stderr)
    return result.stdout


def tree(root):
    """Relative path -> content of every file; None for directories."""
    found = {}
    for folder, folders, files in os.walk(os.fsencode(root)):
        for name in folders:
            found[os.path.relpath(os.path.join(folder, name), os.fsencode(root))] = None
        for name in files:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, os.fsencode(root))] = file.read()
    return found


class OneMount(unittest.TestCase):
    """A mount that the tests of a class share; they write only rows of their own."""

    @classmethod
    def setUpClass(cls):
        cls.stage = Stage(STAGE)
        cls.addClassCleanup(cls.stage.clean)
        cls.stage.start()
        cls.stage.do("table", "web", "contents", "anchor", "meta")

    @classmethod
    def tearDownClass(cls):
        cls.stage.stop()

    def setUp(self):
        self.mnt = self.stage.mount
        self.scratch = os.path.join(self.stage.folder, self.id())
        os.mkdir(self.scratch)

    def read(self, *parts):
        with open(self.stage.path(*parts), "rb") as file:
            return file.read()


class ToolsTest(OneMount):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.stage.do("table", "pages", "contents", "anchor")
        chance = random.Random(7)
        cls.cells = {}
        for i in range(60):
            row = b"com.site%02d/page" % i
            value = chance.randbytes(chance.choice([0, 1, 511, 512, 4096, 70_000]))
            for family, qualifier, content in [("contents", b"", value),
                                               ("anchor", b"link%d" % (i % 7), b"needle %d\n" % i)]:
                cls.stage.set("pages", row, family, qualifier, 1_600_000_000_000_000 + i, content)
                name = b"%s/%s/%s" % (row.replace(b"/", b"%2F"), family.encode(), qualifier or b"%")
                cls.cells[name] = content
        cls.stage.set("pages", "com.site99", "contents", "large", 5, chance.randbytes(20_000_000))
        with open(cls.stage.path("pages/com.site99/contents/large"), "rb") as file:
            cls.cells[b"com.site99/contents/large"] = file.read()
        cls.pages = cls.stage.path("pages")

    def data(self, root):
        return {path: content for path, content in tree(root).items()
                if content is not None and not path.startswith(b".")}

    def test_every_cell_is_a_file_with_its_bytes(self):
        self.assertEqual(self.data(self.pages), self.cells)

    def test_ls(self):
        lines = run("ls", "-l", self.pages).decode().splitlines()
        self.assertEqual(len(lines), 1 + 61)
        line = run("ls", "-l", "--time-style=full-iso",
                   self.pages + "/com.site05%2Fpage/anchor/link5").decode()
        self.assertIn(" 9 2020-09-13 12:26:40.000005000", line)
        self.assertTrue(line.startswith("-r--r--r-- 1 "), line)
        names = run("ls", "-f", self.pages).decode().split("\n")[:-1]
        self.assertEqual(names[:2], [".", ".."])
        rows = [name for name in names if not name.startswith(".")]
        self.assertEqual(rows, sorted(rows))
        run("ls", "-lR", self.mnt)

    def test_find(self):
        self.assertEqual(len(run("find", self.pages, "-type", "f", "-not", "-name", ".*").split()),
                         len(self.cells))
        self.assertEqual(len(run("find", self.pages, "-type", "f", "-size", "+1M").split()), 1)
        self.assertEqual(run("find", self.pages, "-name", "*%2F*", "-maxdepth", "1").count(b"\n"),
                         60)
        newer = run("find", self.pages, "-type", "f", "-newermt", "2020-09-13 12:26:40.000030 UTC",
                    "-not", "-name", ".*")
        self.assertEqual(newer.count(b"\n"), 2 * 29)

    def test_tar_round_trip_keeps_bytes_and_times(self):
        run("sh", "-c", "tar -C %s -c . | tar -C %s -x" % (self.pages, self.scratch))
        self.assertEqual(tree(self.scratch), tree(self.pages))
        copied = os.stat(self.scratch + "/com.site05%2Fpage/anchor/link5")
        self.assertEqual(int(copied.st_mtime), 1_600_000_000)

    def test_rsync_copies_nothing_the_second_time(self):
        run("rsync", "-a", self.pages + "/", self.scratch + "/")
        self.assertEqual(tree(self.scratch), tree(self.pages))
        again = run("rsync", "-ai", self.pages + "/", self.scratch + "/")
        self.assertEqual(again, b"")

    def test_grep(self):
        hits = run("grep", "-r", "needle 3$", self.pages).splitlines()
        self.assertEqual(hits, [(self.pages + "/com.site03%2Fpage/anchor/link3:needle 3").encode()])
        self.assertEqual(len(run("grep", "-rl", "needle", self.pages).splitlines()), 60)

    def test_cp_and_diff(self):
        run("cp", "-a", self.pages, self.scratch)
        self.assertEqual(run("diff", "-r", self.pages, self.scratch + "/pages"), b"")

    def test_du_and_df(self):
        total = sum(map(len, self.cells.values()))
        control = sum(os.stat(self.stage.path("pages", name)).st_size
                      for name in (".schema.sql", ".stats", ".tablets"))
        shown = int(run("du", "-sb", self.pages).split()[0])
        self.assertEqual(shown, total + control)
        self.assertGreaterEqual(int(run("du", "-sk", self.pages).split()[0]) * 1024, total)
        run("df", self.mnt)
        self.assertEqual(os.statvfs(self.mnt).f_namemax, 255)

    def test_sha256sum(self):
        sums = "".join("%s  %s\n" % (hashlib.sha256(content).hexdigest(), path.decode())
                       for path, content in self.cells.items())
        run("sha256sum", "-c", "--quiet", cwd=self.pages, input=sums.encode())

    def test_wc_head_tail_and_mmap(self):
        path = self.pages + "/com.site99/contents/large"
        content = self.cells[b"com.site99/contents/large"]
        self.assertEqual(int(run("wc", "-c", path).split()[0]), 20_000_000)
        self.assertEqual(run("tail", "-c", "1000", path), content[-1000:])
        with open(path, "rb") as file:
            with mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapped:
                self.assertEqual(mapped[12_345_678:12_345_978], content[12_345_678:12_345_978])
            self.assertEqual(os.pread(file.fileno(), 10, 19_999_995), content[-5:])
            self.assertEqual(os.pread(file.fileno(), 10, 20_000_000), b"")

    def test_schema_text_is_a_statement(self):
        text = self.read("pages/.schema.sql").decode()
        self.assertTrue(text.startswith("CREATE TABLE `pages` (") and text.endswith(";\n"), text)


class SemanticsOfNamesTest(OneMount):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.stage.do("table", "odd", "f")
        for key in ODD_KEYS:
            cls.stage.set("odd", key, "f", key, 1, b"value of " + key)
        cls.stage.set("odd", b"plain", "f", b"", 1, b"empty qualifier")

    def test_every_odd_key_is_listed_found_and_read(self):
        keys = set()
        root = os.fsencode(self.stage.path("odd"))
        for name in os.listdir(root):
            if name.startswith(b"."):
                continue
            key = os.getxattr(os.path.join(root, name), "user.sippar.key")
            keys.add(key)
            (column,) = os.listdir(os.path.join(root, name, b"f"))
            file = os.path.join(root, name, b"f", column)
            if key != b"plain":
                self.assertEqual(os.getxattr(file, "user.sippar.qualifier"), key)
                with open(file, "rb") as opened:
                    self.assertEqual(opened.read(), b"value of " + key)
            self.assertLessEqual(len(name), 255)
        self.assertEqual(keys, set(ODD_KEYS) | {b"plain"})
        self.assertEqual(self.read("odd/plain/f/%"), b"empty qualifier")

    def test_tools_carry_odd_names_to_another_file_system(self):
        odd = self.stage.path("odd")
        run("rsync", "-a", odd + "/", self.scratch + "/")
        self.assertEqual(tree(self.scratch), tree(odd))
        run("sh", "-c", "find %s -print0 | xargs -0 ls -ld >/dev/null" % odd)

    def test_other_spellings_are_symlinks(self):
        self.assertEqual(os.readlink(self.stage.path("odd/a%2fb")), "a%2Fb")
        self.assertEqual(self.read("odd/a%2fb/f/a%2fb"), b"value of a/b")
        self.assertEqual(os.readlink(self.stage.path("odd/.hidden")), "%2Ehidden")
        self.assertEqual(errno_of(lambda: os.stat(self.stage.path("odd/a%zz"))), "ENOENT")

    def test_f_m1_a_table_of_another_instance_is_a_directory_like_others(self):
        self.stage.do("table", "mine/inst/pages", "f")
        self.stage.set("mine/inst/pages", "r", "f", "q", 1, "value")
        self.assertIn("mine%2Finst%2Fpages", os.listdir(self.mnt))
        names = [name for name in os.listdir(self.mnt) if name[0] != "."]
        self.assertEqual(run("ls", self.mnt).decode().split(), sorted(names))
        self.assertEqual(self.read("mine%2Finst%2Fpages/r/f/q"), b"value")
        run("sh", "-c", "tar -C %s --exclude=./.* -c . | tar -C %s -x" % (self.mnt, self.scratch))
        with open(self.scratch + "/mine%2Finst%2Fpages/r/f/q", "rb") as file:
            self.assertEqual(file.read(), b"value")
        run("rsync", "-a", "--exclude=/.*", self.mnt + "/", self.scratch + "/")

    def test_f_m4_tools_carry_rows_with_one_long_head(self):
        rows = int(os.environ.get("SIPPAR_LONG_NAMES", 1500))  # 300000: minutes
        self.stage.do("table", "long", "f")
        self.stage.do("fill", "long", "f", rows, "k" * 250)
        listed = self.stage.path("long")
        names = [name for name in os.listdir(listed) if name[0] != "."]
        self.assertEqual(len(names), rows)
        random.Random(1).shuffle(names)
        for name in names[:500]:
            self.assertTrue(os.getxattr(os.path.join(listed, name), "user.sippar.key"))
        counted = run("sh", "-c", "tar -C %s -c . | tar -t | grep -c /q$" % listed)
        self.assertEqual(int(counted), rows)

    def test_names_over_255_bytes(self):
        self.assertEqual(errno_of(lambda: os.stat(self.stage.path("odd/" + "k" * 300))),
                         "ENAMETOOLONG")

    def test_nothing_can_be_written(self):
        path = self.stage.path("odd/plain/f/%")
        new = self.stage.path("odd/new")
        for action in (lambda: open(path, "w"), lambda: open(path, "r+"), lambda: os.mkdir(new),
                       lambda: os.unlink(path), lambda: os.chmod(path, 0o777),
                       lambda: os.rename(path, new), lambda: os.symlink("x", new),
                       lambda: os.setxattr(path, "user.x", b""), lambda: os.utime(path),
                       lambda: os.rmdir(self.stage.path("odd/plain")), lambda: open(new, "w")):
            self.assertEqual(errno_of(action), "EROFS")

    def test_errors(self):
        self.assertEqual(errno_of(lambda: os.stat(self.stage.path("none"))), "ENOENT")
        self.assertEqual(errno_of(lambda: os.stat(self.stage.path(".as-of/yesterday"))), "EINVAL")
        self.assertEqual(errno_of(lambda: os.getxattr(self.mnt, "user.sippar.none")), "ENODATA")
        self.assertEqual(errno_of(lambda: os.listdir(self.stage.path("odd/plain/f/%"))), "ENOTDIR")
        self.assertIn(b"yesterday", self.read(".status"))


class VersionsTest(OneMount):
    def test_an_open_file_keeps_its_bytes_across_rewrites(self):
        path = self.stage.path("web/pinned/contents/%")
        value = lambda i: (b"%06d" % i) * (50_000 + i)
        self.stage.set("web", "pinned", "contents", "", 1, value(0))
        mixed = 0
        for i in range(1, 8):
            with open(path, "rb") as file, \
                    mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapped:
                number = os.fstat(file.fileno()).st_ino
                # The first bytes come from the mount, not from pages that the kernel has of an
                # earlier open: from its first read on the mount holds the value.
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
                first = file.read(6)
                self.stage.set("web", "pinned", "contents", "", 1 + i % 3, value(i))
                with open(path, "rb") as other:
                    other.read(100)
                time.sleep(1.05 if i % 2 else 0.1)
                whole = first + file.read()
                mixed += whole != first * (len(whole) // 6) or len(whole) != len(mapped)
                mixed += mapped[-6:] != first
                self.assertEqual(os.fstat(file.fileno()).st_ino, number)
        self.assertEqual(mixed, 0)

    def test_a_second_after_a_write_it_is_seen(self):
        path = self.stage.path("web/fresh/contents/%")
        self.stage.set("web", "fresh", "contents", "", 10, "old")
        self.assertEqual(self.read(path), b"old")
        before = os.stat(path)
        self.stage.set("web", "fresh", "contents", "", 20, "newer")
        time.sleep(1.1)
        self.assertEqual(self.read(path), b"newer")
        after = os.stat(path)
        self.assertNotEqual(before.st_ino, after.st_ino)
        self.assertEqual(after.st_mtime_ns, 20_000)
        self.stage.drop_row("web", "fresh")
        time.sleep(1.1)
        self.assertEqual(errno_of(lambda: os.stat(path)), "ENOENT")
        self.assertNotIn("fresh", os.listdir(self.stage.path("web")))

    def test_times_before_1970_and_at_the_ends(self):
        for time_us in (-1, 0, 1, -62_135_596_800_000_000, 253_402_300_799_999_999, 2**63 - 1,
                        -2**63 + 1):
            self.stage.set("web", "times", "meta", "t%d" % time_us, time_us, "x")
            status = os.stat(self.stage.path("web/times/meta", "t%d" % time_us))
            self.assertEqual(status.st_mtime_ns, time_us * 1000)

    def test_versions_and_as_of(self):
        for time_us in (3, 5, 6):
            self.stage.set("web", "v", "contents", "", time_us, "v%d" % time_us)
        self.assertEqual(os.listdir(self.stage.path("web/v/contents/.versions/%")), ["6", "5", "3"])
        self.assertEqual(self.read("web/v/contents/.versions/%/3"), b"v3")
        self.assertEqual(self.read("web/v/.versions/contents/%/5"), b"v5")
        self.assertEqual(self.read(".as-of/5/web/v/contents/%"), b"v5")
        self.assertEqual(errno_of(lambda: os.stat(self.stage.path(".as-of/2/web/v"))), "ENOENT")
        self.assertEqual(os.readlink(self.stage.path(".as-of/1970-01-01T00:00:01Z")), "1000000")
        self.assertEqual(os.stat(self.stage.path("web/v/contents/%")).st_ino,
                         os.stat(self.stage.path(".as-of/7/web/v/contents/%")).st_ino)
        self.assertNotIn(".versions", os.listdir(self.stage.path("web/v/contents")))


class HugeValueTest(OneMount):
    SIZE = 100 << 20

    @staticmethod
    def content(first, size):
        return bytes((i * 2654435761 & 0xffffffff) >> 24 for i in range(first, first + size))

    def test_is_read_and_held_in_pieces(self):
        self.stage.do("table", "huge", "f")
        self.stage.do("huge", "huge", "row", "f", self.SIZE)
        self.stage.do("flush", "huge")
        before = self.stage.status_kib("VmRSS")
        self.stage.reset_peak()
        path = self.stage.path("huge", "row", "f", "q")
        self.assertEqual(os.stat(path).st_size, self.SIZE)
        looked = self.stage.status_kib("VmHWM") - before
        if self.stage.status_kib("VmSize") < 1 << 30:
            self.assertLess(looked, 20 << 10, "F-M5: the size was found without the value")
        with open(path, "rb", buffering=0) as file:
            self.assertLess(self.stage.status_kib("VmRSS") - before, 20 << 10,
                            "F-M6: an open reads nothing")
            for first in (self.SIZE - 5000, 0, 50 << 20, 1234567):
                self.assertEqual(os.pread(file.fileno(), 4096, first), self.content(first, 4096))
            held = self.stage.status_kib("VmRSS") - before
        peak = self.stage.status_kib("VmHWM") - before
        print("100 MiB value: %d KiB while open, %d KiB at most" % (held, peak), flush=True)
        if self.stage.status_kib("VmSize") < 1 << 30:  # a sanitizer's memory tells nothing of ours
            # Two pieces of an eighth are held. A read of a piece has the whole block, stored and
            # decoded, in the memory of this process, which is the store's server, too.
            self.assertLess(held, 70 << 10)
            self.assertLess(peak, 250 << 10)

    def test_the_whole_of_it_is_right(self):
        self.stage.do("table", "pieces", "f")
        self.stage.do("huge", "pieces", "row", "f", 16_000_000)
        self.stage.do("flush", "pieces")
        path = self.stage.path("pieces", "row", "f", "q")
        expected = self.content(0, 16_000_000)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), expected)
        self.assertEqual(run("head", "-c", "100", path), expected[:100])
        self.assertEqual(run("dd", "if=" + path, "bs=100", "skip=123456", "count=1", "status=none"),
                         expected[12345600:12345700])


class ListingTest(OneMount):
    ROWS = 100_000

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.stage.do("table", "big", "f")
        cls.stage.do("fill", "big", "f", cls.ROWS)

    def test_every_row_once_in_order_in_little_memory(self):
        run("ls", "-f", self.stage.path("big"))
        before = self.stage.rss_kib()
        start = time.monotonic()
        names = run("ls", "-f", self.stage.path("big")).decode().split()
        seconds = time.monotonic() - start
        print("ls -f: %.0f names/s, %d KiB more memory"
              % (len(names) / seconds, self.stage.rss_kib() - before), flush=True)
        rows = [name for name in names if not name.startswith(".")]
        self.assertEqual(rows, ["r%08d" % i for i in range(self.ROWS)])
        self.assertLess(self.stage.rss_kib() - before, 64 * 1024)
        self.assertEqual(run("find", self.stage.path("big"), "-maxdepth", "1", "-name", "r*")
                         .count(b"\n"), self.ROWS)

    def test_seekdir_telldir_and_rewinddir(self):
        code = r"""
import ctypes, os, random, sys
libc = ctypes.CDLL(None, use_errno=True)
class Dirent(ctypes.Structure):
    _fields_ = [("ino", ctypes.c_uint64), ("off", ctypes.c_int64), ("reclen", ctypes.c_uint16),
                ("type", ctypes.c_uint8), ("name", ctypes.c_char * 256)]
libc.opendir.restype = ctypes.c_void_p
libc.readdir.restype = ctypes.POINTER(Dirent)
libc.telldir.restype = ctypes.c_long
for function in (libc.readdir, libc.telldir, libc.rewinddir, libc.closedir):
    function.argtypes = [ctypes.c_void_p]
libc.seekdir.argtypes = [ctypes.c_void_p, ctypes.c_long]
handle = libc.opendir(sys.argv[1].encode())
def read():
    entry = libc.readdir(handle)
    return entry.contents.name if entry else None
places, names = [], []
while True:
    place = libc.telldir(handle)
    name = read()
    if name is None: break
    places.append(place); names.append(name)
chance = random.Random(1)
for _ in range(60):
    i = chance.randrange(len(names))
    libc.seekdir(handle, places[i])
    for j in range(i, min(i + 50, len(names))):
        assert read() == names[j], (i, j)
libc.rewinddir(handle)
assert [read() for _ in range(2000)] == names[:2000]
libc.closedir(handle)
print(len(names))
"""
        count = run(sys.executable, "-c", code, self.stage.path("big"))
        self.assertEqual(int(count), self.ROWS + 5)

    def test_two_listings_at_once_and_a_listing_beside_writes(self):
        listings = [subprocess.Popen(["ls", "-f", self.stage.path("big")], stdout=subprocess.PIPE)
                    for _ in range(4)]
        for i in range(200):
            self.stage.set("big", "r%08d-new" % (i * 400), "f", "q", 1, "x")
        for listing in listings:
            rows = [name for name in listing.communicate()[0].decode().split()
                    if name.startswith("r") and not name.endswith("-new")]
            self.assertEqual(rows, ["r%08d" % i for i in range(self.ROWS)])
        for i in range(200):
            self.stage.drop_row("big", "r%08d-new" % (i * 400))

    def test_nodes_go_when_the_kernel_forgets(self):
        run("ls", "-l", self.stage.path("web"))
        for i in range(2000):
            os.stat(self.stage.path("big/r%08d/f/q" % i))
        self.assertGreater(self.stage.counters()["nodes"], 2000)
        try:
            with open("/proc/sys/vm/drop_caches", "w") as file:
                file.write("2")
        except OSError:
            self.skipTest("caches cannot be dropped here")
        wait_until(lambda: self.stage.counters()["nodes"] < 50, "forgets")
        self.assertEqual(self.stage.counters()["open_dirs"], 0)


class LifeTest(unittest.TestCase):
    def setUp(self):
        self.stage = Stage(STAGE)
        self.addCleanup(self.stage.clean)
        self.stage.start()
        self.stage.do("table", "web", "f")
        self.stage.set("web", "r", "f", "q", 7, "value")
        self.number = os.stat(self.stage.path("web/r/f/q")).st_ino
        self.stage.stop()
        self.servers = []
        self.addCleanup(lambda: [server.kill() or server.wait() for server in self.servers])

    def serve(self, *options):
        server = subprocess.Popen(SERVE + [self.stage.store, self.stage.mount, *options],
                                  stderr=subprocess.PIPE)
        self.servers.append(server)
        self.addCleanup(server.stderr.close)
        # A dead mount may lie there until the new one takes its place.
        path = self.stage.path("web/r/f/q")
        wait_until(lambda: errno_of(lambda: open(path, "rb").close()) == "OK", "the mount")
        self.check_content()
        return server

    def daemon(self):
        """Pid of a background process that serves the mount."""
        run(*SERVE, self.stage.store, self.stage.mount, "--daemon", timeout=30)
        self.check_content()
        wanted = [b"mount", b"serve"][SERVE[-1] == "serve"]
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/cmdline" % pid, "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            if wanted in words and os.fsencode(self.stage.mount) in words:
                return int(pid)
        raise AssertionError("no daemon found")

    def check_content(self):
        with open(self.stage.path("web/r/f/q"), "rb") as file:
            self.assertEqual(file.read(), b"value")
        self.assertEqual(os.stat(self.stage.path("web/r/f/q")).st_ino, self.number)

    def refuse(self, *arguments):
        result = subprocess.run(SERVE + list(arguments), capture_output=True, text=True, timeout=30)
        self.assertEqual(result.returncode, 1, result)
        self.assertTrue(result.stderr.startswith("sippar mount: "), result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        return result.stderr

    def test_signals_end_it_cleanly(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            server = self.serve()
            server.send_signal(number)
            self.assertEqual(server.wait(timeout=20), 0)
            self.assertFalse(is_mounted(self.stage.mount))

    def test_umount_ends_it_cleanly(self):
        server = self.serve()
        run("umount", self.stage.mount)
        self.assertEqual(server.wait(timeout=20), 0)
        server = self.serve()
        with open(self.stage.path("web/r/f/q"), "rb"):
            self.assertNotEqual(subprocess.call(["umount", self.stage.mount],
                                                stderr=subprocess.DEVNULL), 0)
            self.assertIsNone(server.poll())
        run("umount", self.stage.mount)
        self.assertEqual(server.wait(timeout=20), 0)

    def test_a_busy_mount_ends_at_a_signal_all_the_same(self):
        server = self.serve()
        with open(self.stage.path("web/r/f/q"), "rb"):
            listing = os.open(self.stage.path("web"), os.O_RDONLY)
            self.assertIn("r", os.listdir(listing))
            server.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(timeout=20), 0)
            self.assertFalse(is_mounted(self.stage.mount))
            self.assertEqual(errno_of(lambda: os.listdir(listing)), "ENOTCONN")
            os.close(listing)
        server = self.serve()
        server.terminate()
        self.assertEqual(server.wait(timeout=20), 0)

    @unittest.skipIf(os.geteuid() != 0, "only root may move a mount")
    def test_f_m7_a_moved_mount_ends_at_its_new_place(self):
        outer = os.path.join(self.stage.folder, "outer")
        new, bound = os.path.join(outer, "new"), os.path.join(outer, "bound")
        os.mkdir(outer)
        for command in (["--bind", outer, outer], ["--make-private", outer]):
            run("mount", *command)  # nothing may be moved below a shared mount
        self.addCleanup(run, "umount", "-l", outer)
        os.mkdir(new), os.mkdir(bound), os.mkdir(os.path.join(outer, "mnt"))
        first = self.stage.mount
        self.stage.mount = os.path.join(outer, "mnt")
        server = self.serve()
        run("mount", "--bind", self.stage.mount, bound)
        run("mount", "--move", self.stage.mount, new)
        self.stage.mount = new
        self.check_content()
        with open(os.path.join(new, "web/r/f/q"), "rb"):  # also when it is busy
            server.terminate()
            self.assertEqual(server.wait(timeout=20), 0)
        self.assertFalse(is_mounted(new) or is_mounted(bound))
        self.assertEqual(os.listdir(new), [])
        self.stage.mount = first

    def test_f_m7_the_kernel_forgets_above_max_nodes(self):
        self.stage.start()
        self.stage.do("fill", "web", "f", 4000)
        self.stage.stop()
        server = self.serve("--max-nodes", "500")

        def nodes():
            server.send_signal(signal.SIGUSR1)
            while True:
                words = server.stderr.readline().split()
                if words[0] == b"nodes":
                    return int(words[1])
        os.chdir(self.stage.path("web/r/f"))  # a node in use stays
        self.addCleanup(os.chdir, "/")
        most = 0
        for i in range(4000):
            os.stat(self.stage.path("web/r%08d/f/q" % i))
            if i % 200 == 0:
                most = max(most, nodes())
        wait_until(lambda: nodes() <= 520, "fewer nodes")
        self.assertLess(most, 4000)
        with open("q", "rb") as file:
            self.assertEqual(file.read(), b"value")
        server.terminate()
        self.assertEqual(server.wait(timeout=20), 0)

    def query(self, text):
        subprocess.run([SERVE[0], "query", self.stage.store, "-e", text], check=True,
                       capture_output=True)

    def see_writes_of_others(self, seconds):
        for i in range(3):
            self.query("INSERT INTO web ROW 'fresh' SET f:q = 'new %d'" % i)
            time.sleep(seconds)
            with open(self.stage.path("web/fresh/f/q"), "rb") as file:
                self.assertEqual(file.read(), b"new %d" % i)
            os.listdir(self.stage.path("web"))
            self.query("DELETE FROM web WHERE row = 'fresh'")
            time.sleep(seconds)
            self.assertEqual(errno_of(lambda: open(self.stage.path("web/fresh/f/q"), "rb")),
                             "ENOENT")

    @unittest.skipUnless(SERVE[-1] == "mount", "the program itself is not built here")
    def test_f_m2_writes_of_other_processes_are_seen_in_a_second(self):
        self.serve()
        self.see_writes_of_others(1.05)
        joined = os.path.join(self.stage.folder, "joined")
        os.mkdir(joined)
        self.addCleanup(subprocess.call, ["umount", "-l", joined], stderr=subprocess.DEVNULL)
        run(*SERVE, self.stage.store, joined, "--daemon", timeout=30)
        self.stage.mount, first = joined, self.stage.mount
        self.see_writes_of_others(1.05)
        run("umount", joined)
        self.stage.mount = first

    @unittest.skipUnless(SERVE[-1] == "mount", "the program itself is not built here")
    def test_followed_names_are_kept_until_they_change(self):
        self.query("ALTER TABLE web SET (CHANGE_STREAM = 1d)")
        server = self.serve("--follow")
        path = self.stage.path("web/r/f/q")

        def content():
            with open(path, "rb") as file:
                return file.read()

        def lookups():
            server.send_signal(signal.SIGUSR1)
            for line in server.stderr:
                if line.startswith(b"lookups "):
                    return int(line.split()[1])
        wait_until(lambda: b"followed: 1 of 1 tables: web" in run("cat", self.stage.path(".status")),
                   "the change stream")
        time.sleep(6)  # names are kept from 5 s after the beginning of the streams on
        self.assertEqual(content(), b"value")
        before = lookups()
        for _ in range(15):
            time.sleep(0.2)
            os.stat(path)
        # The name of the table itself is looked up every second.
        self.assertLess(lookups() - before, 8)
        self.query("INSERT INTO web ROW 'r' SET f:q = 'new'")
        wait_until(lambda: content() == b"new", "the new version", 5)
        self.query("DELETE FROM web WHERE row = 'r'")
        wait_until(lambda: errno_of(content) == "ENOENT", "the end of the row", 5)
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(timeout=20), 0)

    @unittest.skipUnless(SERVE[-1] == "mount", "the program itself is not built here")
    def test_f_m2_without_a_timeout_every_open_sees_what_was_written(self):
        self.serve("--entry-timeout", "0")
        self.see_writes_of_others(0)

    @unittest.skipUnless(SERVE[-1] == "mount", "the program itself is not built here")
    def test_f_m6_many_large_values_are_open_at_once(self):
        self.stage.start()
        for i in range(5):
            self.stage.do("huge", "web", "huge%d" % i, "f", 10_000_000)
        self.stage.do("flush", "web")
        self.stage.stop()
        self.serve("--max-value-memory", "21000000")
        files = [open(self.stage.path("web/huge%d/f/q" % i), "rb") for i in range(5)]
        try:
            first = files[0].read(1000)
            for file in files[1:]:
                self.assertEqual(file.read(1000), first)
            for file in files:
                file.seek(9_000_000)
                self.assertEqual(len(file.read()), 1_000_000)
        finally:
            for file in files:
                file.close()

    def test_a_killed_mount_is_replaced(self):
        for _ in range(3):
            server = self.serve()
            server.kill()
            server.wait()
        self.serve()

    def test_a_dead_mount_is_replaced_without_the_helper(self):
        server = subprocess.Popen(["env", "PATH=/nowhere"] + SERVE +
                                  [self.stage.store, self.stage.mount], stderr=subprocess.DEVNULL)
        self.servers.append(server)
        wait_until(lambda: is_mounted(self.stage.mount), "the mount")
        held = os.open(self.stage.path("web/r/f/q"), os.O_RDONLY)
        server.kill()
        server.wait()
        os.close(held)
        self.serve()

    def test_daemon(self):
        pid = self.daemon()
        busy = self.refuse(self.stage.store, self.stage.mount)
        self.assertIn("busy", busy)
        other = os.path.join(self.stage.folder, "other")
        os.mkdir(other)
        run(*SERVE, self.stage.store, other, "--daemon", timeout=30)  # joins the first
        with open(os.path.join(other, "web/r/f/q"), "rb") as file:
            self.assertEqual(file.read(), b"value")
        run("umount", other)
        self.check_content()
        os.kill(pid, signal.SIGTERM)
        wait_until(lambda: not is_mounted(self.stage.mount), "the end of the mount")
        wait_until(lambda: not os.path.exists("/proc/%d" % pid), "the end of the daemon")
        pid = self.daemon()
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not os.path.exists("/proc/%d" % pid), "the end of the daemon")
        pid = self.daemon()
        os.kill(pid, signal.SIGTERM)
        wait_until(lambda: not is_mounted(self.stage.mount), "the end of the mount")
        wait_until(lambda: not os.path.exists("/proc/%d" % pid), "the end of the daemon")

    @unittest.skipUnless(SERVE[-1] == "mount", "the program itself is not built here")
    def test_the_shell_accepts_the_schema_text(self):
        query = [SERVE[0], "query"]
        store = os.path.join(self.stage.folder, "first")
        subprocess.run(query + [store, "-e", """
            CREATE TABLE `select` (FAMILY contents VERSIONS = 3, FAMILY `.odd-name` VERSIONS 10 TTL 30d,
              FAMILY hits COUNTER, FAMILY both GC = INTERSECTION(VERSIONS(2), AGE(90m)),
              LOCALITY GROUP page (contents) COMPRESSION = ZSTD(LEVEL(3)) BLOCK_SIZE 128KiB
                BLOOM = ROW_COLUMN DICTIONARY = FALSE,
              LOCALITY GROUP raw (hits) IN_MEMORY COMPRESSION = NONE BLOOM = NONE)
              WITH (SPLIT_SIZE = 100MiB, CHANGE_STREAM = 36h);"""],
                       check=True, capture_output=True)
        run(*SERVE, store, self.stage.mount, "--daemon")
        with open(self.stage.path("select/.schema.sql"), "rb") as file:
            text = file.read()
        run("umount", self.stage.mount)
        again = os.path.join(self.stage.folder, "second")
        subprocess.run(query + [again], input=text, check=True, capture_output=True)
        show = ["-e", "SHOW CREATE TABLE `select`", "--format", "json"]
        wait_until(lambda: subprocess.call(query + [store] + show, stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL) == 0, "the store's lock")
        self.assertEqual(run(*query, store, *show), run(*query, again, *show))

    def test_refusals_are_readable(self):
        missing = os.path.join(self.stage.folder, "missing")
        self.assertIn("mkdir", self.refuse(self.stage.store, missing))
        self.assertIn("not a directory", self.refuse(self.stage.store, __file__))
        self.assertIn("one lies inside the other", self.refuse(self.stage.store, self.stage.folder))
        for flags in ([], ["--daemon"]):
            self.assertIn(missing, self.refuse(missing, self.stage.mount, *flags))
            foreign = os.path.join(self.stage.folder, "foreign")
            os.makedirs(foreign, exist_ok=True)
            with open(os.path.join(foreign, "letter.txt"), "w") as file:
                file.write("dear")
            self.assertIn(foreign, self.refuse(foreign, self.stage.mount, *flags))
        self.assertEqual(os.listdir(foreign), ["letter.txt"])
        self.assertFalse(is_mounted(self.stage.mount))


if __name__ == "__main__":
    skip_unless_fuse()
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
