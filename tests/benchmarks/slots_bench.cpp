// Measures availability in the engine of booking times: `slots_bench`. 31 days, three rules a day, 200 bookings, in a zone with a clock
// change within them; microseconds of CPU per answer, the median of many.

#include "portico/TimeZones.h"
#include "slots/Slots.h"
#include "slots/Starts.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

namespace
{

using namespace portico;
using namespace portico::calendar;

double processorMicroseconds()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

template <class F>
void measure(const char* what, F&& work)
{
    std::vector<double> times;
    std::size_t found = 0;
    for (int round = 0; round < 501; ++round)
    {
        const auto begin = processorMicroseconds();
        found = work();
        times.push_back(processorMicroseconds() - begin);
    }
    std::nth_element(times.begin(), times.begin() + 250, times.end());
    std::printf("%-34s %8.1f us  (%zu)\n", what, times[250], found);
}

} // namespace

int main()
{
    const TimeZones zones;
    const auto from = *parseInstant("2026-03-09T00:00:00Z"), to = from + std::chrono::days(31);
    for (const int interval : {30, 5})
    {
        SlotRules rules;
        rules.zone = rules.hostZone = *zones.find("Europe/Berlin");
        rules.slotInterval = std::chrono::minutes(interval);
        rules.bufferAfter = std::chrono::minutes(10);
        rules.dailyLimit = 20;
        rules.weeklyLimit = 100;
        for (int weekday = 1; weekday <= 7; ++weekday)
            for (const int hour : {8, 12, 16})
                rules.weeklyRules.push_back({weekday, WallTime::ofMinutes(hour * 60), WallTime::ofMinutes(hour * 60 + 210)});
        Taken taken;
        for (int n = 0; n < 200; ++n)
        {
            const auto start = from + std::chrono::minutes(n * 31 * 24 * 60 / 200 / 30 * 30);
            taken.bookings.push_back(
                {{true, {start, start + std::chrono::minutes(30)}, {}, std::chrono::minutes(10), 1}, BookingId::make(from)});
            taken.busy.push_back({start + std::chrono::minutes(60), start + std::chrono::minutes(80)});
        }
        const Asking asking{from - std::chrono::days(1), 1, {}, {}};
        std::printf("every %d minutes\n", interval);
        const auto starts = startsOf(rules, from, to);
        measure("  starts of 31 days", [&] { return startsOf(rules, from, to).size(); });
        measure("  open ones of kept starts", [&] { return openSlots(rules, starts, taken, asking).size(); });
        measure("  availability of 31 days", [&] { return openSlots(rules, taken, asking, from, to).size(); });
        measure("  one start, as a hold asks", [&] { return openSlotAt(rules, taken, asking, starts[100]) ? 1U : 0U; });
        measure("  explain", [&] { return explain(rules, taken, asking, starts[100]).reasons.size(); });
        measure("  nearest", [&] { return nearestSlots(rules, taken, asking, starts[100]).size(); });
    }
    return 0;
}
