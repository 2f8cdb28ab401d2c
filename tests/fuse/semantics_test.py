# Executes the examples of fuse/SEMANTICS.md on a real mount. Usage: semantics_test.py STAGE ...
# SPDX-License-Identifier: Apache-2.0
import os
import re
import subprocess
import sys
import unittest

from stage import Stage, skip_unless_fuse

STAGE = sys.argv[1]
DOCUMENT = os.path.join(os.path.dirname(__file__), "../../fuse/SEMANTICS.md")


def blocks(kind):
    with open(DOCUMENT, encoding="utf-8") as file:
        return re.findall(r"^```%s\n(.*?)^```$" % kind, file.read(), re.M | re.S)


def examples():
    """Pairs of command and expected output."""
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


class SemanticsTest(unittest.TestCase):
    def test_every_example_of_the_document(self):
        stage = Stage(STAGE)
        self.addCleanup(stage.clean)
        stage.start()
        cells = [line.split("\t") for line in "".join(blocks("fixture")).splitlines()]
        families = {}
        for table, _, family, _, _, _ in cells:
            families.setdefault(table, set()).add(family)
        for table, names in families.items():
            stage.do("table", table, *sorted(names))
        for table, row, family, qualifier, time_us, value in cells:
            stage.set(table, row, family, qualifier, time_us, value)
        for query in blocks("query"):
            first, _, text = query.partition("\n")
            stage.save_query(first.removeprefix("-- "), text)
        environment = dict(os.environ, LC_ALL="C")
        count = 0
        for command, expected in examples():
            shell = subprocess.run(["bash", "-c", command], cwd=stage.mount, env=environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            output = re.sub(r"^bash: line \d+: ", "bash: ", shell.stdout, flags=re.M)
            with self.subTest(command=command):
                self.assertEqual(output, expected)
            count += 1
        self.assertGreaterEqual(count, 50)
        stage.stop()


if __name__ == "__main__":
    skip_unless_fuse()
    unittest.main(argv=sys.argv[:1], verbosity=2)
