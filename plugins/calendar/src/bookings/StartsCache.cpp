#include "bookings/StartsCache.h"

#include "slots/Starts.h"

#include <algorithm>

namespace portico::calendar
{

std::vector<Instant> StartsCache::starts(const Offer& offer, Instant from, Instant to, const std::string& zonesVersion)
{
    const auto weekOf = [](Instant instant) { return std::chrono::floor<std::chrono::weeks>(instant.time_since_epoch()); };
    const auto schedule = offer.type.scheduleId.value_or(offer.host.defaultScheduleId);
    const auto madeWith = std::to_string(offer.type.version) + " " + schedule.text() + " " + std::to_string(offer.scheduleVersion) + " " +
                          offer.rules.zone.name() + " " + zonesVersion;
    std::vector<Instant> all;
    for (Key key{offer.type.eventTypeId.text(), offer.rules.duration.count(), weekOf(from)}; Instant(key.week) < to; ++key.week)
        for (const auto start : week(offer, key, madeWith))
            if (start >= from && start < to) all.push_back(start);
    return all;
}

std::vector<Instant> StartsCache::week(const Offer& offer, const Key& key, const std::string& madeWith)
{
    const auto now = _clock.now();
    const auto& host = offer.host.hostId.text();
    {
        const std::lock_guard lock(_mutex);
        auto& weeks = _weeks[host];
        if (const auto found = weeks.find(key); found != weeks.end() && found->second.madeWith == madeWith && found->second.until > now)
        {
            found->second.used = now;
            return found->second.starts;
        }
    }
    const auto made = startsOf(offer.rules, Instant(key.week), Instant(key.week + std::chrono::weeks(1)));
    const std::lock_guard lock(_mutex);
    if (_weeks.size() > hosts) _weeks.clear();
    auto& weeks = _weeks[host];
    weeks[key] = {madeWith, now + lifetime, now, made};
    if (weeks.size() > weeksOfHost) weeks.erase(std::ranges::min_element(weeks, {}, [](const auto& each) { return each.second.used; }));
    return made;
}

} // namespace portico::calendar
