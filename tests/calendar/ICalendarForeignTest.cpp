#include "icalendar/BusyReader.h"
#include "icalendar/WindowsZones.h"
#include "icalendar/ZoneFiles.h"
#include "support/Suite.h"

#include <sstream>

namespace portico::tests
{

using namespace calendar;
using namespace calendar::icalendar;

/// Calendars as other programs write them: with repairs, and with parts that cannot be read. The host is in Berlin.
class ICalendarForeignTest : public Suite<ICalendarForeignTest>
{
    TEST(comparesDatesOfWholeDaySeries)
    {
        const std::string daily = "DTSTART;VALUE=DATE:20270111|DTEND;VALUE=DATE:20270112|RRULE:FREQ=DAILY;UNTIL=20270113";
        const std::string without12 = "01-11/01-12 01-13/01-14 ";
        for (const auto* exception :
             {"EXDATE;TZID=W. Europe Standard Time:20270112T000000", "EXDATE:20270111T230000Z", "EXDATE:20270112T000000", "EXDATE:20270112",
              "EXDATE;VALUE=DATE:20270112T000000Z", "EXDATE;TZID=America/New_York:20270112T000000"})
            assertBusy(without12, event(daily + "|" + exception));
        for (const auto* until : {"20270112T230000Z", "20270113T000000", "20270113", "20270113T000000Z", "20270112T240000"})
            assertBusy("01-11/01-14 ", event("DTSTART;VALUE=DATE:20270111|RRULE:FREQ=DAILY;INTERVAL=1;UNTIL=" + std::string(until)));
        const std::string moved = "DTSTART;VALUE=DATE:20270120|DTEND;VALUE=DATE:20270121|RECURRENCE-ID";
        for (const auto* replaced : {";TZID=Europe/Berlin:20270112T000000", ":20270111T230000Z", ";VALUE=DATE:20270112"})
            assertBusy(without12 + "01-20/01-21 ", event(daily) + "|" + event(moved + replaced));
        assertBusy("01-11/01-14 01-15/01-16 ", event(daily + "|RDATE:20270114T230000Z"));
    }

    TEST(findsOccurrencesOfTimesByTheirDate)
    {
        const std::string daily = "DTSTART;TZID=Europe/Berlin:20270111T100000|DURATION:PT1H|RRULE:FREQ=DAILY;COUNT=3";
        assertBusy("01-11T10:00-11:00 01-12T15:00-16:00 01-13T10:00-11:00 ",
                   event(daily) + "|" +
                       event("RECURRENCE-ID;VALUE=DATE:20270112|DTSTART;TZID=Europe/Berlin:20270112T150000|DURATION:PT1H"));
        assertBusy("01-11T10:00-11:00 01-12T10:00-11:00 01-13T10:00-11:00 01-15T10:00-11:00 ", event(daily + "|RDATE;VALUE=DATE:20270115"));
    }

    TEST(readsEndsThatMeanSomething)
    {
        const std::string start = "DTSTART;TZID=Europe/Berlin:20270111T200000|";
        assertBusy("01-11T20:00-00:00 ", event(start + "DTEND;TZID=Europe/Berlin:20270111T240000"));
        assertBusy("01-11T20:00-00:00 ", event(start + "DTEND;VALUE=DATE:20270112"));
        assertBusy("01-11T20:00-00:00 ", event(start + "DTEND;VALUE=DATE:20270111"));
        for (const auto* length : {"P90M", "P1H30M", "pt90m", "PT1.5H", "PT30M1H"})
            assertBusy("01-11T20:00-21:30 ", event(start + "DURATION:" + length));
        assertBusy("01-11T20:00-21:30 ", event(start + "DTEND:20270111T203000Z"));
        assertBusy("01-11T20:00-21:30 ", event(start + "DTEND;TZID=\"Europe/Berlin:20270111T213000"));
        assertBusy("01-11T20:00-21:30 ", event(start + "DTEND;TZID :20270111T213000"));
        assertBusy("01-11T20:00-21:30 ", event(start + "DTEND:2027-01-11T21:30:00+01:00"));
        // An end of dates that is a time covers the date of it.
        const std::string date = "DTSTART;VALUE=DATE:20270111|";
        assertBusy("01-11/01-13 ", event(date + "DTEND:20270112T230000Z"));
        assertBusy("01-11/01-13 ", event(date + "DTEND;TZID=Europe/Berlin:20270112T170000"));
        assertBusy("01-11/01-13 ", event(date + "DURATION:PT48H"));
        assertBusy("01-11/01-12 ", event("DTSTART;VALUE=DATE:20270111T000000|DTEND;VALUE=DATE:20270112T000000"));
    }

    TEST(blocksAnHourForUnreadableEnds)
    {
        for (const auto* end : {"DTEND:20270111T250000", "DTEND:", "DTEND:later", "DURATION:90", "DURATION:PT1H30", "DURATION:P1Y",
                                "DURATION:", "DURATION:-PT1H", "DTEND;TZID=Europe/Berlin:20270111T090000", "DTEND;VALUE=DATE:20270110"})
        {
            assertBusy("01-11T10:00-11:00 ", event("DTSTART;TZID=Europe/Berlin:20270111T100000|" + std::string(end)));
            assertNoted("unreadable_end");
        }
        assertBusy("01-11/01-12 ", event("DTSTART;VALUE=DATE:20270111|DTEND;VALUE=DATE:20270132"));
        assertNoted("unreadable_end");
        assertBusy("01-11T10:00-11:30 ", event("DTSTART;TZID=Europe/Berlin:20270111T100000|DTEND:never|DURATION:PT90M"));
        assertBusy("01-11T10:00-11:00 ", "BEGIN:VFREEBUSY|FREEBUSY:20270111T090000Z/soon|END:VFREEBUSY");
        assertNoted("unreadable_end");
    }

    TEST(blocksTheDateOfAnUnreadableStart)
    {
        assertBusy("01-11T00:00-11:00 ", event("DTSTART;TZID=Europe/Berlin:20270111T250000|DTEND;TZID=Europe/Berlin:20270111T110000"));
        assertNoted("assumed_start");
        for (const auto* length : {"", "|DURATION:P1D", "|DURATION:PT1H", "|DURATION:PT"})
            assertBusy("01-11T00:00-00:00 ", event("DTSTART;TZID=Europe/Berlin:20270111T1x" + std::string(length)));
        assertBusy("01-11T10:00-11:00 ", event("DTSTART:soon|DTEND;TZID=Europe/Berlin:20270111T110000"));
        assertNoted("assumed_start");
        assertBusy("", event("DTSTART:soon|DURATION:PT1H"));
        assertNoted("no_start");
    }

    TEST(followsRulesWithOddParts)
    {
        const std::string start = "DTSTART;TZID=Europe/Berlin:20270111T100000|DURATION:PT1H|RRULE:";
        for (const auto* rule : {"RSCALE=GREGORIAN;FREQ=DAILY;COUNT=3;SKIP=OMIT",
                                 "FREQ=DAILY;BYDAY=;INTERVAL=1;UNTIL=20270113T235959Z",
                                 "FREQ=WEEKLY; BYDAY=MO, TU, WE; COUNT=3",
                                 "FREQ=DAILY;X-NAME=y;COUNT=3",
                                 "FREQ=DAILY;UNTIL=20270113T240000Z",
                                 "freq=daily;count=3",
                                 "FREQ=DAILY;COUNT=3;COUNT=3",
                                 "FREQ=DAILY;COUNT=3;INTERVAL=0",
                                 "FREQ=DAILY;COUNT=3;BYSETPOS=400",
                                 "FREQ=DAILY;UNTIL=20270113T110000+0100",
                                 R"(FREQ=WEEKLY\;BYDAY=MO\,TU\,WE\;COUNT=3)",
                                 R"("FREQ=DAILY;COUNT=3")",
                                 R"(FREQ=DAILY;COUNT="3")",
                                 "FREQ=DAILY,COUNT=3",
                                 "FREQ=DAILY:COUNT=3",
                                 "RRULE:FREQ=DAILY;COUNT=3",
                                 "FREQ=DAILY;COUNT=3.0",
                                 "FREQ=WEEKLY;COUNT=3;BYDAY=MO TU WE",
                                 "FREQ=WEEKLY;COUNT=3;BYDAY=0MO,0TU,0WE",
                                 "FREQ=DAILY;RSCALE=;SKIP=;WKST=;COUNT=3",
                                 "FREQ=DAILY;UNTIL;TZID=Europe/Berlin:20270113T100000"})
            assertBusy("01-11T10:00-11:00 01-12T10:00-11:00 01-13T10:00-11:00 ", event(start + rule));
        assertBusy("01-11/01-14 ", event("DTSTART;VALUE=DATE:20270111|RRULE:FREQ=HOURLY;INTERVAL=24;COUNT=3"));
        assertNoted("ignored_part");
    }

    TEST(blocksTheFirstTimeOfALostRule)
    {
        for (const auto* rule : {"FREQ=SOMETIMES", "RSCALE=HEBREW;FREQ=YEARLY", "FREQ=DAILY;FREQ=WEEKLY", "INTERVAL=1", "every day"})
        {
            assertBusy("01-11T10:00-11:00 ", event("DTSTART;TZID=Europe/Berlin:20270111T100000|DURATION:PT1H|RRULE:" + std::string(rule)));
            assertNoted("unknown_rule");
        }
    }

    TEST(ignoresTextThatLooksLikeStructure)
    {
        const std::string times = "DTSTART:20270112T090000Z|DTEND:20270112T100000Z";
        for (const auto* text : {"Begin: 5:30 PM|End: 7:30 PM", "End: see BEGIN:VEVENT", "END:5", "BEGIN:", "End: of the match",
                                 "BEGIN:STANDARD", "END:DAYLIGHT", "begin:now"})
            assertBusy("01-11T10:00-11:00 01-12T10:00-11:00 ", event("DTSTART:20270111T090000Z|DURATION:PT1H", "a") + "|" +
                                                                   event("DESCRIPTION:Training|" + std::string(text) + "|" + times, "b"));
        CHECK(_notes.empty());
    }

    TEST(readsDamagedEventsAsFarAsTheyGo)
    {
        const std::string monday = "UID:a|DTSTART:20270111T090000Z|DURATION:PT1H",
                          tuesday = event("DTSTART:20270112T090000Z|DURATION:PT1H", "b");
        const std::string both = "01-11T10:00-11:00 01-12T10:00-11:00 ";
        assertBusy(both, "BEGIN:VEVENT|" + monday + "|" + tuesday);
        assertNoted("damaged_event");
        assertBusy(both, tuesday + "|BEGIN:VEVENT|" + monday);
        assertNoted("damaged_event");
        assertBusy(both, monday + "|END:VEVENT|" + tuesday);
        assertNoted("damaged_event");
        assertBusy(both, "BEGIN:VEVENT|" + monday + "|BEGIN:VALARM|TRIGGER:-PT5M|END:VEVENT|" + tuesday);
        assertBusy(both, "BEGIN:VEVENT|" + monday + "|END:VEVENT|END:VEVENT|" + tuesday);
        assertBusy(both, "BEGIN:VEVENT|" + monday + "|END:VEVENT|END:VCALENDAR|" + tuesday);
        assertBusy(both, "BEGIN:VEVENT|UID:x|END:VEVENT|BEGIN:VEVENT|" + monday + "|END:VEVENT|" + tuesday);
        assertNoted("no_start");
    }

    TEST(readsObjectsIndependently)
    {
        BusyReader reader(_zones, _options);
        reader.addObject("/cal/good.ics", calendarOf(event("DTSTART:20270111T090000Z|DURATION:PT1H")));
        reader.addObject("/cal/cut.ics", "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:c\nDTSTART:20270112T090000Z\nDTEND:20270112T100000Z\nSUMM");
        reader.addObject("/cal/empty.ics", "");
        reader.addObject("/cal/page.ics", "<html>");
        const auto busy = reader.take();
        equal("01-11T10:00-11:00 01-12T10:00-11:00 ", shown(busy));
        for (const auto* name : {"/cal/cut.ics", "/cal/empty.ics", "/cal/page.ics"})
            CPPUNIT_ASSERT_MESSAGE(name, std::ranges::any_of(busy.notes, [&](const auto& note) { return note.event == name; }));
    }

    TEST(keepsTheLatestVersion)
    {
        const std::string daily = "DTSTART:20270111T090000Z|DURATION:PT1H|RRULE:FREQ=DAILY;COUNT=3|";
        const std::string older = event(daily + "DTSTAMP:20261101T000000Z|SEQUENCE:1"),
                          newer = event(daily + "DTSTAMP:20261101T000000Z|SEQUENCE:2|EXDATE:20270112T090000Z"),
                          stamped = event(daily + "DTSTAMP:20261102T000000Z|SEQUENCE:1|EXDATE:20270112T090000Z");
        const std::string expected = "01-11T10:00-11:00 01-13T10:00-11:00 ";
        for (const auto& text : {older + "|" + newer, newer + "|" + older, older + "|" + stamped, stamped + "|" + older,
                                 older + "|END:VCALENDAR|BEGIN:VCALENDAR|" + newer})
        {
            assertBusy(expected, text);
            assertNoted("older_version");
        }
        const auto moved = [](const char* hour, const char* sequence)
        {
            return "|" + event("RECURRENCE-ID:20270112T090000Z|DURATION:PT1H|DTSTART:20270112T" + std::string(hour) +
                               "0000Z|SEQUENCE:" + sequence);
        };
        assertBusy("01-11T10:00-11:00 01-12T16:00-17:00 01-13T10:00-11:00 ", older + moved("14", "1") + moved("15", "2"));
        // Events with the same UID and version both count, because some programs give all events one UID.
        assertBusy("01-11T10:00-11:00 01-12T10:00-11:00 ",
                   event("DTSTART:20270111T090000Z|DURATION:PT1H") + "|" + event("DTSTART:20270112T090000Z|DURATION:PT1H"));
    }

    TEST(readsTextsWithOddLineEnds)
    {
        const auto text = calendarOf(event("DTSTART:20270111T090000Z|DURATION:PT1H", "a") + "|" +
                                     event("SUMMARY:Long| er|DTSTART:20270112T090000Z|DURATION:PT1H", "b"));
        const auto with = [&](std::string_view from, std::string_view to)
        {
            auto changed = text;
            for (auto at = changed.find(from); at != std::string::npos; at = changed.find(from, at + to.size()))
                changed.replace(at, from.size(), to);
            return changed;
        };
        const std::string mark = "\xEF\xBB\xBF";
        for (const auto& odd : {with("\r\n", "\r"), with("\r\n", "\r\r\n"), with("END:VEVENT\r\n", "END:VEVENT"), mark + mark + text,
                                mark + "\n" + mark + text, "<b>Notice</b>: x\n\n" + text, with("END:VCALENDAR", "")})
        {
            BusyReader reader(_zones, _options);
            reader.add(odd);
            equal("01-11T10:00-11:00 01-12T10:00-11:00 ", shown(reader.take()), odd);
        }
        BusyReader reader(_zones, _options);
        CPPUNIT_ASSERT_THROW(reader.add(text.substr(0, text.rfind("DURATION"))), ICalendarError);
        CPPUNIT_ASSERT_THROW(reader.add("<html>\n<p>BEGIN:VCALENDAR"), ICalendarError);
    }

    TEST(readsWhatTheHostAnswered)
    {
        _options.ownAddresses = {"ada@example.test", "urn:uuid:1234", "/principals/ada/"};
        const std::string time = "DTSTART:20270111T090000Z|DURATION:PT1H|ATTENDEE;";
        for (const auto* attendee : {"PARTSTAT=DECLINED:mailto:ada@example.test", "partstat=declined:MAILTO:Ada@Example.Test",
                                     "PARTSTAT=\"DECLINED\":ada@example.test", "PARTSTAT=DECLINED;EMAIL=ada@example.test:urn:uuid:9",
                                     "PARTSTAT=DECLINED;EMAIL=\"Ada@Example.test\":invalid:nomail", "PARTSTAT=DECLINED:urn:uuid:1234",
                                     "PARTSTAT=DECLINED:/principals/ada/", "PARTSTAT=DECLINED:mailto: ada%40example.test",
                                     "PARTSTAT=DECLINED:mailto:Ada <ada@example.test>", "PARTSTAT=DECLINED:mailto:<ada@example.test>"})
            assertBusy("", event(time + attendee));
        for (const auto* attendee : {"PARTSTAT=ACCEPTED:mailto:ada@example.test", "PARTSTAT=DECLINED:mailto:bob@example.test",
                                     "PARTSTAT=DECLINED;CN=ada@example.test:mailto:bob@example.test",
                                     "PARTSTAT=DECLINED:mailto:ada@example.test|ATTENDEE;PARTSTAT=ACCEPTED:urn:uuid:1234"})
            assertBusy("01-11T10:00-11:00 ", event(time + attendee));
    }

    TEST(readsOutlooksBusyStatus)
    {
        const std::string time = "DTSTART:20270111T090000Z|DURATION:PT1H|", busy = "01-11T10:00-11:00 ";
        assertBusy("", event(time + "X-MICROSOFT-CDO-BUSYSTATUS:FREE"));
        assertBusy("", event(time + "X-MICROSOFT-CDO-BUSYSTATUS:free|TRANSP:OPAQUE"));
        assertBusy(busy, event(time + "X-MICROSOFT-CDO-BUSYSTATUS:OOF|TRANSP:TRANSPARENT"));
        assertBusy(busy, event(time + "X-MICROSOFT-CDO-BUSYSTATUS:TENTATIVE"));
        assertBusy(busy, event(time + "X-MICROSOFT-CDO-BUSYSTATUS:SOMETHING"));
        _options.tentative = false;
        assertBusy("", event(time + "X-MICROSOFT-CDO-BUSYSTATUS:TENTATIVE"));
    }

    TEST(leavesOutExceptionRules)
    {
        const std::string daily = "DTSTART:20270111T090000Z|DURATION:PT1H|RRULE:FREQ=DAILY;COUNT=3|EXRULE:";
        assertBusy("01-12T10:00-11:00 ", event(daily + "FREQ=DAILY;INTERVAL=2;COUNT=2"));
        assertBusy("01-11/01-12 01-13/01-14 ", event("DTSTART;VALUE=DATE:20270111|RRULE:FREQ=DAILY;COUNT=3|EXRULE:FREQ=WEEKLY;BYDAY=TU"));
        // One that is not understood would free times.
        for (const auto* rule : {"FREQ=NEVER", "FREQ=DAILY;BYMONTH=13", "FREQ=SECONDLY"})
        {
            assertBusy("01-11T10:00-11:00 01-12T10:00-11:00 01-13T10:00-11:00 ", event(daily + rule));
            assertNoted("unreadable_exception");
        }
    }

    TEST(takesTheFilesRulesFirst)
    {
        const std::string eastern =
            "BEGIN:STANDARD|DTSTART:16011104T020000|RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=11|TZOFFSETFROM:-0400|TZOFFSETTO:-0500|"
            "END:STANDARD|BEGIN:DAYLIGHT|DTSTART:16010311T020000|RRULE:FREQ=YEARLY;BYDAY=2SU;BYMONTH=3|"
            "TZOFFSETFROM:-0500|TZOFFSETTO:-0400|END:DAYLIGHT|";
        const auto zone = [](const std::string& name, const std::string& rules)
        { return "BEGIN:VTIMEZONE|TZID:" + name + "|" + rules + "END:VTIMEZONE|"; };
        const auto at4 = [](const std::string& name, const std::string& date)
        { return event("DTSTART;TZID=" + name + ":" + date + "T040000|DURATION:PT1H"); };
        assertBusy("07-12T10:00-11:00 ", zone("EST", eastern) + at4("EST", "20270712"));
        assertBusy("01-11T10:00-11:00 ", zone("EST", eastern) + at4("EST", "20270111"));
        // The last onset of ended rules stays in effect.
        const std::string ended = "BEGIN:STANDARD|DTSTART:20001104T020000|RRULE:FREQ=YEARLY;UNTIL=20101107T060000Z;BYDAY=1SU;BYMONTH=11|"
                                  "TZOFFSETFROM:-0400|TZOFFSETTO:-0500|END:STANDARD|";
        assertBusy("07-12T11:00-12:00 ", zone("Old", ended) + at4("Old", "20270712"));
        // A definition that cannot be read leaves it to the place or the name.
        const std::string broken =
            "BEGIN:STANDARD|DTSTART:16011104T020000|RRULE:FREQ=SOMETIMES|TZOFFSETFROM:-0400|TZOFFSETTO:-0500|END:STANDARD|";
        assertBusy("01-11T10:00-11:00 ", zone("Eastern", "X-LIC-LOCATION:America/New_York|") + at4("Eastern", "20270111"));
        assertBusy("07-12T10:00-11:00 ", zone("Eastern", "X-LIC-LOCATION:America/New_York|" + broken) + at4("Eastern", "20270712"));
        assertBusy("07-12T10:00-11:00 ", zone("America/New_York", broken) + at4("America/New_York", "20270712"));
        assertBusy("07-12T10:00-11:00 ", zone("Eastern", "X-LIC-LOCATION:Eastern Standard Time|") + at4("Eastern", "20270712"));
        CHECK(_notes.empty());
    }

    TEST(knowsZonesByTheNamesOfPrograms)
    {
        const auto hours = [&](const std::string& name, const std::string& expected)
        {
            for (const auto& [date, time] : {std::pair("20270111", expected.substr(0, 5)), std::pair("20270712", expected.substr(6, 5))})
                for (const std::string quote : {"\"", ""})
                {
                    const auto busy =
                        busyOf(calendarOf(event("DTSTART;TZID=" + quote + name + quote + ":" + date + "T120000|DURATION:PT1H")));
                    CPPUNIT_ASSERT_MESSAGE(name, busy.size() > 11);
                    equal(time, busy.substr(6, 5), quote + name);
                }
        };
        // Noon there is so late in Berlin, in January and in July.
        const std::string berlin = "12:00 12:00", newYork = "18:00 18:00", london = "13:00 13:00", utc = "13:00 14:00",
                          plusOne = "12:00 13:00";
        for (const auto* name :
             {"W. Europe Standard Time", "w. europe standard time", "W. Europe Standard Time 1", "W. Europe Daylight Time",
              "(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna",
              "(GMT+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna",
              "(GMT+01.00) Amsterdam / Berlin / Bern / Rome / Stockholm / Vienna",
              "(UTC+01:00) Amsterdam, Berlin, Bern, Rom, Stockholm, Wien", "Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna",
              "/freeassociation.sourceforge.net/Europe/Berlin", "/freeassociation.sourceforge.net/Tzfile/Europe/Berlin",
              "/mozilla.org/20050126_1/Europe/Berlin", "/citadel.org/20210210_1/Europe/Berlin", "http://tzurl.org/zoneinfo/Europe/Berlin",
              "europe/berlin", " Europe/Berlin "})
            hours(name, berlin);
        for (const auto* name : {"(UTC-05:00) Eastern Time (US & Canada)", "(GMT-05:00) Eastern Time (US & Canada)",
                                 "Eastern Time (US & Canada)", "Eastern Standard Time", "Eastern Standard Time 2", "Eastern Daylight Time",
                                 "America/New York", "GMT-05:00 Eastern Time (US & Canada)"})
            hours(name, newYork);
        for (const auto* name :
             {"GMT Standard Time", "GMT Standard Time 1", "(UTC+00:00) Dublin, Edinburgh, Lisbon, London",
              "(GMT) Greenwich Mean Time : Dublin, Edinburgh, Lisbon, London", "(UTC) Dublin, Edinburgh, Lisbon, London"})
            hours(name, london);
        for (const auto* name : {"tzone://Microsoft/Utc", "UTC", "utc", "GMT", "(UTC) Coordinated Universal Time",
                                 "Coordinated Universal Time", "GMT+0000", "(UTC)", "Z"})
            hours(name, utc);
        for (const auto* name : {"GMT+0100", "UTC+1", "UTC+01:00", "+01:00", "+0100", "GMT +1", "(GMT+01:00)"}) hours(name, plusOne);
        hours("UTC-11", "00:00 01:00");
        hours("UTC+12", "01:00 02:00");
        hours("Etc/GMT-1", plusOne);
        hours("(UTC+05:30) Chennai, Kolkata, Mumbai, New Delhi", "07:30 08:30");
        hours("Mexico Standard Time 2", "19:00 20:00");
    }

    TEST(neverTakesAnUnknownZoneSilently)
    {
        // An unknown place with an offset never falls back to the host's zone.
        assertBusy("01-11T10:00-11:00 ", event("DTSTART;TZID=\"(UTC-05:00) Atlantis\":20270111T040000|DURATION:PT1H"));
        assertNoted("assumed_zone");
        assertBusy("01-11T04:00-05:00 ", event("DTSTART;TZID=Middle/Earth:20270111T040000|DURATION:PT1H"));
        assertNoted("unknown_zone");
        for (const auto* name : {"GMT+25", "(UTC+01:00", "Etc/Unknown", "+1x", "Customized Time Zone"})
            CPPUNIT_ASSERT_MESSAGE(name, !zoneOfWindows(name));
        // Every line of the table leads to a zone, by its name and by the name that Windows shows.
        std::istringstream table{std::string(windowsZoneFile())};
        int lines = 0;
        for (std::string line; std::getline(table, line);)
        {
            if (line.starts_with('#')) continue;
            const auto first = line.find('|'), second = line.find('|', first + 1);
            const auto zone = line.substr(first + 1, second - first - 1);
            CPPUNIT_ASSERT_MESSAGE(line, _zones.find(zone));
            if (!line.starts_with("UTC")) equal(zone, std::string(zoneOfWindows(line.substr(0, first))->zone), line);
            if (const auto shown = line.substr(second + 1); !shown.empty() && !line.starts_with("UTC"))
                CPPUNIT_ASSERT_MESSAGE(line, zoneOfWindows(shown) && !zoneOfWindows(shown)->assumed);
            ++lines;
        }
        CHECK(lines >= 139);
    }

    TEST(readsPeriodsWithTheirOwnLength)
    {
        const std::string start = "DTSTART:20270111T090000Z|DURATION:PT1H|RDATE;VALUE=PERIOD:20270112T090000Z/";
        assertBusy("01-11T10:00-11:00 01-12T10:00-13:00 ", event(start + "PT3H"));
        assertBusy("01-11T10:00-11:00 01-12T10:00-13:00 ", event(start + "20270112T120000Z"));
        assertBusy("01-11T10:00-11:00 01-12T10:00-11:00 ", event(start + "long"));
        assertBusy("01-11T10:00-11:00 ", event("DTSTART:20270111T090000Z|DURATION:PT1H|RDATE:soon"));
        assertNoted("unreadable_date");
    }

    TEST(keepsChangesThatNameNoOccurrence)
    {
        const std::string daily = event("DTSTART:20270111T090000Z|DURATION:PT1H|RRULE:FREQ=DAILY;COUNT=2");
        assertBusy("01-11T10:00-11:00 01-12T10:00-11:00 01-12T16:00-17:00 ",
                   daily + "|" + event("RECURRENCE-ID:tomorrow|DTSTART:20270112T150000Z|DURATION:PT1H"));
        assertNoted("unreadable_date");
        assertBusy("01-11T10:00-11:00 ", daily + "|" + event("RECURRENCE-ID:20270112T090000Z|STATUS:CANCELLED"));
        // In another zone than the series, and for all that follow.
        assertBusy(
            "01-11T10:00-11:00 01-12T12:00-13:00 01-13T12:00-13:00 ",
            event("DTSTART;TZID=Europe/Berlin:20270111T100000|DURATION:PT1H|RRULE:FREQ=DAILY;COUNT=3") + "|" +
                event("RECURRENCE-ID;RANGE=THISANDFUTURE:20270112T090000Z|DTSTART;TZID=Europe/Berlin:20270112T120000|DURATION:PT1H"));
    }

    TEST(namesTheWorstFaultsFirst)
    {
        std::string text;
        for (int i = 0; i < 9; ++i) text += event("DTSTART:20270111T090000Z|DURATION:P90M", "m" + std::to_string(i)) + "|";
        busyOf(calendarOf(text + event("DTSTART:soon", "lost")));
        equal("no_start", _notes.front().code);
        equal("more 4", _notes.back().code + " " + _notes.back().detail);
    }

    /// Lines with the calendar around them. `|` ends a line.
    static std::string calendarOf(const std::string& lines)
    {
        std::string text = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n";
        for (const char c : lines) text += c == '|' ? "\r\n" : std::string(1, c);
        return text + "\r\nEND:VCALENDAR\r\n";
    }
    static std::string event(const std::string& lines, const std::string& uid = "one")
    {
        return "BEGIN:VEVENT|UID:" + uid + "|" + lines + "|END:VEVENT";
    }

    /// Times of the wall in Berlin, of January and July 2027.
    std::string shown(const BusyCalendar& busy) const
    {
        std::string text;
        for (const auto& time : busy.times)
        {
            const auto clock = [&](Instant at)
            { return toString(Instant(at + std::chrono::seconds(_options.zone.localOf(at).offsetSeconds))); };
            text += clock(time.start).substr(5, 11) + "-" + clock(time.end).substr(11, 5) + " ";
        }
        for (const auto& dates : busy.dates) text += dates.start.text().substr(5) + "/" + dates.end.text().substr(5) + " ";
        return text;
    }

    std::string busyOf(const std::string& text)
    {
        BusyReader reader(_zones, _options);
        reader.add(text);
        const auto busy = reader.take();
        _notes = busy.notes;
        return shown(busy);
    }

    void assertBusy(const std::string& expected, const std::string& lines) { equal(expected, busyOf(calendarOf(lines)), lines); }
    void assertNoted(const std::string& code) const
    {
        CPPUNIT_ASSERT_MESSAGE(code, std::ranges::any_of(_notes, [&](const Oddity& note) { return note.code == code; }));
    }

    TimeZones _zones;
    std::vector<Oddity> _notes;
    BusyOptions _options{
        .from = *parseInstant("2027-01-01T00:00:00Z"), .to = *parseInstant("2027-12-01T00:00:00Z"), .zone = *_zones.find("Europe/Berlin")};
};
} // namespace portico::tests
