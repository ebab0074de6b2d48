#!/usr/bin/python3
"""sdk/web/node: which Node the pages are built with, where the system's is too old, missing, or without npm."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NODE = ROOT / "sdk/web/node"
sys.path.insert(0, str(ROOT / "tests/support"))
from blackbox import main  # noqa: E402

TOOLS = "bash dirname env flock head mkdir realpath rm sha256sum sort uname".split()


class WebNode(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path, self.out = pathlib.Path(folder.name) / "bin", pathlib.Path(folder.name) / "out"
        self.path.mkdir()
        for tool in TOOLS:
            (self.path / tool).symlink_to(shutil.which(tool))

    def program(self, name, text):
        (self.path / name).write_text(f"#!/bin/bash\n{text}\n")
        (self.path / name).chmod(0o755)

    def ask(self):
        return subprocess.run([NODE, self.out], env={**os.environ, "PATH": str(self.path)}, capture_output=True, text=True, timeout=60)

    def test_the_systems_own_is_taken(self):
        self.program("npm", "exit 1")
        for version in ("v20.19.0", "v22.1.0", "v101.0.0"):
            self.program("node", f"echo {version}")
            self.assertEqual(f"{self.path}\n", self.ask().stdout, version)

    def test_without_npm_one_sentence_says_what_to_install(self):
        self.program("node", "echo v22.1.0")
        answer = self.ask()
        self.assertEqual((1, ""), (answer.returncode, answer.stdout))
        self.assertIn("apt-get install npm", answer.stderr)
        self.assertEqual(1, answer.stderr.count("\n"))

    def test_one_that_is_too_old_is_replaced_but_not_by_anything(self):
        self.program("node", "echo v20.18.9")
        self.program("npm", f"echo \"$@\" >{self.out}/asked; for each in x64 arm64; do mkdir -p {self.out}/node_modules/node-linux-$each/bin; "
                            f"echo forged >{self.out}/node_modules/node-linux-$each/bin/node; done")
        answer = self.ask()
        self.assertEqual((1, ""), (answer.returncode, answer.stdout))
        self.assertIn("found v20.18.9", answer.stderr)
        self.assertIn("--ignore-scripts", (self.out / "asked").read_text())
        self.assertIn("not Node", answer.stderr)
        self.assertFalse((self.out / "node_modules").exists())

    def test_failing_npm_is_reported(self):
        self.program("npm", "exit 1")
        answer = self.ask()
        self.assertEqual((1, ""), (answer.returncode, answer.stdout))
        self.assertIn("found none", answer.stderr)
        self.assertIn("npm could not bring", answer.stderr)


if __name__ == "__main__":
    main()
