#!/usr/bin/python3
"""The wall clock jumps, forwards and backwards, by minutes and by years: tokens, cursors, jobs and files behave, and nobody has to start anything
again."""

import pathlib
import re
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import main  # noqa: E402
from daemon import Daemon, PostgreSQL  # noqa: E402
from faultcase import FREE, Case  # noqa: E402
from wallclock import WallClock  # noqa: E402


class ClockJumped(Case):
    DAY = 86_400

    def check_everything(self, contacts, file, cursor):
        status, headers, body = self.call("GET", f"/api/contacts/{contacts[0]}")
        if status != 200:  # The token is over, or of a time to come.
            self.assertEqual((status, b'"invalid_token"' in body, headers["WWW-Authenticate"] is not None), (401, True, True), body)
        for path in ("/healthz", "/readyz"):
            self.assertEqual(self.call("GET", path)[0], 200)
        self.sign_in()
        self.assertEqual(self.call("GET", f"/api/contacts?limit=1&cursor={cursor}")[0], 200)
        self.assertEqual(self.call("GET", file)[::2], (200, b"kept"))
        status, _, body = self.call("PUT", f"/api/contacts/{contacts[0]}", {"jobTitle": "CTO"})
        self.assertEqual(status, 200, body)
        contacts.append(self.contact())
        # A job runs.
        before = self.blobs()
        self.assertEqual(self.call("DELETE", self.attached(contacts[-1], b"deleted"))[0], 200)
        self.eventually(lambda: self.blobs() == before, "the job that removes a file does not run")

    def jumps(self, start):
        clock = WallClock(self.folder())
        self.begin(start(clock.environment))
        process = self.daemon.process
        contacts = [self.contact() for _ in range(3)]
        file = self.attached(contacts[0], b"kept")
        cursor = re.search(rb'"nextCursor":"([^"]+)"', self.call("GET", "/api/contacts?limit=1")[2])[1].decode()
        for jump in (600, 3 * 3600, -self.DAY, 400 * self.DAY, -400 * self.DAY, 0):
            with self.subTest(jump=jump):
                clock.jump(jump)
                self.check_everything(contacts, file, cursor)
        self.assertIs(self.daemon.process, process)
        # What the clock of another year has put off is not put off until then: jobs of each day are due tomorrow.
        clock.jump(400 * self.DAY)
        self.daemon.restart()
        self.check_everything(contacts, file, cursor)
        clock.jump(0)
        self.daemon.restart()
        self.check_everything(contacts, file, cursor)
        jobs = self.daemon.ctl("jobs", "list", "--status", "all")["jobs"]
        self.assertTrue(jobs)
        latest = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(time.time() + 2 * self.DAY))
        self.assertLess(max(each["dueAt"] for each in jobs), latest, jobs)
        for contact in contacts:
            self.assertEqual(self.call("GET", f"/api/contacts/{contact}")[0], 200)

    def test_on_sqlite(self):
        self.jumps(lambda environment: Daemon(FREE, environment=environment))

    def test_on_postgresql(self):
        server = self.enter(PostgreSQL())
        self.jumps(lambda environment: server.daemon(FREE, environment=environment))


if __name__ == "__main__":
    main()
