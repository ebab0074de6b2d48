#include "calendar/SourceFolders.h"
#include "support/Suite.h"

#include "icalendar/BusyReader.h"
#include "icalendar/Writer.h"

#include <fstream>
#include <sstream>

namespace portico::tests
{

using namespace calendar;
using namespace calendar::icalendar;

/// Compares written files with the samples that `ics_readers.py` reads with third-party programs.
class ICalendarWriterTest : public Suite<ICalendarWriterTest>
{
    TEST(writesARequest) { assertWritten("request.ics", request()); }

    TEST(writesACancellationAcrossYears)
    {
        auto event = request();
        event.method = icalendar::Method::Cancel;
        event.status = EventStatus::Cancelled;
        event.sequence = 3;
        event.zone = *_zones.find("Australia/Lord_Howe");
        event.start = *parseInstant("2026-12-31T12:30:00Z");
        event.end = *parseInstant("2026-12-31T14:00:00Z");
        event.description.clear();
        event.url.clear();
        assertWritten("cancel.ics", event);
    }

    TEST(letsNothingBecomeALine)
    {
        auto event = request();
        const std::string bad = "x\r\nATTENDEE:mailto:eve@example.test\r\n\";X-A=\"b\nEND:VEVENT";
        event.uid = event.summary = event.description = event.location = event.url = bad;
        event.organizer = {bad, bad};
        event.attendees = {{bad, bad, Participation::Accepted}};
        const auto text = write(event);
        const auto calendar = parseComponents(text).front();
        equal(1, static_cast<std::size_t>(std::ranges::count(calendar.components, "VEVENT", &Component::name)));
        std::istringstream lines(text);
        int attendees = 0;
        for (std::string line; std::getline(lines, line);)
        {
            CHECK(line.ends_with('\r') && line.find('\r') == line.size() - 1);
            attendees += line.starts_with("ATTENDEE") ? 1 : 0;
        }
        equal(1, attendees);
    }

    TEST(foldsBetweenCharacters)
    {
        auto event = request();
        event.summary.clear();
        for (int i = 0; i < 100; ++i) event.summary += "aß€😀";
        std::istringstream lines(write(event));
        std::string unfolded;
        for (std::string line; std::getline(lines, line);)
        {
            CHECK(line.size() <= 76); // with its CR
            CHECK((static_cast<unsigned char>(line[line.starts_with(' ') ? 1 : 0]) & 0xC0) != 0x80);
            unfolded += line.starts_with(' ') ? line.substr(1, line.size() - 2) : "\n" + line.substr(0, line.size() - 1);
        }
        CHECK(unfolded.find("SUMMARY:" + event.summary + "\n") != std::string::npos);
    }

    /// With the zone that it defines, in every zone at clock changes too; the reader has only the file's own definition of it.
    TEST(readsWhatItWrites)
    {
        for (const auto* name : {"Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Casablanca", "UTC",
                                 "America/Scoresbysund"})
        {
            for (auto at = *parseInstant("2026-01-01T00:20:00Z"); at < *parseInstant("2027-01-02T00:00:00Z");
                 at += std::chrono::minutes(30))
            {
                auto event = request();
                event.zone = TimeZone("Elsewhere", *_zones.find(name));
                event.start = at;
                event.end = at + std::chrono::minutes(45);
                BusyReader reader(_zones, _options);
                reader.add(write(event));
                const auto busy = reader.take();
                equal(1, busy.times.size(), std::string(name) + toString(at));
                CPPUNIT_ASSERT_MESSAGE(std::string(name) + toString(at), (busy.times.front() == Span{at, event.end}));
            }
        }
    }

    Invitation request() const
    {
        Invitation event;
        event.uid = "bkg_01jd0000000000000000000000@calendar.example.test";
        event.sequence = 1;
        event.start = *parseInstant("2026-10-25T09:00:00Z");
        event.end = *parseInstant("2026-10-25T09:30:00Z");
        event.zone = *_zones.find("Europe/Berlin");
        event.organizer = {"Ada \"Countess\" Lovelace", "ada@example.test"};
        event.attendees = {{"Grace Hopper", "grace@example.test", Participation::Accepted},
                           {"Løvenskiold, Åse; Dr", "aase@example.test", Participation::NeedsAction}};
        event.summary = "Intro call; Ada, Grace \\ friends — Übersicht über alles, was wir heute miteinander besprechen wollen 🎉";
        event.description = "First line\r\nSecond line, with a comma\n\tand a tab";
        event.location = "Room 1, 2nd floor";
        event.url = "https://calendar.example.test/public/bookings/bkg_01jd0000000000000000000000?token=abc&x=1,2;3";
        event.created = *parseInstant("2026-10-01T08:00:00Z");
        event.lastModified = *parseInstant("2026-10-02T08:00:00Z");
        event.stamp = *parseInstant("2026-10-02T08:00:01Z");
        return event;
    }

    void assertWritten(const std::string& name, const Invitation& event)
    {
        std::ifstream file(calendarTestFolder() + "/written/" + name, std::ios::binary);
        const std::string expected{std::istreambuf_iterator<char>(file), {}};
        equal(expected, write(event));
    }

    TimeZones _zones;
    BusyOptions _options{.from = *parseInstant("2025-01-01T00:00:00Z"), .to = *parseInstant("2028-01-01T00:00:00Z"), .zone = TimeZone()};
};
} // namespace portico::tests
