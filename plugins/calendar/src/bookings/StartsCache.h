#pragma once

#include "hosttime/HostTime.h"

#include "portico/Clock.h"

#include <chrono>
#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace portico::calendar
{

/// Caches the starts by a host's rules, by week. Bookings, holds, notice and limits are applied afterwards, so that the cache never offers
/// a taken time. An entry is valid for one schedule, for one version of the event type, the schedule and the time zones, and for a minute.
/// Keeps the 64 weeks of a host that were used last. Thread-safe.
class StartsCache
{
public:
    static constexpr std::size_t weeksOfHost = 64;
    static constexpr std::size_t hosts = 256;
    static constexpr std::chrono::seconds lifetime{60};

    explicit StartsCache(const Clock& clock) : _clock(clock) {}
    /// The starts at or after `from` and before `to`, in order.
    std::vector<Instant> starts(const Offer& offer, Instant from, Instant to, const std::string& zonesVersion);

private:
    struct Key
    {
        std::string eventTypeId;
        std::int64_t minutes = 0;
        std::chrono::weeks week{};
        auto operator<=>(const Key&) const = default;
    };
    struct Week
    {
        std::string madeWith;
        Instant until{};
        Instant used{};
        std::vector<Instant> starts;
    };
    std::vector<Instant> week(const Offer& offer, const Key& key, const std::string& madeWith);

    const Clock& _clock;
    std::mutex _mutex;
    std::map<std::string, std::map<Key, Week>, std::less<>> _weeks;
};

} // namespace portico::calendar
