#include "slots/Starts.h"
#include "time/TimeZones.h"

#include <cppunit/extensions/HelperMacros.h>

namespace portico::tests
{

using namespace calendar;

class CalendarSlotStartsTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(CalendarSlotStartsTest);
    CPPUNIT_TEST(areThoseOfTheParts);
    CPPUNIT_TEST_SUITE_END();

    const TimeZones _zones;

public:
    /// Weeks are kept one by one, so it may not matter where a range is cut: here over a jump, a fold, nights and overrides.
    void areThoseOfTheParts()
    {
        SlotRules rules;
        rules.zone = *_zones.find("Europe/Berlin");
        rules.duration = std::chrono::minutes(45);
        rules.slotInterval = std::chrono::minutes(25);
        for (int weekday = 1; weekday <= 7; ++weekday)
            rules.weeklyRules.push_back({weekday, *WallTime::parse("20:10"), *WallTime::parse("03:05")});
        rules.dateOverrides.push_back({*LocalDate::parse("2026-04-02"), true, {}});
        for (const std::string day : {"2026-03-26T00:00:00Z", "2026-10-22T00:00:00Z"})
        {
            const auto from = *parseInstant(day), to = from + std::chrono::days(10);
            const auto whole = startsOf(rules, from, to);
            CPPUNIT_ASSERT(whole.size() > 120);
            for (const auto part : {std::chrono::minutes(7), std::chrono::minutes(60), std::chrono::minutes(60 * 24 * 3)})
            {
                std::vector<Instant> joined;
                for (auto at = from; at < to; at += part)
                    for (const auto start : startsOf(rules, at, std::min(at + part, to))) joined.push_back(start);
                CPPUNIT_ASSERT(whole == joined);
            }
        }
    }
};
CPPUNIT_TEST_SUITE_REGISTRATION(CalendarSlotStartsTest);

} // namespace portico::tests
