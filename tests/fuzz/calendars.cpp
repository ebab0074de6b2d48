#include "fuzz/Require.h"

#include "icalendar/BusyReader.h"

using namespace portico::calendar;
using namespace portico::calendar::icalendar;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const portico::TimeZones zones;
    static const BusyOptions options = [&]
    {
        BusyOptions made;
        made.from = *portico::parseInstant("2026-01-01T00:00:00Z");
        made.to = *portico::parseInstant("2028-01-01T00:00:00Z");
        made.zone = *zones.find("Europe/Berlin");
        made.ownAddresses = {"ada@example.test"};
        // A part of the real ones, so that an input is quick.
        made.budget = {200'000, 5'000};
        made.budgetOfEvent = {50'000, 1'000};
        return made;
    }();
    try
    {
        BusyReader reader(zones, options);
        reader.add(portico::fuzz::textOf(data, size));
        const auto busy = reader.take();
        for (std::size_t i = 0; i < busy.times.size(); ++i)
        {
            portico::fuzz::require(busy.times[i].start < busy.times[i].end && busy.times[i].start >= options.from &&
                                   busy.times[i].end <= options.to);
            portico::fuzz::require(i == 0 || busy.times[i - 1].end < busy.times[i].start);
        }
        for (const auto& dates : busy.dates) portico::fuzz::require(dates.start < dates.end);
    }
    catch (const ICalendarError&)
    {
    }
    return 0;
}
