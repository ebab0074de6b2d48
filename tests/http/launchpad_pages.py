#!/usr/bin/python3
"""The app of launchpad in a real Chromium before the real daemon: first sign-in, tiles, launches, apps, actions, settings, a plan that is bought and changed; states, widths, themes, axe."""

import json
import pathlib
import re
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
from selling import KEY, Payments  # noqa: E402

STEPS = ROOT / "tests/browser"
# Not where other suites build their apps: they may run at once.
KIT = BUILD / "web-launchpad"
ROLES = ("owner", "member", "guest")


def install(room):
    """Launchpad with its pages in place of the build's own, and the settings for that."""
    plugins = BUILD / "lib/portico/plugins"
    shutil.copytree(plugins / "launchpad", room / "launchpad", ignore=shutil.ignore_patterns("SHA256SUMS*", "web"))
    shutil.copytree(KIT / "launchpad", room / "launchpad/web")
    return {"limits.rates": "off", "launchpad.demo.host": "ada", "launchpad.defaultInstalls": "crm,calendar,admin", "plugins.directories": f"{plugins},{room}", "plugins.override": "launchpad", "plugins.allowUnsigned": "launchpad"}


def demo_calendar(daemon):
    """The calendar that visitors book demos in, of a person outside the organization of the test."""
    token = daemon.login("ada@demo.example", daemon.user("ada@demo.example", "demo", "owner")["password"], "calendar")
    host = {"handle": "ada", "displayName": "Ada", "timeZone": "Europe/Berlin"}
    kind = {"slug": "intro", "title": "Intro", "durationMinutes": 30, "meetingKind": "none", "minimumNoticeMinutes": 60}
    for path, body in (("/api/admin/host", host), ("/api/admin/event-types", kind)):
        answer = daemon.request("calendar", "POST", path, body, token)
        if answer.status != 201:
            raise AssertionError(answer.body)


class LaunchpadPagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.built = subprocess.run([ROOT / "sdk/web/build", "--out", KIT, "launchpad"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)

    def test_is_built_within_its_budgets(self):
        self.assertEqual(0, self.built.returncode, self.built.stdout)

    def test_in_a_browser(self):
        self.assertEqual(0, self.built.returncode, "the app was not built")
        payments = Payments()
        self.addCleanup(payments.close)
        with tempfile.TemporaryDirectory() as room, Daemon({**install(pathlib.Path(room)), **payments.settings}) as daemon:
            payments.deliver_to(daemon)
            people = {role: (f"{role}@acme.example", daemon.user(f"{role}@acme.example", "acme", role)["password"]) for role in ROLES}
            demo_calendar(daemon)
            wanted = {
                "program": PROGRAM,
                "origin": f"http://launchpad.localhost:{daemon.port}",
                "own": f"http://127.0.0.1:{daemon.ports['launchpad']}",
                "crm": f"http://crm.localhost:{daemon.port}",
                "crmApi": {"url": f"http://127.0.0.1:{daemon.ports['crm']}", "token": daemon.login(*people["owner"])},
                "screens": str(BUILD / "results/screens"),
                "people": people,
                "state": str(daemon.state),
                "payments": {"url": payments.url, "key": KEY},
            }
            copied(KIT / "work", STEPS / "browser.mjs", *STEPS.glob("launchpad*.mjs"))
            done = subprocess.run(["node", "launchpad.mjs", json.dumps(wanted)], cwd=KIT / "work", capture_output=True, text=True, timeout=900)
            log = daemon.log.read_text(errors="replace")
            tail = daemon.log_tail() if done.returncode else ""
        self.assertEqual(0, done.returncode, done.stdout + done.stderr + tail)
        # Neither tokens nor codes are in the log: three dotted parts in base64url, or the member that carries a code.
        self.assertIsNone(re.search(r"eyJ[\w-]{8,}\.[\w-]{8,}\.|sso_code=", log))


if __name__ == "__main__":
    main()
