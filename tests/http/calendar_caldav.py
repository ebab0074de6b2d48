#!/usr/bin/python3
"""Calendars elsewhere through the real daemon: Radicale and Xandikos as their servers, python3-caldav as another client of theirs; Google and Microsoft as
their documentation shows them; and servers that are slow, or lie."""

import contextlib
import datetime
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import caldav  # noqa: E402
import icalendar  # noqa: E402
from blackbox import Accounts, main  # noqa: E402
from calendar_servers import Feeds, Providers  # noqa: E402
from daemon import Daemon, free_ports  # noqa: E402

PATIENCE_SECONDS = 120
CALENDARS = "/api/admin/external-calendars"
PASSWORD = "an app password"


def wait(until, what):
    """What `until` gives, once that is something."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        found = until()
        if found:
            return found
        assert time.monotonic() < deadline, what()
        time.sleep(0.05)  # between two looks


def answers(url):
    try:
        urllib.request.urlopen(url, timeout=5).close()
    except urllib.error.HTTPError:
        pass
    except OSError:
        return False
    return True


@contextlib.contextmanager
def server(command, room, port):
    """A third-party calendar server, started until it answers and stopped at the end of the block."""
    with open(pathlib.Path(room) / "log", "wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        try:
            wait(lambda: answers(f"http://127.0.0.1:{port}/"), (pathlib.Path(room) / "log").read_text)
            yield f"http://127.0.0.1:{port}/"
        finally:
            process.terminate()


def radicale(room, port):
    users = pathlib.Path(room) / "users"
    users.write_text(f"ada:{PASSWORD}\n")
    config = pathlib.Path(room) / "config"
    config.write_text(f"[server]\nhosts = 127.0.0.1:{port}\n[auth]\ntype = htpasswd\nhtpasswd_filename = {users}\nhtpasswd_encryption = plain\ndelay = 0\n"
                      f"[storage]\nfilesystem_folder = {room}/collections\n")
    return server(["radicale", "--config", config], room, port)


def xandikos(room, port):
    command = ["xandikos", "-d", f"{room}/collections", "-l", "127.0.0.1", "-p", str(port), "--current-user-principal", "/ada/", "--defaults"]
    return server(command, room, port)


def event(uid, start):
    form = "%Y%m%dT%H%M%SZ"
    end = start + datetime.timedelta(hours=1)
    return (f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\nBEGIN:VEVENT\r\nUID:{uid}\r\nDTSTAMP:{start:{form}}\r\nDTSTART:{start:{form}}\r\n"
            f"DTEND:{end:{form}}\r\nSUMMARY:Dentist\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n")


def text(instant):
    return f"{instant:%Y-%m-%dT%H:%M:%S}.000Z"


class CalDavTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        first = free_ports(4)
        cls.ports = [first, first + 1]
        cls.providers = cls.stack.enter_context(Providers(first + 2))
        cls.feeds = cls.stack.enter_context(Feeds(first + 3))
        secret = pathlib.Path(cls.stack.enter_context(tempfile.TemporaryDirectory())) / "secret"
        secret.touch(mode=0o600)
        secret.write_text("s3cret\n")
        cls.daemon = cls.stack.enter_context(Daemon({"limits.rates": "off", "outbound.allowedNetworks": "127.0.0.0/8", **cls.providers.settings(secret)}))
        cls.accounts = Accounts(cls.daemon)

    @classmethod
    def tearDownClass(cls):
        cls.stack.close()

    def call(self, method, path, body=None, status=200):
        answer = self.daemon.request("calendar", method, path, body, self.token)
        self.assertEqual(answer.status, status, answer.body)
        return answer.json()

    def free(self):
        """The hours of the day that guests are offered."""
        day = self.day.isoformat()
        found = self.call("GET", f"/api/public/{self.handle}/intro/availability?fromDate={day}&toDate={day}&timeZone=UTC")
        return {slot["start"] for slot in found["slots"]}

    def at(self, hour):
        return datetime.datetime.combine(self.day, datetime.time(hour))

    def host(self, handle):
        self.handle = handle
        email = f"{handle}@acme.example"
        self.token = self.daemon.login(email, self.daemon.user(email, "acme", "member")["password"], "calendar")
        self.call("POST", "/api/admin/host", {"handle": handle, "displayName": "Ada", "timeZone": "UTC"}, 201)
        self.kind = self.call("POST", "/api/admin/event-types", {"title": "Intro", "slug": "intro", "durationMinutes": 60}, 201)["eventTypeId"]
        today = datetime.datetime.now(datetime.timezone.utc).date()
        self.day = today + datetime.timedelta(days=14 - today.weekday() + 1)  # a Tuesday

    def synced(self, calendar, since=None):
        def look():
            shown = self.call("GET", f"{CALENDARS}/{calendar}")
            return shown if shown["lastSyncAt"] and shown["lastSyncAt"] != since else None

        return wait(look, lambda: self.call("GET", f"{CALENDARS}/{calendar}"))

    def sync(self, calendar):
        before = self.call("GET", f"{CALENDARS}/{calendar}")["lastSyncAt"]
        self.call("POST", f"{CALENDARS}/{calendar}/sync", {}, 202)
        return self.synced(calendar, before)

    def follow(self, url, client, remote):
        """A busy event blocks; moved by another client, it frees and blocks; bookings come and go there."""
        busy = remote.save_event(event("dentist", self.at(10)))
        account = {"kind": "caldav", "url": url, "username": "ada", "password": PASSWORD, "direction": "busy_and_write"}
        found = self.call("POST", f"{CALENDARS}/discover", {name: account[name] for name in ("kind", "url", "username", "password")})["calendars"]
        place = str(remote.url)
        self.assertIn(place, [each["url"] for each in found])
        self.assertLessEqual({text(self.at(10)), text(self.at(14))}, self.free())
        calendar = self.call("POST", CALENDARS, {**account, "selectedCollections": [place], "writeTarget": place}, 201)["calendarId"]
        self.assertEqual((self.synced(calendar)["syncState"], self.synced(calendar)["eventCount"]), ("ok", 1))
        self.assertEqual((text(self.at(10)) in self.free(), text(self.at(14)) in self.free()), (False, True))

        busy.data = event("dentist", self.at(14))
        busy.save()
        self.sync(calendar)
        self.assertEqual((text(self.at(10)) in self.free(), text(self.at(14)) in self.free()), (True, False))

        guest = {"name": "Grace Hopper", "email": "grace@example.test", "timeZone": "UTC"}
        booking = self.call("POST", "/api/admin/bookings", {"eventTypeId": self.kind, "start": text(self.at(11)), "guest": guest}, 201)

        def written():
            events = [icalendar.Calendar.from_ical(each.data).walk("VEVENT")[0] for each in remote.events()]
            return {str(each["UID"]): each for each in events}

        there = wait(lambda: written().get(booking["iCalUid"]), written)
        self.assertEqual(there["DTSTART"].dt.astimezone(datetime.timezone.utc).replace(tzinfo=None), self.at(11))
        # Moved, it blocks its new time only, though the calendar has it as an event as well.
        self.sync(calendar)
        self.call("POST", f"/api/admin/bookings/{booking['bookingId']}/reschedule", {"start": text(self.at(12))})
        wait(lambda: int(written()[booking["iCalUid"]]["SEQUENCE"]) == 1, written)
        self.sync(calendar)
        self.assertEqual((text(self.at(11)) in self.free(), text(self.at(12)) in self.free()), (True, False))
        self.call("POST", f"/api/admin/bookings/{booking['bookingId']}/cancel", {})
        wait(lambda: booking["iCalUid"] not in written(), written)
        self.assertIn("dentist", written())

        # Read only, it is asked when one is busy, where the server can say so.
        self.call("PUT", f"{CALENDARS}/{calendar}", {"direction": "busy_only"})
        self.sync(calendar)
        self.assertEqual((text(self.at(10)) in self.free(), text(self.at(14)) in self.free()), (True, False))
        self.call("DELETE", f"{CALENDARS}/{calendar}")
        self.assertIn(text(self.at(14)), self.free())

    def test_radicale(self):
        self.host("ada-radicale")
        with tempfile.TemporaryDirectory() as room, radicale(room, self.ports[0]) as url:
            client = caldav.DAVClient(url, username="ada", password=PASSWORD)
            remote = client.principal().make_calendar(name="Work")
            wrong = self.call("POST", CALENDARS, {"kind": "caldav", "url": url, "username": "ada", "password": "wrong"}, 400)
            self.assertEqual((wrong["errors"][0]["field"], wrong["errors"][0]["code"]), ("password", "auth_failed"))
            self.assertIn("refused the user name and password", wrong["errors"][0]["message"])
            self.follow(url, client, remote)

    def test_xandikos(self):
        self.host("ada-xandikos")
        with tempfile.TemporaryDirectory() as room, xandikos(room, self.ports[1]) as url:
            client = caldav.DAVClient(url)
            self.follow(url, client, client.principal().calendars()[0])

    def test_closed_port(self):
        self.token = self.accounts.token("globex", "owner", "calendar")
        self.call("POST", "/api/admin/host", {"handle": "nobody-there", "displayName": "Eve", "timeZone": "UTC"}, 201)
        port = free_ports(1)
        gone = self.call("POST", f"{CALENDARS}/discover", {"kind": "caldav", "url": f"http://127.0.0.1:{port}/"}, 502)
        self.assertEqual(gone["code"], "calendar_unreachable")
        self.assertTrue(gone["detail"].startswith("Step 1 of 3"), gone)
        # The daemon's own pages are no calendar either.
        pages = self.call("POST", f"{CALENDARS}/discover", {"kind": "caldav", "url": f"http://127.0.0.1:{self.daemon.ports['crm']}/"}, 502)
        self.assertEqual(pages["code"], "calendar_unreachable")


    def book(self, hour):
        """As a guest does."""
        public = f"/api/public/{self.handle}/intro"
        held = self.call("POST", f"{public}/hold", {"start": text(self.at(hour)), "timeZone": "UTC"}, 201)
        guest = {"name": "Grace Hopper", "email": "grace@example.test", "timeZone": "UTC"}
        return self.call("POST", f"{public}/confirm", {"holdId": held["holdId"], "holdToken": held["holdToken"], "guest": guest}, 201)["booking"]["bookingId"]

    def consent(self, calendar):
        """To the provider and back, as a browser goes. Where it ends."""
        started = self.daemon.request("calendar", "POST", f"{CALENDARS}/{calendar}/authorize", {}, self.token)
        self.assertEqual(started.status, 200, started.body)
        cookie = started.headers["Set-Cookie"]
        self.assertIn("HttpOnly", cookie)
        self.assertIn("SameSite=Lax", cookie)

        class Stay(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, *_):
                return None

        with self.assertRaises(urllib.error.HTTPError) as allowed:
            urllib.request.build_opener(Stay).open(started.json()["authorizeUrl"], timeout=PATIENCE_SECONDS)
        back = urllib.parse.urlsplit(allowed.exception.headers["Location"])
        self.assertEqual(f"{back.scheme}://{back.netloc}", f"http://calendar.localhost:{self.daemon.port}")
        # Nobody gets in by the address alone.
        path = f"{back.path}?{back.query}"
        self.assertEqual(self.daemon.request("calendar", "GET", path).headers["Location"], "/app/calendars?connectError=expired")
        return self.daemon.request("calendar", "GET", path, headers={"Cookie": cookie.split(";")[0]}).headers["Location"]

    def follow_provider(self, kind):
        self.host(f"ada-{kind}")
        self.providers.revoked, self.providers.written = False, {}
        self.providers.busy = (text(self.at(10)), text(self.at(11)))
        self.assertIn(kind, self.call("GET", CALENDARS)["connectableKinds"])
        calendar = self.call("POST", CALENDARS, {"kind": kind}, 201)["calendarId"]
        self.assertEqual(self.consent(calendar), f"/app/calendars?connected={calendar}")
        shown = self.synced(calendar)
        self.assertEqual((shown["syncState"], shown["lastError"]), ("ok", None))
        self.assertEqual((text(self.at(10)) in self.free(), text(self.at(14)) in self.free()), (False, True))

        self.call("PUT", f"{CALENDARS}/{calendar}", {"direction": "busy_and_write"})
        booking = self.book(14)
        wait(lambda: len(self.providers.written) == 1, lambda: self.providers.written)
        self.sync(calendar)
        self.call("POST", f"/api/admin/bookings/{booking}/reschedule", {"start": text(self.at(15))})
        wait(lambda: "T15:00:00" in str(self.providers.written), lambda: self.providers.written)
        # The event blocks nothing where it was, though it has not been read since.
        self.assertIn(text(self.at(14)), self.free())
        self.call("POST", f"/api/admin/bookings/{booking}/cancel", {})
        wait(lambda: not self.providers.written, lambda: self.providers.written)

        self.providers.revoked = True
        self.call("POST", f"{CALENDARS}/{calendar}/sync", {}, 202)
        wait(lambda: self.call("GET", f"{CALENDARS}/{calendar}")["syncState"] == "auth_failed", lambda: self.call("GET", f"{CALENDARS}/{calendar}"))
        self.assertNotIn(text(self.at(10)), self.free())

    def test_google(self):
        self.follow_provider("google")

    def test_microsoft(self):
        self.follow_provider("microsoft")

    def test_feeds_that_lie(self):
        self.host("ada-lies")
        words = {"page": "begins with", "loop": "302", "inside": "not a public one", "cut": "", "endless": ""}
        for kind, word in words.items():
            with self.subTest(kind):
                refused = self.call("POST", CALENDARS, {"kind": "ics_feed", "url": f"{self.feeds.url}/{kind}/a.ics"}, 502)
                self.assertEqual(refused["code"], "calendar_unreachable")
                self.assertIn(word, refused["detail"])
        self.assertEqual(self.call("GET", CALENDARS)["items"], [])
        # What a rule may cost is bounded, too: its owner is told.
        bomb = self.call("POST", CALENDARS, {"kind": "ics_feed", "url": f"{self.feeds.url}/bomb/a.ics"}, 201)["calendarId"]
        told = wait(lambda: self.call("GET", f"{CALENDARS}/{bomb}")["lastError"], lambda: self.call("GET", f"{CALENDARS}/{bomb}"))
        self.assertIn("too", told)

    def test_slow_servers_block_no_other_work(self):
        self.host("ada-slow")
        calendars = [self.call("POST", CALENDARS, {"kind": "ics_feed", "url": f"{self.feeds.url}/slow/{i}.ics"}, 201)["calendarId"] for i in range(6)]
        wait(lambda: self.feeds.waiting >= 2, lambda: self.feeds.waiting)
        # All of them are due, and none answers: most of the threads that run jobs are there for others.
        crm = self.accounts.token("acme", "owner", "crm")
        made = self.daemon.request("crm", "POST", "/api/contacts", {"displayName": "Grace", "tags": ["slow"]}, crm)
        self.assertEqual(made.status, 201, made.body)
        started = self.daemon.request("crm", "POST", "/api/contacts/bulk", {"filter": {"tag": ["slow"]}, "change": {"addTags": ["done"]}}, crm).json()
        report = lambda: self.daemon.request("crm", "GET", f"/api/contacts/bulk/{started['bulkId']}", None, crm).json()  # noqa: E731
        wait(lambda: report()["status"] == "completed", report)
        self.assertEqual(self.feeds.most, 2)
        # Guests book, with one more look that ends by itself.
        self.assertIn(text(self.at(9)), self.free())
        self.book(9)
        self.assertFalse(self.feeds.release.is_set())
        self.feeds.release.set()
        for calendar in calendars:
            self.call("DELETE", f"{CALENDARS}/{calendar}")


if __name__ == "__main__":
    main()
