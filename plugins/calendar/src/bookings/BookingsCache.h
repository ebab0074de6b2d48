#pragma once

#include "hosttime/HostTime.h"

#include "portico/Clock.h"

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace portico::calendar
{

/// Caches the bookings of hosts for lists of free times. An entry is valid while the host's `taken_mark` is unchanged; each use reads the
/// mark. Every change of the host's bookings writes a new mark in the same transaction, in every process. A cached list therefore never
/// offers a taken time. Entries expire after a minute: this limits the effect of changes without a mark, such as manual edits or a process
/// of an earlier version. Keeps the 256 lists that were used last. Thread-safe.
class BookingsCache
{
public:
    static constexpr std::size_t lists = 256;
    static constexpr std::chrono::seconds lifetime{60};
    using Bookings = std::vector<TakenByBooking>;

    explicit BookingsCache(const Clock& clock) : _clock(clock) {}
    /// Returns the same as `bookingsOf`.
    Bookings bookings(Session& session, const Offer& offer, const Reach& reach);

private:
    struct Key
    {
        std::string eventTypeId;
        Reach reach;
        auto operator<=>(const Key&) const = default;
    };
    struct Kept
    {
        std::int64_t mark = 0;
        Instant readAt{};
        std::uint64_t used = 0;
        std::shared_ptr<const Bookings> bookings;
    };
    std::shared_ptr<const Bookings> find(const Key& key, std::int64_t mark);
    void keep(Key key, Kept kept);

    const Clock& _clock;
    std::mutex _mutex;
    std::uint64_t _uses = 0;
    std::map<Key, Kept> _kept;
};

} // namespace portico::calendar
