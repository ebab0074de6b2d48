#include "icalendar/BusyReader.h"
#include "support/Suite.h"

namespace portico::tests
{

using namespace calendar;
using namespace calendar::icalendar;

namespace
{
/// Lines of one event, with the calendar around them. `|` ends a line.
std::string calendarOf(const std::string& lines)
{
    std::string text = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n";
    for (const char c : lines) text += c == '|' ? "\r\n" : std::string(1, c);
    return text + "\r\nEND:VCALENDAR\r\n";
}
std::string event(const std::string& lines, const std::string& uid = "one")
{
    return "BEGIN:VEVENT|UID:" + uid + "|" + lines + "|END:VEVENT";
}
} // namespace

class ICalendarBusyTest : public Suite<ICalendarBusyTest>
{
    TEST(readsTimesInEveryKindOfZone)
    {
        const std::string berlin = "2026-11-23T08:00Z-2026-11-23T09:00Z ";
        assertBusy(berlin, event("DTSTART:20261123T080000Z|DTEND:20261123T090000Z"));
        assertBusy(berlin, event("DTSTART;TZID=Europe/Berlin:20261123T090000|DTEND;TZID=Europe/Berlin:20261123T100000"));
        assertBusy(berlin, event("DTSTART;TZID=\"W. Europe Standard Time\":20261123T090000|DURATION:PT1H"));
        assertBusy(berlin, event("DTSTART;TZID=/freeassociation.sourceforge.net/Tzfile/Europe/Berlin:20261123T090000|DURATION:PT1H"));
        // Floating: in the host's zone, which is New York.
        assertBusy("2026-11-23T14:00Z-2026-11-23T15:00Z ", event("DTSTART:20261123T090000|DTEND:20261123T100000"));
    }

    TEST(readsTheFilesOwnZone)
    {
        const std::string zone =
            "BEGIN:VTIMEZONE|TZID:Our Office|BEGIN:STANDARD|DTSTART:19701025T030000|TZOFFSETFROM:+0330|TZOFFSETTO:+0230|"
            "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU|END:STANDARD|BEGIN:DAYLIGHT|DTSTART:19700329T020000|TZOFFSETFROM:+0230|"
            "TZOFFSETTO:+0330|RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU|END:DAYLIGHT|END:VTIMEZONE|";
        const auto at = [&](const std::string& wall) { return zone + event("DTSTART;TZID=Our Office:" + wall + "|DURATION:PT30M"); };
        assertBusy("2026-07-01T05:30Z-2026-07-01T06:00Z ", at("20260701T090000"));
        assertBusy("2026-12-01T06:30Z-2026-12-01T07:00Z ", at("20261201T090000"));
        // In the gap of 29 March, from 2:00 to 3:00: the jump. In the fold of 25 October, from 2:00 to 3:00: the earlier one.
        assertBusy("2026-03-28T23:30Z-2026-03-29T00:00Z ", at("20260329T023000"));
        assertBusy("2026-10-24T23:00Z-2026-10-24T23:30Z ", at("20261025T023000"));
    }

    TEST(keepsToTheWallAcrossClockChanges)
    {
        assertBusy("2026-10-24T07:00Z-2026-10-24T08:00Z 2026-10-25T08:00Z-2026-10-25T09:00Z ",
                   event("DTSTART;TZID=Europe/Berlin:20261024T090000|DTEND;TZID=Europe/Berlin:20261024T100000|RRULE:FREQ=DAILY;COUNT=2"));
        // UNTIL is of UTC: the second one begins after it.
        assertBusy("2026-10-24T07:00Z-2026-10-24T08:00Z ",
                   event("DTSTART;TZID=Europe/Berlin:20261024T090000|DTEND;TZID=Europe/Berlin:20261024T100000|"
                         "RRULE:FREQ=DAILY;UNTIL=20261025T075959Z"));
        // 2:30 does not exist on 29 March: the jump, 1:00 UTC.
        assertBusy("2026-03-29T01:00Z-2026-03-29T01:15Z ",
                   event("DTSTART;TZID=Europe/Berlin:20260328T023000|DURATION:PT15M|RRULE:FREQ=DAILY;COUNT=2|"
                         "EXDATE;TZID=Europe/Berlin:20260328T023000"));
    }

    TEST(readsLengths)
    {
        assertBusy("2026-11-23T08:00Z-2026-11-23T09:30Z ", event("DTSTART:20261123T080000Z|DURATION:PT1H30M"));
        assertBusy("2026-03-28T08:00Z-2026-03-29T07:00Z ", event("DTSTART;TZID=Europe/Berlin:20260328T090000|DURATION:P1D"));
        for (const auto* end : {"", "|DURATION:PT0S", "|DTEND:20261123T080000Z"})
            assertBusy("", event("DTSTART:20261123T080000Z" + std::string(end)));
        // One that began long ago and has not ended.
        assertBusy("2026-01-01T00:00Z-2028-01-01T00:00Z ", event("DTSTART:20200101T000000Z|DTEND:20990101T000000Z"));
    }

    TEST(readsDates)
    {
        assertBusy("2026-11-23/2026-11-24 ", event("DTSTART;VALUE=DATE:20261123"));
        assertBusy("2026-11-23/2026-11-26 ", event("DTSTART;VALUE=DATE:20261123|DTEND;VALUE=DATE:20261126"));
        assertBusy("2026-11-23/2026-11-25 ", event("DTSTART;VALUE=DATE:20261123|DURATION:P2D"));
        assertBusy("2026-11-23/2026-11-24 2026-11-30/2026-12-01 ",
                   event("DTSTART;VALUE=DATE:20261123|RRULE:FREQ=WEEKLY;COUNT=3|EXDATE;VALUE=DATE:20261207"));
        _options.allDay = false;
        assertBusy("", event("DTSTART;VALUE=DATE:20261123"));
    }

    TEST(passesOverWhatIsNotBusy)
    {
        const std::string time = "DTSTART:20261123T080000Z|DTEND:20261123T090000Z|", busy = "2026-11-23T08:00Z-2026-11-23T09:00Z ";
        _options.ownAddresses = {"ada@example.test"};
        assertBusy("", event(time + "TRANSP:TRANSPARENT"));
        assertBusy("", event(time + "STATUS:CANCELLED"));
        assertBusy("", event(time + "ATTENDEE;CN=\"Lovelace, Ada\";PARTSTAT=DECLINED:MAILTO:Ada@Example.Test"));
        assertBusy(busy,
                   event(time + "ATTENDEE;PARTSTAT=DECLINED:mailto:bob@example.test|ATTENDEE;PARTSTAT=ACCEPTED:mailto:ada@example.test"));
        assertBusy(busy, event(time + "STATUS:TENTATIVE"));
        _options.tentative = false;
        assertBusy("", event(time + "STATUS:TENTATIVE"));
        assertBusy("", event(time + "ATTENDEE;PARTSTAT=TENTATIVE:mailto:ada@example.test"));
        assertBusy(busy, event(time + "STATUS:CONFIRMED"));
    }

    TEST(leavesOutAddsAndMovesOccurrences)
    {
        const std::string daily = "DTSTART;TZID=Europe/Berlin:20261123T090000|DURATION:PT1H|RRULE:FREQ=DAILY;COUNT=3";
        assertBusy("2026-11-23T08:00Z-2026-11-23T09:00Z 2026-11-25T08:00Z-2026-11-25T09:00Z 2026-12-24T16:00Z-2026-12-24T17:00Z ",
                   event(daily + "|EXDATE:20261124T080000Z|RDATE;TZID=Europe/Berlin:20261224T170000"));
        assertBusy("2026-11-23T08:00Z-2026-11-23T09:00Z 2026-11-24T12:00Z-2026-11-24T12:30Z 2026-11-25T08:00Z-2026-11-25T09:00Z ",
                   event(daily) + "|" + event("RECURRENCE-ID;TZID=Europe/Berlin:20261124T090000|DTSTART:20261124T120000Z|DURATION:PT30M"));
        assertBusy("2026-11-23T08:00Z-2026-11-23T09:00Z 2026-11-25T08:00Z-2026-11-25T09:00Z ",
                   event("RECURRENCE-ID:20261124T080000Z|DTSTART:20261124T120000Z|DURATION:PT30M|STATUS:CANCELLED") + "|" + event(daily));
        // Only a changed occurrence came along.
        assertBusy("2026-11-24T12:00Z-2026-11-24T12:30Z ", event("RECURRENCE-ID:20261124T080000Z|DTSTART:20261124T120000Z|DURATION:PT30M"));
        // The start counts, whether the rule meets it or not.
        assertBusy("2026-11-23T08:00Z-2026-11-23T09:00Z 2026-11-27T08:00Z-2026-11-27T09:00Z ",
                   event("DTSTART:20261123T080000Z|DURATION:PT1H|RRULE:FREQ=WEEKLY;BYDAY=FR;COUNT=1"));
    }

    TEST(movesThisAndFuture)
    {
        const std::string daily =
            "DTSTART;TZID=Europe/Berlin:20261023T090000|DURATION:PT1H|RRULE:FREQ=DAILY;COUNT=4|EXDATE;TZID=Europe/Berlin:20261023T090000";
        const std::string later = "RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20261024T090000|";
        // From 24 October on at 11 by the wall, which is another hour of UTC from the 25th on, and half as long.
        assertBusy("2026-10-24T09:00Z-2026-10-24T09:30Z 2026-10-25T10:00Z-2026-10-25T10:30Z 2026-10-26T10:00Z-2026-10-26T10:30Z ",
                   event(daily) + "|" + event(later + "DTSTART;TZID=Europe/Berlin:20261024T110000|DURATION:PT30M"));
        assertBusy("", event(daily) + "|" + event(later + "DTSTART;TZID=Europe/Berlin:20261024T110000|DURATION:PT30M|STATUS:CANCELLED"));
    }

    TEST(skipsOurs)
    {
        _options.isOurs = [](std::string_view uid) { return uid == "bkg_1@calendar.test"; };
        const std::string time = "DTSTART:20261123T080000Z|DTEND:20261123T090000Z";
        assertBusy("", event(time, "bkg_1@calendar.test"));
        assertBusy("2026-11-23T08:00Z-2026-11-23T09:00Z ", event(time, "bkg_2@calendar.test"));
    }

    TEST(readsFreeBusyAnswers)
    {
        _options.tentative = false;
        assertBusy("2026-11-23T08:00Z-2026-11-23T10:00Z 2026-11-25T08:00Z-2026-11-25T09:00Z ",
                   "BEGIN:VFREEBUSY|DTSTART:20260101T000000Z|DTEND:20280101T000000Z|FREEBUSY:20261123T080000Z/PT1H,20261123T090000Z/"
                   "20261123T100000Z|"
                   "FREEBUSY;FBTYPE=FREE:20261124T080000Z/PT1H|FREEBUSY;FBTYPE=BUSY-TENTATIVE:20261124T080000Z/PT1H|"
                   "FREEBUSY;FBTYPE=BUSY-UNAVAILABLE:20261125T080000Z/PT1H|END:VFREEBUSY");
    }

    TEST(unfoldsLinesAndForgivesSmallFaults)
    {
        const std::string busy = "2026-11-23T08:00Z-2026-11-23T09:00Z ";
        assertBusy(busy, event("DTSTART:2026112| 3T0800|\t00Z|garbage|:|DTEND;X-A=\"a:b;c\":20261123T090000Z|DESCRIPTION:BEGIN:VEVENT"));
        const auto bare =
            "\xEF\xBB\xBF\n begin:vcalendar\nBEGIN:VEVENT\ndtstart:20261123T080000Z\nduration:PT1H\nEND:VEVENT\nend:vcalendar";
        equal(busy, busyOf(bare));
    }

    TEST(refusesWhatIsNoCalendar)
    {
        for (const std::string& text : {std::string(), std::string("<!DOCTYPE html><html>"), std::string("BEGIN:VCARD\nEND:VCARD\n"),
                                        std::string("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20261123T080000Z\n"),
                                        std::string("END:VCALENDAR\n"), std::string(6'000'000, 'a')})
            CPPUNIT_ASSERT_THROW(busyOf(text), ICalendarError);
        std::string deep;
        for (int i = 0; i < 9; ++i) deep += "BEGIN:VCALENDAR\n";
        CPPUNIT_ASSERT_THROW(busyOf(deep), ICalendarError);
    }

    TEST(notesWhatItCannotRead)
    {
        BusyReader reader(_zones, _options);
        reader.add(calendarOf(event("SUMMARY:Standup|DTSTART:20261123T080000Z|DURATION:PT1H|RRULE:FREQ=SOMETIMES") + "|" +
                              event("SUMMARY:Lunch|DTSTART;TZID=Middle/Earth:20261123T120000|DURATION:PT1H", "two") + "|" +
                              event("DTSTART:tomorrow", "three")));
        const auto busy = reader.take();
        equal(2, busy.times.size());
        equal(3, busy.eventCount);
        equal(3, busy.notes.size());
        CHECK(std::ranges::any_of(busy.notes,
                                  [](const auto& note) { return note.sentence.starts_with("“Standup”: its rule “FREQ=SOMETIMES”"); }));
        CHECK(std::ranges::any_of(busy.notes, [](const auto& note) { return note.sentence.find("Middle/Earth") != std::string::npos; }));
    }

    TEST(endsWithBombs)
    {
        const std::string start = "DTSTART:20261123T080000Z|DURATION:PT1H|RRULE:";
        const std::string lunch = "|" + event("DTSTART:20261124T080000Z|DURATION:PT1H", "lunch");
        // A too expensive rule only loses further repetitions of its event.
        assertBusy("2026-11-23T08:00Z-2026-11-23T14:33Z 2026-11-24T08:00Z-2026-11-24T09:00Z ", event(start + "FREQ=SECONDLY") + lunch);
        assertBusy("2026-11-23T08:00Z-2026-11-23T09:00Z 2026-11-24T08:00Z-2026-11-24T09:00Z ",
                   event(start + "FREQ=SECONDLY;COUNT=1000000000;BYMONTH=2;BYMONTHDAY=30") + lunch);
        // The later ones of many such rules count once; other events are complete.
        std::string many;
        for (int i = 0; i < 50; ++i) many += event("DTSTART:20261123T080000Z|DURATION:PT1H|RRULE:FREQ=SECONDLY", std::to_string(i)) + "|";
        assertBusy("2026-11-23T08:00Z-2026-11-23T14:33Z 2026-11-24T08:00Z-2026-11-24T09:00Z ", many + lunch.substr(1));
        // A zone that is too expensive to compute is unknown.
        const auto slow = calendarOf("BEGIN:VTIMEZONE|TZID:Slow|BEGIN:STANDARD|DTSTART:19700101T000000|TZOFFSETFROM:+0000|TZOFFSETTO:+0000|"
                                     "RRULE:FREQ=SECONDLY|END:STANDARD|END:VTIMEZONE|" +
                                     event("DTSTART;TZID=Slow:20261123T080000|DURATION:PT1H"));
        equal("2026-11-23T13:00Z-2026-11-23T14:00Z ", busyOf(slow));
    }

    std::string busyOf(const std::string& text)
    {
        BusyReader reader(_zones, _options);
        reader.add(text);
        const auto busy = reader.take();
        std::string shown;
        const auto minute = [](Instant instant) { return toString(instant).substr(0, 16) + "Z"; };
        for (const auto& time : busy.times) shown += minute(time.start) + "-" + minute(time.end) + " ";
        for (const auto& dates : busy.dates) shown += dates.start.text() + "/" + dates.end.text() + " ";
        return shown;
    }

    void assertBusy(const std::string& expected, const std::string& lines) { equal(expected, busyOf(calendarOf(lines)), lines); }

    TimeZones _zones;
    BusyOptions _options{.from = *parseInstant("2026-01-01T00:00:00Z"),
                         .to = *parseInstant("2028-01-01T00:00:00Z"),
                         .zone = *_zones.find("America/New_York")};
};
} // namespace portico::tests
