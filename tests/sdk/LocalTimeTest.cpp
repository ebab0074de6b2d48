#include "support/Suite.h"

#include "portico/LocalDate.h"
#include "portico/WallTime.h"

namespace portico::tests
{

class LocalTimeTest : public Suite<LocalTimeTest>
{
    TEST(readsWallTimes)
    {
        for (const std::string text : {"00:00", "09:05", "23:59", "24:00"}) equal(text, WallTime::parse(text)->text());
        for (const std::string text : {"", "9:00", "24:01", "23:60", "-1:00", "09-00", "09:00:00", "0a:00"})
            CPPUNIT_ASSERT_MESSAGE(text, !WallTime::parse(text));
    }

    TEST(readsDates)
    {
        for (const std::string text : {"2024-02-29", "1970-01-01", "2037-12-31", "2400-02-29"}) equal(text, LocalDate::parse(text)->text());
        for (const std::string text : {"2023-02-29", "2026-13-01", "2026-1-01", "20260101", ""})
            CPPUNIT_ASSERT_MESSAGE(text, !LocalDate::parse(text));
    }

    TEST(countsDays)
    {
        const auto monday = *LocalDate::parse("2026-11-23");
        equal(1, monday.weekday());
        equal(7, monday.plusDays(-1).weekday());
        equal("2026-12-01", monday.plusDays(8).text());
        CHECK(monday.plusDays(6).monday() == monday);
    }
};
} // namespace portico::tests
