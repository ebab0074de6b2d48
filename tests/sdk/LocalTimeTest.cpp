#include "portico/LocalDate.h"
#include "portico/WallTime.h"

#include <cppunit/extensions/HelperMacros.h>

namespace portico::tests
{

class LocalTimeTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(LocalTimeTest);
    CPPUNIT_TEST(readsWallTimes);
    CPPUNIT_TEST(readsDates);
    CPPUNIT_TEST(countsDays);
    CPPUNIT_TEST_SUITE_END();

public:
    void readsWallTimes()
    {
        for (const std::string text : {"00:00", "09:05", "23:59", "24:00"}) CPPUNIT_ASSERT_EQUAL(text, WallTime::parse(text)->text());
        for (const std::string text : {"", "9:00", "24:01", "23:60", "-1:00", "09-00", "09:00:00", "0a:00"})
            CPPUNIT_ASSERT_MESSAGE(text, !WallTime::parse(text));
    }

    void readsDates()
    {
        for (const std::string text : {"2024-02-29", "1970-01-01", "2037-12-31", "2400-02-29"})
            CPPUNIT_ASSERT_EQUAL(text, LocalDate::parse(text)->text());
        for (const std::string text : {"2023-02-29", "2026-13-01", "2026-1-01", "20260101", ""})
            CPPUNIT_ASSERT_MESSAGE(text, !LocalDate::parse(text));
    }

    void countsDays()
    {
        const auto monday = *LocalDate::parse("2026-11-23");
        CPPUNIT_ASSERT_EQUAL(1, monday.weekday());
        CPPUNIT_ASSERT_EQUAL(7, monday.plusDays(-1).weekday());
        CPPUNIT_ASSERT_EQUAL(std::string("2026-12-01"), monday.plusDays(8).text());
        CPPUNIT_ASSERT(monday.plusDays(6).monday() == monday);
    }
};
CPPUNIT_TEST_SUITE_REGISTRATION(LocalTimeTest);

} // namespace portico::tests
