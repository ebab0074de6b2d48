#!/usr/bin/python3
"""Whether all sources have the form that packaging/format gives them."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))
from blackbox import main  # noqa: E402


class Format(unittest.TestCase):
    def test_no_tracked_source_differs(self):
        checked = subprocess.run([ROOT / "packaging/format", "--check"], capture_output=True, text=True)
        self.assertEqual(("", 0), (checked.stdout, checked.returncode), "run packaging/format\n" + checked.stderr)

    def test_a_source_that_differs_is_named(self):
        with tempfile.NamedTemporaryFile("w", dir=ROOT / "sdk/src", suffix=".cpp") as odd:
            odd.write("int  x ;\n")
            odd.flush()
            checked = subprocess.run([ROOT / "packaging/format", "--check", odd.name], capture_output=True, text=True)
        self.assertEqual((odd.name + "\n", 1), (checked.stdout, checked.returncode))


if __name__ == "__main__":
    main()
