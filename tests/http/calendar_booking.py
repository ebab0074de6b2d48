#!/usr/bin/python3
"""Guests book in a real Chromium: with and without scripts, by keyboard, on a phone, in German, and when time runs out; axe finds nothing. The pictures stay in
the build directory below `results/screens`."""

import datetime
import json
import pathlib
import shutil
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from blackbox import main  # noqa: E402
from chromium import PROGRAM  # noqa: E402
from daemon import BUILD, ROOT, Daemon  # noqa: E402
from npm import installed  # noqa: E402

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

    def test_in_a_browser(self):
        folder = installed(HERE / "booking", "booking-checks")
        shutil.copy(ROOT / "tests/browser/browser.mjs", folder)
        now = datetime.datetime.now(datetime.timezone.utc)
        shower = f"http://admin.localhost:{self.daemon.port}"
        grant = self.api("POST", "embed", {"origins": [shower]})
        wanted = {"shower": shower, "embedId": grant["embedId"], "program": PROGRAM, "screens": str(BUILD / "results/screens"), "origin": f"http://calendar.localhost:{self.daemon.port}",
                  "day": f"{now + datetime.timedelta(days=40):%Y-%m-%d}", "later": f"{now + datetime.timedelta(days=41):%Y-%m-%d}"}
        done = subprocess.run(["node", "flow.mjs", json.dumps(wanted)], cwd=folder, capture_output=True, text=True, timeout=300)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr + self.daemon.log_tail())


if __name__ == "__main__":
    main()
