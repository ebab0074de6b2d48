#!/usr/bin/python3
"""Guests book in a real Chromium: with and without JavaScript, by keyboard, on a phone, in German, after an expired hold, and in pages of other origins, with
axe checks. Screenshots stay in the build directory below `results/screens`."""

import datetime
import json
import pathlib
import random
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from blackbox import main  # noqa: E402
from chromium import BROWSER  # noqa: E402
from daemon import BUILD, ROOT, Daemon  # noqa: E402
from npm import copied, installed  # noqa: E402

# Builds in a separate folder, because auth_client.py builds the whole kit and removes this bundle.
KIT = BUILD / "web-booking"
ALWAYS = [{"weekday": day, "start": "00:00", "end": "24:00"} for day in range(1, 8)]
QUESTIONS = [
    {"questionId": "topic", "label": "What is it about?", "required": True},
    {"questionId": "size", "label": "How many of you?", "type": "select", "options": ["Just me", "A team"]},
    {"questionId": "days", "label": "Which days suit you?", "type": "multi_select", "options": ["Monday", "Friday"]},
    {"questionId": "terms", "label": "I have read the house rules", "type": "checkbox", "required": True},
]
TYPES = [
    {"slug": "intro", "title": "Intro call", "description": "Half an hour to get to know each other and to see whether we fit.", "meetingKind": "external_link", "meetingDetails": "https://meet.example/ada"},
    {"slug": "workshop", "title": "Workshop", "description": "A morning with your team.", "durationMinutes": 90, "durationOptions": [60], "seatsPerSlot": 8, "requiresApproval": True,
     "allowAdditionalGuests": 3, "questions": QUESTIONS},
    {"slug": "closed", "title": "Closed", "visibility": "disabled"},
]


class CalendarBooking(unittest.TestCase):
    def setUp(self):
        self.daemon = Daemon({"limits.rates": "off"})
        self.addCleanup(self.daemon.close)
        self.daemon.start()
        made = self.daemon.user("ada@acme.example", "acme", "owner")
        self.token = self.daemon.login("ada@acme.example", made["password"], "calendar")
        self.api("POST", "host", {"handle": "ada", "displayName": "Ada Lovelace", "timeZone": "Europe/Berlin", "weeklyRules": ALWAYS})
        self.api("PUT", "host", {"headline": "Mathematics, engines, letters", "holdSeconds": 120})
        self.types = {each["slug"]: self.api("POST", "event-types", each)["eventTypeId"] for each in TYPES}

    def api(self, method, path, body):
        answer = self.daemon.request("calendar", method, f"/api/admin/{path}", body, token=self.token)
        self.assertIn(answer.status, (200, 201), answer.body)
        return answer.json()

    def run_steps(self, file, **more):
        folder = installed(HERE / "booking", "booking-checks")
        copied(folder, ROOT / "tests/browser/browser.mjs", HERE / "booking" / file)
        day = self.ahead()
        # In the whole browser, as guests have it.
        wanted = {"program": BROWSER, "screens": str(BUILD / "results/screens"), "origin": f"http://calendar.localhost:{self.daemon.port}", "day": str(day), "later": str(day + datetime.timedelta(days=1)), **more}
        done = subprocess.run(["node", file, json.dumps(wanted)], cwd=folder, capture_output=True, text=True, timeout=600)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr + self.daemon.log_tail())

    @staticmethod
    def ahead():
        """A day some weeks ahead with the next one in its month: the step to another month asks for that first."""
        day = datetime.datetime.now(datetime.timezone.utc).date() + datetime.timedelta(days=40)
        return day.replace(day=min(day.day, 25))

    def test_in_a_browser(self):
        self.run_steps("flow.mjs")

    def test_in_pages_of_other_origins(self):
        shower, stranger = (f"http://{service}.localhost:{self.daemon.port}" for service in ("crm", "identity"))
        grant = self.api("POST", "embed", {"origins": [shower]})
        self.run_steps("embed.mjs", shower=shower, stranger=stranger, embedId=grant["embedId"], seed=random.randrange(2**32))

    def test_in_pages_made_with_react(self):
        built = subprocess.run([ROOT / "sdk/web/build", "--out", KIT, "embed"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
        self.assertEqual(0, built.returncode, built.stdout)
        shower = f"http://crm.localhost:{self.daemon.port}"
        grant = self.api("POST", "embed", {"origins": [shower]})
        self.run_steps("react.mjs", shower=shower, embedId=grant["embedId"], page=str(KIT / "booking-embed/page.js"))


if __name__ == "__main__":
    main()
