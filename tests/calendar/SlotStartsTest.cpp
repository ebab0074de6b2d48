#include "portico/TimeZones.h"
#include "slots/Spans.h"
#include "slots/Starts.h"
#include "support/Suite.h"

namespace portico::tests
{

using namespace calendar;

class CalendarSlotStartsTest : public Suite<CalendarSlotStartsTest>
{
    const TimeZones _zones;

public:
    /// Weeks are kept one by one, so it may not matter where a range is cut: here over a jump, a fold, nights and overrides.
    TEST(areThoseOfTheParts)
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
            CHECK(whole.size() > 120);
            for (const auto part : {std::chrono::minutes(7), std::chrono::minutes(60), std::chrono::minutes(60 * 24 * 3)})
            {
                std::vector<Instant> joined;
                for (auto at = from; at < to; at += part)
                    for (const auto start : startsOf(rules, at, std::min(at + part, to))) joined.push_back(start);
                CHECK(whole == joined);
            }
        }
    }

    TEST(spansKnowTheirEdges)
    {
        const auto span = [](int from, int to) { return Span{fromMillis(from), fromMillis(to)}; };
        const Spans spans({span(30, 40), span(10, 20), span(25, 25), span(20, 22), span(33, 36)});
        CHECK((std::vector(spans.begin(), spans.end()) == std::vector{span(10, 22), span(30, 40)}));
        CHECK(spans.contains(span(10, 22)) && spans.contains(span(35, 40)));
        CHECK(!spans.contains(span(9, 12)) && !spans.contains(span(20, 23)) && !spans.contains(span(22, 30)));
        CHECK(spans.overlaps(span(21, 30)) && spans.overlaps(span(0, 50)) && spans.overlaps(span(39, 41)));
        // Spans that only touch, and a query on an empty set.
        CHECK(!spans.overlaps(span(22, 30)) && !spans.overlaps(span(0, 10)) && !spans.overlaps(span(40, 41)));
        CHECK(!Spans().overlaps(span(0, 1)) && !Spans().contains(span(0, 1)));
    }
};
} // namespace portico::tests
