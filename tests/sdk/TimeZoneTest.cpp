#include "portico/TimeZones.h"

#include "ctl/TemporaryDirectory.h"
#include "portico/Problem.h"
#include "support/Suite.h"

#include <filesystem>

namespace portico::tests
{

class TimeZoneTest : public Suite<TimeZoneTest>
{
    const TimeZones _zones;

    std::string at(std::string_view zone, std::string_view date, std::string_view time) const
    {
        return toString(_zones.find(zone)->at(*LocalDate::parse(date), *WallTime::parse(time)));
    }

public:
    TEST(findsZonesAndLinks)
    {
        for (const std::string name : {"Europe/Berlin", "Asia/Calcutta", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "UTC", "EST5EDT"})
        {
            const auto zone = _zones.find(name);
            CPPUNIT_ASSERT_MESSAGE(name, zone);
            equal(name, zone->name());
        }
    }

    TEST(refusesWhatIsNoZone)
    {
        for (const std::string name : {"",
                                       "Europe",
                                       "Europe/",
                                       "/Europe/Berlin",
                                       "Europe//Berlin",
                                       "Europe/Nowhere",
                                       "europe/berlin",
                                       "Europe/../Europe/Berlin",
                                       "../zoneinfo/Europe/Berlin",
                                       "./UTC",
                                       "localtime",
                                       "posixrules",
                                       "Factory",
                                       "posix/Europe/Berlin",
                                       "right/Europe/Berlin",
                                       "tzdata.zi",
                                       "leapseconds",
                                       "file:/etc/localtime",
                                       "UTC ",
                                       "UTC+3",
                                       "CET-1CEST",
                                       "Fixed/UTC+01:00:00"})
            CPPUNIT_ASSERT_MESSAGE(name, !_zones.find(name));
        CHECK(!_zones.find(std::string_view("UTC\0", 4)));
        CHECK(!_zones.find(std::string(5000, 'a')));
        CPPUNIT_ASSERT_THROW(_zones.require("Mars/Base", "timeZone"), Problem);
    }

    TEST(saysWhichDatabase)
    {
        CHECK(_zones.version() >= "2020a");
        equal("", TimeZones("/nowhere").version());
        CHECK(!TimeZones("/nowhere").find("UTC"));
    }

    TEST(readsChangedDataAgain)
    {
        namespace fs = std::filesystem;
        const test::TemporaryDirectory folder;
        const auto use = [&](const char* zone, const char* version)
        {
            // Like a package's installation: a new file, then renamed.
            fs::copy_file(std::string("/usr/share/zoneinfo/") + zone, folder.path() / "new");
            fs::rename(folder.path() / "new", folder.path() / "Home");
            folder.write("tzdata.zi", std::string("# version ") + version + "\nZ …\n");
        };
        use("Europe/Berlin", "2030a");
        TimeZones zones(folder.path().string());
        const auto before = *zones.find("Home");
        CHECK(!zones.reloadIfChanged());

        use("Asia/Kathmandu", "2030bb");
        equal(3600, zones.find("Home")->localOf(Instant()).offsetSeconds);
        CHECK(zones.reloadIfChanged());
        equal("2030bb", zones.version());
        equal(19800, zones.find("Home")->localOf(Instant()).offsetSeconds);
        equal(3600, before.localOf(Instant()).offsetSeconds);
        CHECK(!zones.reloadIfChanged());
    }

    TEST(takesTheFirstInstant)
    {
        // Shown once, not at all, twice; before what is shown twice, and after it.
        equal("2026-07-01T07:00:00.000Z", at("Europe/Berlin", "2026-07-01", "09:00"));
        equal("2026-03-29T01:00:00.000Z", at("Europe/Berlin", "2026-03-29", "02:30"));
        equal("2026-10-25T00:30:00.000Z", at("Europe/Berlin", "2026-10-25", "02:30"));
        equal("2026-10-25T00:00:00.000Z", at("Europe/Berlin", "2026-10-25", "02:00"));
        equal("2026-10-25T02:00:00.000Z", at("Europe/Berlin", "2026-10-25", "03:00"));
        // The end of a date is the beginning of the next one, also where that one begins at 01:00 or is missing.
        equal("2026-09-06T04:00:00.000Z", at("America/Santiago", "2026-09-05", "24:00"));
        equal("2026-09-06T04:00:00.000Z", at("America/Santiago", "2026-09-06", "00:30"));
        equal("2011-12-30T10:00:00.000Z", at("Pacific/Apia", "2011-12-29", "24:00"));
        equal("2011-12-30T10:00:00.000Z", at("Pacific/Apia", "2011-12-30", "12:00"));
        equal("2011-12-30T10:00:00.000Z", at("Pacific/Apia", "2011-12-31", "00:00"));
    }

    TEST(knowsYearsBeyondTheFiles)
    {
        equal("2085-07-02T13:00:00.000Z", at("America/New_York", "2085-07-02", "09:00"));
        equal("2999-01-02T14:00:00.000Z", at("America/New_York", "2999-01-02", "09:00"));
    }

    TEST(showsTheWall)
    {
        const auto local = _zones.find("Australia/Lord_Howe")->localOf(*parseInstant("2026-01-01T00:00:01.999Z"));
        equal("2026-01-01", local.date.text());
        equal(11 * 3600 + 1, local.secondOfDay);
        equal(39600, local.offsetSeconds);
        CHECK(local.daylight);
        equal("+11", std::string(local.abbreviation));
        const auto old = TimeZone().localOf(*parseInstant("1969-12-31T23:59:59.500Z"));
        equal("1969-12-31", old.date.text());
        equal(86399, old.secondOfDay);
    }

    /// Where clocks change over midnight a date comes twice, or never.
    TEST(showsADateUntilItEnds)
    {
        const auto from = *parseInstant("2006-03-01T00:30:00Z"), to = *parseInstant("2012-02-01T00:00:00Z");
        for (const auto* name : {"UTC", "Europe/Berlin", "America/St_Johns", "America/Havana", "America/Santiago", "Pacific/Apia"})
        {
            const auto zone = *_zones.find(name);
            std::size_t steps = 0;
            for (auto at = from; at < to; ++steps)
            {
                const auto shown = zone.shownDate(at);
                CHECK(shown.until > at);
                for (; at < shown.until; at += std::chrono::minutes(15))
                    equal(zone.dateOf(at).text(), shown.date.text(), name + toString(at));
                at = shown.until;
                equal(zone.dateOf(at - std::chrono::milliseconds(1)).text(), shown.date.text(), name);
            }
            // A change begins a step, and so does a date that comes twice by it.
            const auto dates = static_cast<std::size_t>(std::chrono::ceil<std::chrono::days>(to - from).count()) + 1;
            CPPUNIT_ASSERT_MESSAGE(name, steps <= dates + 2 * zone.changes(from, to).size());
        }
    }

    TEST(listsChanges)
    {
        const auto berlin = *_zones.find("Europe/Berlin");
        const auto from = *parseInstant("2050-03-27T01:00:00Z"), to = *parseInstant("2050-10-30T01:00:00Z");
        const auto found = berlin.changes(from, to + std::chrono::milliseconds(1));
        equal(2, found.size());
        equal(toString(from), toString(found[0].at));
        equal(3600, found[0].before.offsetSeconds);
        equal("CEST", std::string(found[0].after.abbreviation));
        equal(toString(to), toString(found[1].at));
        equal(0, berlin.changes(from + std::chrono::milliseconds(1), to).size());
        equal(0, TimeZone().changes(from, to).size());
    }
};
} // namespace portico::tests
