# Programs that carry whole folders away read a mount as they read a disk: rclone, borg, git, and an
# overlay that is written on top of it. Each takes a table, and a query directory of that table; a
# program that is not installed is named. Usage: backup_tools_test.py STAGE "SERVE COMMAND".
# SPDX-License-Identifier: Apache-2.0
import os
import random
import shutil
import subprocess
import sys
import unittest

from stage import Stage, skip_unless_fuse, wait_until

STAGE = sys.argv[1]
ROWS = 120
QUESTION = ".prefix/com.site0"  # ten of the rows


def run(*command, **options):
    result = subprocess.run(command, capture_output=True, **options)
    assert result.returncode == 0, (command, result.returncode, result.stderr)
    return result.stdout.decode()


def needs(program):
    return unittest.skipUnless(shutil.which(program), "SKIPPED: %s is not installed" % program)


class BackupToolsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stage = Stage(STAGE)
        cls.addClassCleanup(cls.stage.clean)
        cls.stage.start()
        cls.stage.do("table", "pages", "contents", "anchor")
        chance = random.Random(11)
        cls.cells = {}
        for i in range(ROWS):
            for family, content in [("contents", chance.randbytes(chance.choice([0, 1, 70_000]))),
                                    ("anchor", b"link %d\n" % i)]:
                cls.stage.set("pages", "com.site%03d/page" % i, family, "q", 1_600_000_000_000_000,
                              content)
                cls.cells["com.site%03d%%2Fpage/%s/q" % (i, family)] = content
        cls.pages = cls.stage.path("pages")

    @classmethod
    def tearDownClass(cls):
        cls.stage.stop()

    def setUp(self):
        self.scratch = os.path.join(self.stage.folder, self.id())
        os.mkdir(self.scratch)

    def cells_in(self, root):
        """The files of cells below `root`; control files are left out."""
        found = {}
        for folder, names, files in os.walk(root):
            names[:] = [name for name in names if not name.startswith(".")]
            for name in files:
                if not name.startswith("."):
                    path = os.path.join(folder, name)
                    with open(path, "rb") as file:
                        found[os.path.relpath(path, root)] = file.read()
        return found

    def sources(self):
        """A table and a query directory of it, each with the cells that it holds."""
        yield self.pages, self.cells
        some = {path: cell for path, cell in self.cells.items() if path.startswith("com.site0")}
        assert 0 < len(some) < len(self.cells)
        yield os.path.join(self.pages, QUESTION), some

    @needs("rclone")
    def test_rclone_copies_and_finds_no_difference(self):
        rclone = ["rclone", "--config", os.devnull]
        for number, (source, cells) in enumerate(self.sources()):
            copy = os.path.join(self.scratch, str(number))
            run(*rclone, "copy", source, copy)
            self.assertEqual(self.cells_in(copy), cells)
            run(*rclone, "check", source, copy)
            again = subprocess.run([*rclone, "copy", "-v", "--exclude", ".*", source, copy],
                                   capture_output=True, text=True, check=True)
            self.assertNotIn("Copied", again.stderr)

    @needs("rclone")
    def test_rclone_follows_the_links_of_the_fan_out_view(self):
        copy = os.path.join(self.scratch, "copy")
        run("rclone", "--config", os.devnull, "copy", "--copy-links",
            os.path.join(self.pages, ".tree"), copy)
        found = self.cells_in(copy)
        self.assertEqual(len(found), len(self.cells))
        self.assertEqual(sorted(found.values()), sorted(self.cells.values()))

    @needs("borg")
    def test_borg_saves_and_restores(self):
        env = dict(os.environ, BORG_BASE_DIR=self.scratch, LC_ALL="C.UTF-8",
                   BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK="yes")
        repo = os.path.join(self.scratch, "repo")
        run("borg", "init", "--encryption", "none", repo, env=env)
        for number, (source, cells) in enumerate(self.sources()):
            archive = "%s::%d" % (repo, number)
            run("borg", "create", archive, ".", cwd=source, env=env)
            back = os.path.join(self.scratch, "back%d" % number)
            os.mkdir(back)
            run("borg", "extract", archive, cwd=back, env=env)
            self.assertEqual(self.cells_in(back), cells)

    @needs("git")
    def test_git_keeps_a_table_and_sees_what_changed(self):
        self.stage.do("table", "notes", "f")
        for i in range(20):
            self.stage.set("notes", "n%02d" % i, "f", "q", 1, b"note %d\n" % i)
        git = ["git", "--git-dir", os.path.join(self.scratch, "repo"), "--work-tree",
               self.stage.path("notes"), "-c", "user.name=a", "-c", "user.email=a@localhost"]
        run(*git, "init", "-q")
        run(*git, "add", "n*")
        run(*git, "commit", "-qm", "first")
        self.assertEqual(len(run(*git, "ls-files").splitlines()), 20)
        self.assertEqual(run(*git, "diff"), "")
        self.stage.set("notes", "n07", "f", "q", 2, b"changed\n")
        # A new version is seen within a second.
        wait_until(lambda: "+changed" in run(*git, "diff"), "git sees the new version")

    @unittest.skipUnless(os.geteuid() == 0, "SKIPPED: an overlay needs root")
    def test_an_overlay_takes_writes_on_top(self):
        upper, work, merged = (os.path.join(self.scratch, name) for name in ("u", "w", "m"))
        for folder in (upper, work, merged):
            os.mkdir(folder)
        options = "lowerdir=%s,upperdir=%s,workdir=%s" % (self.pages, upper, work)
        mounted = subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, merged],
                                 capture_output=True, text=True)
        if mounted.returncode != 0:
            self.skipTest("SKIPPED: no overlay can be mounted here: " + mounted.stderr.strip())
        try:
            self.assertEqual(self.cells_in(merged), self.cells)
            path = "com.site008%2Fpage/anchor/q"
            with open(os.path.join(merged, path), "wb") as file:
                file.write(b"over")
            os.remove(os.path.join(merged, "com.site009%2Fpage/anchor/q"))
            wanted = {**self.cells, path: b"over"}
            del wanted["com.site009%2Fpage/anchor/q"]
            self.assertEqual(self.cells_in(merged), wanted)
            self.assertEqual(self.cells_in(self.pages), self.cells)
        finally:
            run("umount", merged)


if __name__ == "__main__":
    skip_unless_fuse()
    unittest.main(argv=sys.argv[:1], verbosity=2)
