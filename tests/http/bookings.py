#!/usr/bin/python3
"""Guests who want the same times, through the real door: rivals for one time, many for a few, a daemon that is killed between a booking and
its answer, two daemons on one database. PORTICO_PROOFS=long: a hundred kills."""

import concurrent.futures
import contextlib
import datetime
import http.client
import os
import pathlib
import random
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from blackbox import Accounts, main, on_both_engines  # noqa: E402
from daemon import DaemonError, PostgreSQL  # noqa: E402

# Guests come from addresses of their own.
SETTINGS = {"limits.rates": "off", "server.trustedProxies": "127.0.0.1"}
KILLS = 100 if os.environ.get("PORTICO_PROOFS") == "long" else 8
RIVALS = 200
PATIENCE_SECONDS = 60
# Of two who come at once.
ROUNDS = 20


def monday():
    """A day with office hours, more than a week ahead: tomorrow may be too soon for a booking."""
    today = datetime.datetime.now(datetime.timezone.utc).date()
    return today + datetime.timedelta(days=14 - today.weekday())


class Guest:
    """A guest with a separate client address who holds and books."""

    def __init__(self, daemon, number, slug="intro"):
        self.daemon, self.page = daemon, f"/api/public/ada/{slug}"
        self.headers = {"X-Forwarded-For": f"198.51.{number // 250}.{number % 250 + 1}"}

    def ask(self, method, path, body=None):
        return self.daemon.request("calendar", method, path, body, headers=self.headers)

    def free(self, date):
        return [each["start"] for each in self.ask("GET", f"{self.page}/availability?fromDate={date}&toDate={date}").json()["slots"]]

    def hold(self, start):
        return self.ask("POST", f"{self.page}/hold", {"start": start, "timeZone": "UTC"})

    def confirm(self, held):
        guest = {"name": "Grace", "email": "grace@example.org", "timeZone": "Europe/London"}
        return self.ask("POST", f"{self.page}/confirm", {"holdId": held["holdId"], "holdToken": held["holdToken"], "guest": guest})

    def book_anything(self, date):
        """Tries free times until one is booked (its booking), or none is left (None)."""
        while free := self.free(date):
            held = self.hold(random.choice(free))
            if held.status == 201:
                booked = self.confirm(held.json())
                if booked.status == 201:
                    return booked.json()["booking"]
                raise AssertionError(booked.body)
            if held.status != 409:
                raise AssertionError(held.body)
        return None


class Office:
    """The host of a daemon's first organization, with a type of bookings."""

    def __init__(self, daemon, accounts):
        self.daemon, self.token = daemon, accounts.token(service="calendar")
        self.ask("POST", "/api/admin/host", {"handle": "ada", "displayName": "Ada", "timeZone": "UTC"})
        self.ask("POST", "/api/admin/event-types", {"slug": "intro", "title": "Intro", "durationMinutes": 24})

    def ask(self, method, path, body=None):
        answer = self.daemon.request("calendar", method, path, body, self.token)
        if answer.status >= 300:
            raise AssertionError(f"{method} {path}: {answer.body!r}")
        return answer.json()

    def bookings(self, date):
        after = date + datetime.timedelta(days=1)
        return self.ask("GET", f"/api/admin/bookings?from={date}T00:00:00Z&to={after}T00:00:00Z&status=confirmed")["items"]


def together(count, work):
    """Returns the results of this many guests who book at the same time."""
    start = threading.Barrier(count)

    def one(number):
        start.wait()
        return work(number)

    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return list(pool.map(one, range(count)))


def assert_apart(case, bookings):
    """No two at one time."""
    spans = sorted((each["start"], each["end"]) for each in bookings)
    for (_, end), (start, _) in zip(spans, spans[1:]):
        case.assertLessEqual(end, start)


@on_both_engines
class Rivals:
    settings = SETTINGS

    def setUp(self):
        if not hasattr(type(self), "office"):
            type(self).office = Office(self.daemon, self.accounts)

    def test_one_time_goes_to_one(self):
        start = f"{monday()}T09:00:00Z"
        answers = together(RIVALS, lambda number: Guest(self.daemon, number).hold(start))
        won = [each for each in answers if each.status == 201]
        self.assertEqual(len(won), 1, [each.body for each in answers if each.status not in (201, 409)][:3])
        for lost in answers:
            if lost.status != 201:
                problem = lost.json()
                self.assertEqual((problem["status"], problem["code"], len(problem["details"]["nearest"])), (409, "slot_held", 5))
        self.assertEqual(Guest(self.daemon, 1).confirm(won[0].json()).status, 201)

    def test_addresses_are_those_of_the_configuration(self):
        """Whatever host a request names; and what anybody may read, a script of any page may."""
        guest = Guest(self.daemon, 2)
        guest.headers["Host"] = "evil.example"
        origin = f"http://calendar.localhost:{self.daemon.port}"
        for path in ("/", "/ada", "/ada/intro"):
            page = guest.ask("GET", path).body.decode()
            self.assertIn(f'rel="canonical" href="{origin}{path}"', page)
            self.assertNotIn("evil.example", page)
        made = guest.confirm(guest.hold(f"{monday() + datetime.timedelta(days=4)}T09:00:00Z").json()).json()
        self.assertTrue(made["manageUrl"].startswith(f"{origin}/public/bookings/"), made["manageUrl"])
        for url in (made["icsUrl"], made["icsUrl"].replace("/calendar.ics", "")):
            self.assertTrue(url.startswith(origin), url)
            read = self.daemon.request("calendar", "GET", url.removeprefix(origin), headers={"Origin": "https://anywhere.example"})
            self.assertEqual((read.status, read.headers["Access-Control-Allow-Origin"]), (200, "*"))

    def test_twenty_times_go_to_twenty(self):
        date = monday() + datetime.timedelta(days=1)
        self.assertEqual(len(Guest(self.daemon, 0).free(date)), 20)
        booked = [each for each in together(RIVALS, lambda number: Guest(self.daemon, number).book_anything(date)) if each]
        kept = self.office.bookings(date)
        self.assertEqual({each["bookingId"] for each in booked}, {each["bookingId"] for each in kept})
        self.assertEqual(len(kept), 20)
        assert_apart(self, kept)

    def test_new_hours_know_all_bookings(self):
        """Of a booking and hours that exclude it, which come together, one hears of the other."""
        schedule = f"/api/admin/schedules/{self.office.ask('GET', '/api/admin/host')['defaultScheduleId']}"
        hours = {"weeklyRules": self.office.ask("GET", schedule)["weeklyRules"]}
        start = f"{monday() + datetime.timedelta(days=3)}T09:00:00Z"
        for number in range(ROUNDS):
            guest = Guest(self.daemon, number)
            held = guest.hold(start).json()
            closed, booked = together(2, lambda who: guest.confirm(held) if who else self.office.ask("PUT", schedule, {"weeklyRules": []}))  # noqa: B023
            if booked.status == 201:
                made = booked.json()["booking"]["bookingId"]
                self.assertIn(made, closed["bookingsOutsideHours"])
                self.office.ask("POST", f"/api/admin/bookings/{made}/cancel", {})
            else:
                self.assertEqual(booked.json()["code"], "slot_unavailable")
            self.office.ask("PUT", schedule, hours)

    def test_schedules_stay_for_what_names_them(self):
        """A schedule that is deleted while it is chosen: one of the two is refused, and guests find the page afterwards."""
        kind = self.office.ask("POST", "/api/admin/event-types", {"slug": "named", "title": "Named"})["eventTypeId"]
        choices = [(f"/api/admin/event-types/{kind}", "scheduleId", None), ("/api/admin/host", "defaultScheduleId", self.office.ask("GET", "/api/admin/host")["defaultScheduleId"])]
        for path, member, before in choices * (ROUNDS // 2):
            schedule = self.office.ask("POST", "/api/admin/schedules", {"name": "Short-lived"})["scheduleId"]
            ways = [("PUT", path, {member: schedule}), ("DELETE", f"/api/admin/schedules/{schedule}", None)]
            answers = together(2, lambda which: self.daemon.request("calendar", *ways[which], self.office.token))  # noqa: B023
            self.assertIn([each.status for each in answers], ([200, 409], [400, 200]), [each.body for each in answers])
            page = self.daemon.request("calendar", "GET", f"/api/public/ada/named/availability?fromDate={monday()}&toDate={monday()}")
            self.assertEqual(page.status, 200, page.body)
            self.office.ask("PUT", path, {member: before})

    def test_repeated_request_is_done_once(self):
        """Requests of guests and hosts that create records or send mails, repeated with one Idempotency-Key."""
        guest = Guest(self.daemon, 7)
        guest.headers["Idempotency-Key"] = "the-same-hold-twice"
        first, second = (guest.hold(f"{monday() + datetime.timedelta(days=4)}T09:48:00Z") for _ in range(2))
        self.assertEqual((first.status, first.body, second.headers["Idempotency-Replayed"]), (201, second.body, "true"))
        del guest.headers["Idempotency-Key"]
        made = guest.confirm(first.json()).json()
        booking, token = made["booking"]["bookingId"], made["manageUrl"].split("token=")[1]
        there = f"{monday() + datetime.timedelta(days=4)}T12:12:00Z"
        steps = [(f"/api/admin/bookings/{booking}/reschedule", {"start": there}, self.office.token), (f"/api/public/bookings/{booking}/cancel", {"token": token}, None)]
        for path, body, bearer in steps:
            once, again = (self.daemon.request("calendar", "POST", path, body, bearer, {"Idempotency-Key": "the-same-step-twice"}) for _ in range(2))
            self.assertEqual((once.status, again.status, again.body, again.headers["Idempotency-Replayed"]), (200, 200, once.body, "true"), path)

    def test_host_who_is_suspended_or_has_left_takes_no_bookings(self):
        """Identity suspends and reactivates the host. The host's page is paused, because bookings would not be noticed, and must be reopened by hand."""

        def ask(method, path, body=None):
            return self.daemon.request("calendar", method, path, body, self.accounts.token(role="member", service="calendar"))

        def changes(method, change=None):
            answer = self.daemon.request("identity", method, membership, change, self.accounts.token(service="identity"))
            self.assertIn(answer.status, (200, 204), answer.body)

        def slots():
            return self.daemon.request("calendar", "GET", f"/api/public/grace/intro/availability?fromDate={monday()}&toDate={monday()}").json()["slots"]

        def wait_until_closed():
            deadline = time.monotonic() + PATIENCE_SECONDS
            while slots():
                self.assertLess(time.monotonic(), deadline, self.daemon.log_tail())
                time.sleep(0.05)

        ask("POST", "/api/admin/host", {"handle": "grace", "displayName": "Grace", "timeZone": "UTC"})
        ask("POST", "/api/admin/event-types", {"slug": "intro", "title": "Intro"})
        who = ask("GET", "/api/admin/context").json()
        membership = f"/api/organizations/{who['organizationId']}/members/{who['user']['userId']}"
        self.assertNotEqual(slots(), [])
        changes("PATCH", {"status": "suspended"})
        wait_until_closed()
        changes("PATCH", {"status": "active"})
        self.assertEqual(ask("PUT", "/api/admin/host", {"status": "active"}).status, 200)
        self.assertNotEqual(slots(), [])
        changes("DELETE")
        wait_until_closed()

    def test_answered_bookings_survive(self):
        """Kills the daemon anywhere between request and response. Every acknowledged booking exists, and none exists twice."""
        date = monday() + datetime.timedelta(days=2)
        dates = [date + datetime.timedelta(days=7 * week) for week in range((KILLS + 17) // 18)]
        starts = iter([start for each in dates for start in Guest(self.daemon, 0).free(each)])
        answered = []
        for number in range(KILLS):
            guest = Guest(self.daemon, number)
            held = guest.hold(next(starts)).json()
            killer = threading.Timer(random.uniform(0, 0.006), self.daemon.kill)
            killer.start()
            with contextlib.suppress(OSError, http.client.HTTPException):
                answer = guest.confirm(held)
                if answer.status == 201:
                    answered.append(answer.json()["booking"]["bookingId"])
            killer.join()
            self.daemon.start()
            again = guest.confirm(held)
            self.assertIn(again.status, (200, 410), again.body)
            if again.status == 200:
                answered.append(again.json()["booking"]["bookingId"])
        kept = [each for date in dates for each in self.office.bookings(date)]
        self.assertLessEqual(set(answered), {each["bookingId"] for each in kept})
        self.assertEqual(len({each["start"] for each in kept}), len(kept))
        assert_apart(self, kept)


class TwoDaemons(unittest.TestCase):
    def test_one_host_on_two_daemons(self):
        """Their holds are apart, the database is one; one of them is killed among it."""
        with PostgreSQL() as cluster, cluster.daemon(SETTINGS) as first:
            office = Office(first, Accounts(first))
            date = monday()
            with cluster.daemon(SETTINGS) as second:

                def book(number):
                    if number == 60:
                        second.kill()
                    with contextlib.suppress(OSError, http.client.HTTPException, DaemonError):
                        return try_to_book(second if number % 2 else first, number, date)
                    return None

                booked = [each for each in together(100, book) if each]
            kept = office.bookings(date)
            self.assertLessEqual(set(booked), {each["bookingId"] for each in kept})
            self.assertGreater(len(booked), 0)
            assert_apart(self, kept)


def try_to_book(daemon, number, date):
    """Returns a booking's id. Another daemon may win between the hold here and its confirmation."""
    guest = Guest(daemon, number)
    while free := guest.free(date):
        held = guest.hold(random.choice(free))
        if held.status == 201:
            booked = guest.confirm(held.json())
            if booked.status == 201:
                return booked.json()["booking"]["bookingId"]
            if booked.status != 409:
                raise AssertionError(booked.body)
        elif held.status != 409:
            raise AssertionError(held.body)
    return None


if __name__ == "__main__":
    main()
