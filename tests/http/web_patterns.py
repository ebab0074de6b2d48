#!/usr/bin/python3
"""The patterns of the web kit (lists, records, forms, boards, dialogs) in a real Chromium under the policy of pages, against a service in memory: no
daemon is needed for what they do."""

import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from blackbox import main  # noqa: E402
from chromium import PROGRAM  # noqa: E402
from daemon import BUILD, ROOT  # noqa: E402
from npm import copied  # noqa: E402

KIT = BUILD / "web"


class WebPatternsTest(unittest.TestCase):
    def test_in_a_browser(self):
        built = subprocess.run([ROOT / "sdk/web/build", "--out", KIT, "gallery"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
        self.assertEqual(0, built.returncode, built.stdout)
        copied(KIT / "work", *(ROOT / "tests/browser" / file for file in ("browser.mjs", "ui.mjs", "ui_gallery.mjs")))
        done = subprocess.run(["node", "ui.mjs", KIT / "gallery"], cwd=KIT / "work", capture_output=True, text=True, timeout=900,
                              env={**os.environ, "CHROMIUM": PROGRAM, "SCREENS": str(BUILD / "results/screens")})
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)


if __name__ == "__main__":
    main()
