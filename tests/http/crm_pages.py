#!/usr/bin/python3
"""The CRM's pages in a real Chromium with the real daemon: contacts, board, imports, duplicates and settings; empty states, no lost input, phone width,
axe."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from blackbox import main  # noqa: E402
from chromium import PROGRAM  # noqa: E402
from daemon import BUILD, ROOT, Daemon  # noqa: E402
from npm import copied  # noqa: E402

STEPS = ROOT / "tests/browser"
# Not where app_shell.py builds its own app: both may run at once.
KIT = BUILD / "web-crm"
WEB = {"root": "web", "home": "/dashboard", "routes": ["/dashboard", "/contacts/**", "/pipeline/**", "/imports/**", "/settings/**"], "signIn": True}


def install(room):
    """CRM with its pages, to take the place of the build's own; the settings for that."""
    plugins = BUILD / "lib/portico/plugins"
    shutil.copytree(plugins / "crm", room / "crm", ignore=shutil.ignore_patterns("SHA256SUMS*", "web"))
    manifest = room / "crm/manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "web": WEB}))
    shutil.copytree(KIT / "crm", room / "crm/web")
    return {"limits.rates": "off", "plugins.directories": f"{plugins},{room}", "plugins.override": "crm", "plugins.allowUnsigned": "crm"}


class CrmPagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.built = subprocess.run([ROOT / "sdk/web/build", "--out", KIT, "crm"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)

    def test_is_built_within_its_budgets(self):
        self.assertEqual(0, self.built.returncode, self.built.stdout)

    def test_in_a_browser(self):
        self.walk("crm.mjs")

    def test_the_board_by_touch(self):
        self.walk("crm_touch.mjs")

    def test_loses_nothing_that_is_typed(self):
        self.walk("crm_typed.mjs")

    def walk(self, suite):
        self.assertEqual(0, self.built.returncode, "the app was not built")
        with tempfile.TemporaryDirectory() as room:
            with Daemon(install(pathlib.Path(room))) as daemon:
                people = {role: (f"{role}@acme.example", daemon.user(f"{role}@acme.example", "acme", role)["password"]) for role in ("owner", "member")}
                wanted = {
                    "program": PROGRAM,
                    "suite": pathlib.Path(suite).stem,
                    "origin": f"http://crm.localhost:{daemon.port}",
                    "service": f"http://127.0.0.1:{daemon.ports['crm']}",
                    "screens": str(BUILD / "results/screens"),
                    "people": people,
                }
                copied(KIT / "work", STEPS / "browser.mjs", *STEPS.glob("crm*.mjs"))
                done = subprocess.run(["node", suite, json.dumps(wanted)], cwd=KIT / "work", capture_output=True, text=True, timeout=600)
                tail = daemon.log_tail() if done.returncode else ""
        self.assertEqual(0, done.returncode, done.stdout + done.stderr + tail)


if __name__ == "__main__":
    main()
