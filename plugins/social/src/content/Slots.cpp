#include "content/Slots.h"

#include <algorithm>

namespace portico::social
{

std::optional<Instant> nextSlot(const std::vector<PlannedSlot>& plan, const TimeZone& zone, Instant from, Instant until,
                                const std::function<bool(Instant)>& taken)
{
    for (auto date = zone.dateOf(from).plusDays(-1); zone.startOf(date) <= until; date = date.plusDays(1))
    {
        std::vector<Instant> times;
        for (const auto& slot : plan)
            if (slot.weekday == date.weekday()) times.push_back(zone.at(date, *WallTime::parse(slot.time)));
        std::ranges::sort(times);
        for (const auto time : times)
            if (time >= from && time <= until && !taken(time)) return time;
    }
    return std::nullopt;
}

} // namespace portico::social
