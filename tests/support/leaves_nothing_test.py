# The check that tests leave nothing notices each kind, and removes it.
# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys
import tempfile
import unittest

CHECK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "leaves_nothing.py")


class LeavesNothingTest(unittest.TestCase):
    def run_under_check(self, script, **env):
        """The exit code, and what was printed: lines of the script first."""
        run = subprocess.run([sys.executable, CHECK, "sh", "-c", script], capture_output=True, text=True,
                             timeout=60, env={**os.environ, **env}, check=False)
        return run.returncode, run.stdout

    def assert_left(self, script, what):
        code, said = self.run_under_check(script)
        self.assertEqual(code, 1, said)
        self.assertIn("left behind", said)
        self.assertIn(what, said)
        return said

    def test_f_t1_a_clean_test_keeps_its_exit_code(self):
        for code in (0, 3, 77):
            script = f'mkdir "$TMPDIR/a"; rmdir "$TMPDIR/a"; sleep 0.5 & exit {code}'
            self.assertEqual(self.run_under_check(script), (code, ""))

    def test_f_t1_a_file_is_noticed_and_removed(self):
        said = self.assert_left('echo "$TMPDIR"; mkdir "$TMPDIR/a"; echo x > "$TMPDIR/a/b"', "/a")
        self.assertFalse(os.path.exists(said.splitlines()[0]))

    def test_f_t1_a_process_is_noticed_and_ended_also_a_daemon(self):
        # Many at once: some are looked for in the middle of their exec, when /proc says little of them.
        script = "setsid sleep 1000 > /dev/null 2>&1 & echo $!"
        runs = [subprocess.Popen([sys.executable, CHECK, "sh", "-c", script], text=True,
                                 stdout=subprocess.PIPE) for _ in range(12)]
        for run in runs:
            said = run.communicate(timeout=60)[0]
            self.assertEqual(run.returncode, 1, said)
            self.assertIn("sleep 1000", said)
            self.assertFalse(os.path.exists(f"/proc/{said.splitlines()[0]}"))

    @unittest.skipUnless(os.geteuid() == 0 and
                         subprocess.run(["unshare", "--net", "--mount", "true"], check=False,
                                        capture_output=True).returncode == 0, "needs to mount")
    def test_f_t1_a_mount_is_noticed_and_unmounted(self):
        script = 'mkdir "$TMPDIR/m" && mount -t tmpfs none "$TMPDIR/m" && echo "$TMPDIR"'
        said = self.assert_left(script, "mount /")
        self.assertFalse(os.path.exists(said.splitlines()[0]))
        # What `ip netns add` does, which the test of half-open connections once left.
        elsewhere = tempfile.mkdtemp()
        self.addCleanup(os.rmdir, elsewhere)
        self.assert_left(f"mount --bind {elsewhere} {elsewhere}", f"mount {elsewhere}")
        self.assertFalse(os.path.ismount(elsewhere))

    def test_f_t1_of_a_failing_test_nothing_stays_unless_asked_for(self):
        script = 'echo "$TMPDIR"; echo x > "$TMPDIR/a"; exit 3'
        for keep in (False, True):
            code, said = self.run_under_check(script, **({"SIPPAR_TEST_KEEP": "1"} if keep else {}))
            self.assertEqual(code, 3)
            self.assertIn("file /", said)
            folder = said.splitlines()[0]
            self.assertEqual(os.path.exists(folder + "/a"), keep)
        os.remove(folder + "/a")
        os.rmdir(folder)


if __name__ == "__main__":
    unittest.main()
