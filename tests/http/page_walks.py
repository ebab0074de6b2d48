#!/usr/bin/python3
"""Every page that the apps' links lead to, with demo data, in a real Chromium: by keyboard, while loading, with errors, with long words and right to left;
and the data that a browser keeps after a sign-out."""

import json
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from blackbox import main  # noqa: E402
from chromium import BROWSER, PROGRAM  # noqa: E402
from daemon import BUILD, ROOT, Daemon  # noqa: E402
from npm import copied  # noqa: E402

# Where npm's packages are, once the pages have been built with their service.
WORK = ROOT / "build/web/work"


class PageWalksTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        copied(WORK, *(ROOT / "tests/browser" / file for file in ("browser.mjs", "left.mjs", "walk_checks.mjs", "walks.mjs")))
        cls.daemon = cls.enterClassContext(Daemon({"limits.rates": "off", **{f"limits.streamsPer{each}": 0 for each in ("Caller", "Address", "Origin")}}))
        made = ("--state", cls.daemon.state, "--porticoctl", cls.daemon.build / "bin/porticoctl", "--port", str(cls.daemon.port))
        subprocess.run([ROOT / "packaging/demo-data", *made], check=True, timeout=600)
        demo = json.loads((cls.daemon.state / "demo.json").read_text())
        people = {each["role"]: (each["email"], each["password"]) for each in (*demo["organizations"][0]["users"], {"role": "operator", **demo["operator"]})}
        people["new"] = ("owner@nothing.example", cls.daemon.user("owner@nothing.example", "nothing", "owner")["password"])
        cls.wanted = {
            "program": PROGRAM,
            "origins": demo["origins"],
            "services": {service: f"http://127.0.0.1:{port}" for service, port in demo["ports"].items()},
            "screens": str(BUILD / "results/screens"),
            "people": people,
        }

    def run_steps(self, script, **more):
        done = subprocess.run(["node", script, json.dumps({**self.wanted, **more})], cwd=WORK, capture_output=True, text=True, timeout=600)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr + (self.daemon.log_tail() if done.returncode else ""))

    def test_data_left_after_sign_out(self):
        # The bare engine keeps no page that one has left.
        self.run_steps("left.mjs", program=BROWSER)

    def test_crm(self):
        self.run_steps("walks.mjs", part="crm")

    def test_calendar(self):
        self.run_steps("walks.mjs", part="calendar")

    def test_account_and_organization(self):
        self.run_steps("walks.mjs", part="admin")

    def test_console(self):
        self.run_steps("walks.mjs", part="console")


if __name__ == "__main__":
    main()
