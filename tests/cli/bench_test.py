# `sippar bench` from outside: what scripts rely on in its output, what it refuses, Ctrl-C.
# usage: bench_test.py SIPPAR_BINARY
# SPDX-License-Identifier: Apache-2.0
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

BINARY = ""
KEYS = ["workload", "rows", "threads", "sync", "ops_per_s", "p50_us", "p99_us", "p999_us",
        "cpu_us_per_op", "bytes_written"]


class BenchTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.store = os.path.join(self.folder.name, "store")

    def run_sippar(self, *args, code=0):
        run = subprocess.run([BINARY, *args], capture_output=True, text=True, timeout=120)
        self.assertEqual(run.returncode, code, run.stderr)
        return run.stdout, run.stderr

    def bench(self, workload, *args, rows=2000, code=0):
        return self.run_sippar("bench", self.store, "--workload", workload, "--rows", str(rows),
                               "--sync", "no", *args, code=code)

    def bench_json(self, workload, *args, **kwargs):
        out, _ = self.bench(workload, "--format", "json", *args, **kwargs)
        return [json.loads(line) for line in out.splitlines()]

    def test_json_is_one_object_a_workload_with_exactly_these_keys(self):
        for workload in ("fillseq", "fillrandom", "readseq", "readrandom", "readmissing"):
            (result,) = self.bench_json(workload, "--threads", "3")
            self.assertEqual(list(result), KEYS)
            self.assertEqual([result["workload"], result["rows"], result["threads"], result["sync"]],
                             [workload, 2000, 3, False])
            self.assertGreater(result["ops_per_s"], 0)
            self.assertGreater(result["cpu_us_per_op"], 0)
            self.assertLessEqual(result["p50_us"], result["p99_us"])
            self.assertLessEqual(result["p99_us"], result["p999_us"])
            if workload.startswith("fill"):  # the log at least, and values of 1,000 bytes
                self.assertGreater(result["bytes_written"], 2000 * 1000)
            else:  # a slow machine may flush METADATA meanwhile
                self.assertLess(result["bytes_written"], 100_000)

    def test_a_scan_finds_what_the_fill_wrote(self):
        self.bench("fillseq", "--batch", "300", "--threads", "2", rows=1001)
        (scan,) = self.bench_json("scan", "--threads", "4", rows=1001)
        self.assertEqual(scan["rows"], 1001)

    def test_more_clients_than_rows(self):
        for workload in ("fillseq", "scan", "readseq"):
            (result,) = self.bench_json(workload, "--threads", "8", rows=1)
            self.assertEqual(result["rows"], 1)

    def test_paper_has_the_six_workloads_beside_its_figures(self):
        results = self.bench_json("paper", rows=500)
        self.assertEqual({r["workload"] for r in results},
                         {"random reads", "random reads (mem)", "random writes", "sequential reads",
                          "sequential writes", "scans"})
        self.assertTrue(all(list(r) == KEYS for r in results))
        table, _ = self.bench("paper", rows=500)
        lines = table.splitlines()
        self.assertRegex(lines[1], r"^random reads +[\d,]+ +1,212 ")
        self.assertRegex(lines[2], r"^random reads \(mem\) +[\d,]+ +10,811 ")
        self.assertRegex(lines[6], r"^scans +[\d,]+ +15,385 ")

    def test_table_has_a_head_and_a_line(self):
        out, note = self.bench("fillrandom", "--threads", "2")
        head, line = out.splitlines()
        self.assertEqual(head.split()[:4], ["workload", "rows", "threads", "sync"])
        self.assertEqual(line.split()[:4], ["fillrandom", "2,000", "2", "no"])
        self.assertIn("table bench of", note)
        self.assertIn("DROP TABLE bench removes it", note)

    def test_reads_use_what_a_fill_left_or_fill_first(self):
        _, note = self.bench("readrandom")
        self.assertIn(": filled first;", note)
        _, note = self.bench("readseq", rows=1000)
        self.assertIn(": used as it was;", note)
        _, note = self.bench("readseq", rows=3000)
        self.assertIn(": filled first;", note)
        _, note = self.bench("readseq", "--value", "500", rows=3000)
        self.assertIn(": filled first;", note)
        self.bench("fillrandom", rows=3000)
        _, note = self.bench("readseq", rows=3000)
        self.assertRegex(note, r"readseq: 6\d\.\d % of the rows were there")

    def test_compression_shows_in_what_is_stored(self):
        stored = {}
        for compression in ("none", "fast", "high"):
            self.store = os.path.join(self.folder.name, compression)
            self.bench("readseq", "--compression", compression, rows=5000)
            stored[compression] = sum(os.path.getsize(os.path.join(folder, name))
                                      for folder, _, names in os.walk(self.store)
                                      for name in names if name.endswith(".sst"))
        self.assertLess(stored["fast"], 0.7 * stored["none"])
        self.assertLess(stored["high"], 0.7 * stored["none"])

    def test_bad_numbers_are_told_with_their_limit(self):
        for args, words in ((["--rows", "0"], ["--rows", "0 not in range", "1"]),
                            (["--threads", "257"], ["--threads", "257 not in range", "256"]),
                            (["--threads", "two"], ["--threads", "two"]),
                            (["--value", "104857601"], ["--value", "104857600"]),
                            (["--batch", "10001"], ["--batch", "10000"]),
                            (["--batch", "10000", "--value", "100000"],
                             ["--batch", "--value", "1000000000 bytes", "268435456"]),
                            (["--seed", "-1"], ["--seed"]),
                            (["--sync", "maybe"], ["--sync", "yes", "no"]),
                            (["--compression", "zip"], ["--compression", "none", "fast", "high"]),
                            (["--format", "xml"], ["--format", "table", "json"])):
            _, error = self.run_sippar("bench", self.store, "--workload", "fillseq", *args, code=2)
            for word in words:
                self.assertIn(word, error, args)
            self.assertFalse(os.path.exists(self.store), args)

    def test_a_bad_workload_names_the_good_ones(self):
        _, error = self.bench("fill", code=2)
        for name in ("fillseq", "fillrandom", "readseq", "readrandom", "readmissing", "scan",
                     "paper"):
            self.assertIn(name, error)
        _, error = self.run_sippar("bench", self.store, code=2)
        self.assertIn("--workload", error)

    def test_foreign_data_is_left_alone(self):
        self.run_sippar("query", self.store, "-e",
                        "CREATE TABLE bench (FAMILY f); INSERT INTO bench ROW 'r' SET f:q = 'v'")
        _, error = self.bench("fillseq", code=3)
        self.assertIn("contains table bench, which no benchmark made", error)
        out, _ = self.run_sippar("query", self.store, "--format", "jsonl", "-e",
                                 "SELECT f:q FROM bench")
        self.assertIn('"v"', out)
        self.store = os.path.join(self.folder.name, "pictures")
        os.mkdir(self.store)
        with open(os.path.join(self.store, "cat.jpg"), "w", encoding="utf-8") as f:
            f.write("cat")
        self.bench("fillseq", code=3)
        self.assertEqual(os.listdir(self.store), ["cat.jpg"])

    def test_chart_is_a_picture_with_a_panel_a_workload(self):
        chart = os.path.join(self.folder.name, "a chart.svg")
        self.bench("paper", "--chart", chart, rows=500)
        root = xml.etree.ElementTree.parse(chart).getroot()
        texts = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text")]
        self.assertIn("random reads (mem)", texts)
        self.assertEqual(texts.count("compactions"), 6)
        curves = list(root.iter("{http://www.w3.org/2000/svg}polyline"))
        self.assertEqual(len(curves), 6)
        self.assertTrue(all(curve.get("points").strip() for curve in curves))

    def test_a_chart_that_cannot_be_written_is_told_at_the_start(self):
        _, error = self.bench("fillseq", "--chart", os.path.join(self.folder.name, "no", "c.svg"),
                              code=2)
        self.assertIn("cannot write chart", error)
        self.assertFalse(os.path.exists(self.store))

    def has_rows(self):
        """Asks the process that has the store open."""
        run = subprocess.run([BINARY, "query", self.store, "--no-header", "-e",
                              "SELECT row FROM bench LIMIT 1"], capture_output=True, timeout=120)
        return run.returncode == 0 and run.stdout != b""

    def test_ctrl_c_ends_with_what_was_measured(self):
        run = subprocess.Popen([BINARY, "bench", self.store, "--workload", "fillrandom", "--rows",
                                "1000000000", "--value", "10", "--sync", "no", "--format", "json"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        give_up = time.monotonic() + 100
        while not self.has_rows() and time.monotonic() < give_up:
            time.sleep(0.05)  # into the workload
        run.send_signal(signal.SIGINT)
        out, error = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130, error)
        self.assertIn("interrupted", error)
        self.assertIn(": partly filled;", error)
        result = json.loads(out)
        self.assertGreater(result["rows"], 0)
        self.assertLess(result["rows"], 1000000000)

    def test_help_has_examples(self):
        out, _ = self.run_sippar("bench", "--help")
        self.assertIn("examples:", out)
        self.assertIn("sippar bench ./bench --workload readrandom", out)


if __name__ == "__main__":
    BINARY = os.path.abspath(sys.argv.pop(1))
    unittest.main()
