#!/usr/bin/python3
"""The engine of booking times by its vectors, and against a second opinion: the rules once more in Python (slot_rules.py), also on random
zones, rules and dates. PORTICO_SLOT_CASES says how many (default 300), PORTICO_SLOT_SEED which."""

import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest
import zoneinfo
from datetime import date, timedelta

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import slot_rules  # noqa: E402
from blackbox import main  # noqa: E402
from daemon import BUILD  # noqa: E402

CASES = int(os.environ.get("PORTICO_SLOT_CASES", "300"))
SEED = int(os.environ.get("PORTICO_SLOT_SEED", "14"))
FILES = sorted((HERE / "vectors").glob("*.json"))


def run(path):
    return subprocess.run([BUILD / "bin/slot-vectors", path], capture_output=True, text=True, timeout=300)


class Files(unittest.TestCase):
    """What stands in vectors/."""

    def test_the_engine_passes_all(self):
        for path in FILES:
            with self.subTest(path.name):
                result = run(path)
                count = len(json.loads(path.read_text())["vectors"])
                self.assertEqual((result.stdout, result.returncode), (f"{count} passed, 0 failed\n", 0), result.stderr)

    def test_a_second_opinion_agrees(self):
        for path in FILES:
            for vector in json.loads(path.read_text())["vectors"]:
                if "expectedError" in vector:
                    continue
                with self.subTest(f"{path.name} {vector['id']}"):
                    found = slot_rules.starts(vector["input"])
                    self.assertEqual([slot_rules.shown(at) for at in found], vector["expected"])
                    if "expectedByGuestDate" in vector:
                        self.assertEqual(slot_rules.by_guest_date(vector["input"], found), vector["expectedByGuestDate"])

    def test_the_engine_passes_the_documentations_example(self):
        [example] = re.findall("^```json\n(.*?)^```$", (HERE.parents[1] / "docs/booking-rules.md").read_text(), re.MULTILINE | re.DOTALL)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(example)
            file.flush()
            self.assertEqual(run(file.name).stdout, "1 passed, 0 failed\n")

    def test_every_rule_has_vectors(self):
        vectors = [vector for path in FILES for vector in json.loads(path.read_text())["vectors"]]
        self.assertGreaterEqual(len(vectors), 60)
        self.assertEqual(len({vector["id"] for vector in vectors}), len(vectors))
        self.assertEqual({rule for vector in vectors for rule in vector["rules"]}, {f"R{n}" for n in range(1, 14)})


class Program(unittest.TestCase):
    """What the runner says of vectors that fail, and of files that are none."""

    def check(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(text)
            file.flush()
            return run(file.name)

    def test_failures_are_shown(self):
        good, refused = (json.loads((HERE / f"vectors/{name}.json").read_text())["vectors"][0] for name in ("hours", "refused"))
        other = good | {"id": "other", "expected": ["2026-06-07T08:00:00Z"]}
        unguarded = good | {"id": "unguarded", "expected": None, "expectedError": "empty_interval"}
        misnamed = refused | {"id": "misnamed", "expectedError": "unknown_time_zone"}
        result = self.check(json.dumps({"version": 1, "vectors": [other, good, unguarded, misnamed]}))
        found = " ".join(good["expected"])
        self.assertEqual(result.stdout, f"""other
  expected 2026-06-07T08:00:00Z
  found    {found}
unguarded
  expected refused: empty_interval
  found    {found}
misnamed
  expected refused: unknown_time_zone
  found    refused: validation_failed empty_interval
1 passed, 3 failed
""")
        self.assertEqual(result.returncode, 1)

    def test_the_guests_dates_are_compared(self):
        vectors = json.loads((HERE / "vectors/limits.json").read_text())["vectors"]
        vector = next(each for each in vectors if each.get("expectedByGuestDate"))
        result = self.check(json.dumps({"version": 1, "vectors": [vector | {"expectedByGuestDate": {"2026-07-08": ["01:00", "02:30"]}}]}))
        self.assertIn("expected 2026-07-08 01:00 02:30\n  found    2026-07-08 01:00 02:00\n", result.stdout)
        self.assertEqual(result.returncode, 1)

    def test_other_files_are_reported(self):
        for text in ("", "[]", "{", '{"version": 2, "vectors": []}', '{"version": 1, "vectors": [{"id": 1}]}'):
            with self.subTest(text):
                result = self.check(text)
                self.assertEqual((result.returncode, result.stdout), (2, ""))
                self.assertIn("slot vectors", result.stderr)
        self.assertEqual(run("/nowhere.json").returncode, 2)


class Cases:
    """Random inputs, most of them near a change of the clock."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.zones = sorted(name for name in zoneinfo.available_timezones() if name not in ("Factory", "localtime"))

    def changes(self, zone, year):
        days = [date(year, 1, 1) + timedelta(n) for n in range(367)]
        noons = [slot_rules.seconds_of(day, 720) for day in days]
        offsets = [zone.offset(noon) for noon in noons]
        return [day for day, a, b in zip(days[1:], offsets, offsets[1:]) if a != b]

    def day(self, name):
        year = self.random.choice((self.random.randint(1970, 2036), self.random.randint(2037, 2200), 2011, 2026))
        days = self.changes(slot_rules.zone(name), year) if self.random.random() < 0.8 else []
        day = self.random.choice(days) if days else date(year, 1, 1) + timedelta(self.random.randrange(365))
        return day + timedelta(self.random.randint(-1, 1))

    def wall(self, step=5):
        return self.random.randrange(0, 1440, self.random.choice((step, 30, 60)))

    def interval(self):
        start = self.random.choice((0, 60, 120, 1380, self.wall(), self.wall()))
        end = self.random.choice((1440, 0, 60, 180, self.wall(), self.wall()))
        if start == end:
            end = start + 5
        return {"start": f"{start // 60:02}:{start % 60:02}", "end": f"{end // 60:02}:{end % 60:02}"}

    def some(self, most, make):
        return [make() for _ in range(self.random.randint(0, most))]

    def span(self, day):
        start = slot_rules.seconds_of(day) + self.random.randrange(-3 * 86400, 4 * 86400, self.random.choice((900, 300, 1)))
        return {"start": slot_rules.shown(start), "end": slot_rules.shown(start + self.random.choice((0, 900, 1800, 3600, 20000)))}

    def event(self, day, found):
        """At any time, or on a start of the grid."""
        event = self.span(day)
        if found and self.random.random() < 0.6:
            start = self.random.choice(found[0])
            event = {"start": slot_rules.shown(start), "end": slot_rules.shown(start + found[1] * 60)}
        for name in ("bufferBeforeMinutes", "bufferAfterMinutes"):
            if self.random.random() < 0.4:
                event[name] = self.random.choice((5, 10, 30, 60))
        if self.random.random() < 0.3:
            event |= {"seats": self.random.randint(1, 3), "otherEventType": self.random.random() < 0.3}
        return event

    def override(self, day):
        given = {"date": (day + timedelta(self.random.randint(-2, 2))).isoformat()}
        return given | ({"closed": True} if self.random.random() < 0.4 else {"intervals": [self.interval(), *self.some(2, self.interval)]})

    def window(self, day):
        kind = self.random.choice(("rollingDays", "rollingDays", "dateRange", "unlimited"))
        if kind == "rollingDays":
            return {"kind": kind, "days": self.random.randint(0, 6)}
        if kind == "unlimited":
            return {"kind": kind}
        first = day + timedelta(self.random.randint(-2, 1))
        return {"kind": kind, "from": first.isoformat(), "to": (first + timedelta(self.random.randint(0, 3))).isoformat()}

    def query(self, day):
        first, last = day - timedelta(self.random.randint(0, 3)), day + timedelta(self.random.randint(0, 3))
        if self.random.random() < 0.4:
            return {"guestTimeZone": self.random.choice(self.zones), "fromDate": first.isoformat(), "toDate": last.isoformat()}
        begin, end = slot_rules.seconds_of(first), slot_rules.seconds_of(last) + self.random.randrange(90000)
        return {"from": slot_rules.shown(begin), "to": slot_rules.shown(end)}

    def make(self):
        choose, chance = self.random.choice, self.random.random
        name = choose(self.zones)
        day = self.day(name)
        now = slot_rules.seconds_of(day) + self.random.randint(-6 * 86400, 86400) if chance() < 0.5 else slot_rules.seconds_of(day) - 20 * 86400
        given = {"now": slot_rules.shown(now), "hostTimeZone": name, "durationMinutes": choose((15, 20, 30, 45, 60, 90, 240, 1440)),
                 "weeklyRules": [{"weekday": weekday} | self.interval() for weekday in range(1, 8) for _ in range(choose((0, 1, 1, 2)))],
                 "dateOverrides": self.some(choose((0, 4)), lambda: self.override(day)), "query": self.query(day)}
        if chance() < 0.4:
            given["slotIntervalMinutes"] = choose((15, 25, 30, 60, 100))
        free = slot_rules.starts(given)
        found = (free, given["durationMinutes"]) if free else None
        more = {"busy": self.some(3, lambda: self.span(day)), "bookings": self.some(4, lambda: self.event(day, found)),
                "holds": self.some(3, lambda: self.event(day, found) | {"expiresAt": slot_rules.shown(now + choose((-60, 0, 1, 300)))})}
        if chance() < 0.3:
            first = day + timedelta(self.random.randint(-2, 2))
            more["busyAllDay"] = [{"startDate": first.isoformat(), "endDate": (first + timedelta(self.random.randint(0, 2))).isoformat()}]
        for member, values in (("bufferBeforeMinutes", (5, 15, 60)), ("bufferAfterMinutes", (5, 15, 60)), ("minimumNoticeMinutes", (1, 60, 3000)),
                               ("dailyLimit", (1, 2)), ("weeklyLimit", (1, 2, 3)), ("seatsPerSlot", (2, 3))):
            if chance() < 0.25:
                more[member] = choose(values)
        if chance() < 0.5:
            more["bookingWindow"] = self.window(day)
        return given | more


class Property(unittest.TestCase):
    """Engine and second opinion find the same starts."""

    def test_random_cases(self):
        cases, vectors, open_ones = Cases(SEED), [], 0
        for number in range(CASES):
            given = cases.make()
            found = slot_rules.starts(given)
            open_ones += bool(found)
            vectors.append({"id": f"case {number}", "input": given, "expected": [slot_rules.shown(at) for at in found]})
        # Cases without a start would agree about nothing.
        self.assertGreater(open_ones, CASES // 3)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"version": 1, "vectors": vectors}, file)
            file.flush()
            result = run(file.name)
        if result.returncode == 0:
            return
        failed = next((each for each in vectors if f"{each['id']}\n" in result.stdout), None)
        self.fail(f"seed {SEED}, {CASES} cases\n{result.stderr}{result.stdout[-3000:]}\nthe first of them: {json.dumps(failed)}")


if __name__ == "__main__":
    main()
