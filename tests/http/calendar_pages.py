#!/usr/bin/python3
"""The calendar's app in a real Chromium before the real daemon: from the first run to a page that can be shared, hours, requests, bookings; keyboard, phone width, axe."""

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
from calendar_caldav import PASSWORD, caldav, radicale  # noqa: E402
from chromium import PROGRAM  # noqa: E402
from daemon import BUILD, ROOT, Daemon, free_ports  # noqa: E402
from npm import copied  # noqa: E402

STEPS = ROOT / "tests/browser"
# Not where other suites build their apps: they may run at once.
KIT = BUILD / "web-calendar"


def install(room):
    """The calendar with its pages, to take the place of the build's own; the settings for that."""
    plugins = BUILD / "lib/portico/plugins"
    shutil.copytree(plugins / "calendar", room / "calendar", ignore=shutil.ignore_patterns("SHA256SUMS*", "web"))
    shutil.copytree(KIT / "calendar", room / "calendar/web")
    secret = room / "google"
    secret.write_text("secret")
    secret.chmod(0o600)
    # Nobody is asked at Google: its page is the test's.
    providers = {"calendar.google.clientId": "client", "calendar.google.clientSecretFile": str(secret)}
    return {"limits.rates": "off", "outbound.allowedNetworks": "127.0.0.0/8", "plugins.directories": f"{plugins},{room}", "plugins.override": "calendar",
            "plugins.allowUnsigned": "calendar", **providers}


class CalendarPagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.built = subprocess.run([ROOT / "sdk/web/build", "--out", KIT, "calendar"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)

    def test_is_built_within_its_budgets(self):
        self.assertEqual(0, self.built.returncode, self.built.stdout)

    def test_in_a_browser(self):
        self.assertEqual(0, self.built.returncode, "the app was not built")
        with tempfile.TemporaryDirectory() as room, tempfile.TemporaryDirectory() as account, radicale(account, free_ports(1)) as elsewhere, \
                Daemon(install(pathlib.Path(room))) as daemon:
            for name in ("Work", "Family"):
                caldav.DAVClient(elsewhere, username="ada", password=PASSWORD).principal().make_calendar(name=name)
            people = {role: (f"{role}@acme.example", daemon.user(f"{role}@acme.example", "acme", role)["password"]) for role in ("owner", "member")}
            wanted = {
                "program": PROGRAM,
                "origin": f"http://calendar.localhost:{daemon.port}",
                "service": f"http://127.0.0.1:{daemon.ports['calendar']}",
                "screens": str(BUILD / "results/screens"),
                "people": people,
                "elsewhere": {"url": elsewhere, "username": "ada", "password": PASSWORD},
            }
            copied(KIT / "work", STEPS / "browser.mjs", STEPS / "calendar.mjs")
            done = subprocess.run(["node", "calendar.mjs", json.dumps(wanted)], cwd=KIT / "work", capture_output=True, text=True, timeout=600)
            tail = daemon.log_tail() if done.returncode else ""
        self.assertEqual(0, done.returncode, done.stdout + done.stderr + tail)


if __name__ == "__main__":
    main()
