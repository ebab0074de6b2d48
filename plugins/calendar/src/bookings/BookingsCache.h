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

/// What was read of hosts' bookings for lists of free times. It serves while the host's `taken_mark` is the same, which is asked for each
/// time, and which every change of its bookings writes anew in its own transaction, in whichever process: what is taken is never offered
/// by it. A list serves for a minute, so that what writes no mark, a hand in the database or a process of an earlier version, is seen then.
/// Of all hosts together the 256 lists that were used last. Thread-safe.
class BookingsCache
{
public:
    static constexpr std::size_t lists = 256;
    static constexpr std::chrono::seconds lifetime{60};
    using Bookings = std::vector<TakenByBooking>;

    explicit BookingsCache(const Clock& clock) : _clock(clock) {}
    /// Those that `bookingsOf` finds.
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
