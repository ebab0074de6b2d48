#!/usr/bin/python3
"""What the calendar service writes (written/*.ics, compared by ICalendarWriterTest), read by programs of others."""
import unittest
from datetime import datetime, timezone
from pathlib import Path

import icalendar
import vobject

WRITTEN = Path(__file__).parent / "written"
SUMMARY = "Intro call; Ada, Grace \\ friends — Übersicht über alles, was wir heute miteinander besprechen wollen 🎉"


class Readers(unittest.TestCase):
    maxDiff = None

    def read(self, name):
        calendar = icalendar.Calendar.from_ical((WRITTEN / name).read_bytes())
        [event] = calendar.walk("VEVENT")
        return calendar, event

    def test_a_request(self):
        calendar, event = self.read("request.ics")
        self.assertEqual((calendar["VERSION"], calendar["METHOD"]), ("2.0", "REQUEST"))
        self.assertEqual(event["UID"], "bkg_01jd0000000000000000000000@calendar.example.test")
        self.assertEqual((event["SEQUENCE"], event["STATUS"]), (1, "CONFIRMED"))
        # The zone is the file's own: what icalendar gives is what the file's VTIMEZONE says.
        self.assertEqual(event["DTSTART"].dt.astimezone(timezone.utc), datetime(2026, 10, 25, 9, tzinfo=timezone.utc))
        self.assertEqual(event["DTEND"].dt.astimezone(timezone.utc), datetime(2026, 10, 25, 9, 30, tzinfo=timezone.utc))
        self.assertEqual(event["SUMMARY"], SUMMARY)
        self.assertEqual(event["DESCRIPTION"], "First line\nSecond line, with a comma\n\tand a tab")
        self.assertEqual(event["LOCATION"], "Room 1, 2nd floor")
        self.assertEqual(event["ORGANIZER"].params["CN"], "Ada 'Countess' Lovelace")
        self.assertEqual([(who, who.params["CN"], who.params["PARTSTAT"]) for who in event["ATTENDEE"]],
                         [("mailto:grace@example.test", "Grace Hopper", "ACCEPTED"), ("mailto:aase@example.test", "Løvenskiold, Åse; Dr", "NEEDS-ACTION")])
        self.assertEqual(event["LAST-MODIFIED"].dt, datetime(2026, 10, 2, 8, tzinfo=timezone.utc))

    def test_a_cancellation(self):
        calendar, event = self.read("cancel.ics")
        self.assertEqual((calendar["METHOD"], event["STATUS"], event["SEQUENCE"]), ("CANCEL", "CANCELLED", 3))
        self.assertEqual(event["DTSTART"].dt.astimezone(timezone.utc), datetime(2026, 12, 31, 12, 30, tzinfo=timezone.utc))

    def test_the_zone_by_itself(self):
        """With nothing but the file: its VTIMEZONE gives the offsets that the tz database has."""
        calendar, _ = self.read("request.ics")
        [zone] = calendar.walk("VTIMEZONE")
        made = zone.to_tz()
        for wall, hours in ((datetime(2026, 1, 15), 1), (datetime(2026, 7, 1), 2), (datetime(2026, 10, 25, 10), 1), (datetime(2026, 12, 31, 23), 1)):
            self.assertEqual(made.localize(wall).utcoffset().total_seconds(), hours * 3600, wall)

    def test_another_program(self):
        for name in ("request.ics", "cancel.ics"):
            calendar = vobject.readOne((WRITTEN / name).read_text())
            self.assertEqual(calendar.vevent.summary.value, SUMMARY)
            self.assertIsNotNone(calendar.vevent.dtstart.value.tzinfo)


if __name__ == "__main__":
    unittest.main()
