#include "bookings/BookingsCache.h"

#include <algorithm>
#include <utility>

namespace portico::calendar
{

BookingsCache::Bookings BookingsCache::bookings(Session& session, const Offer& offer, const Reach& reach)
{
    Key key{offer.type.eventTypeId.text(), reach};
    // Asked for before the bookings, which are then at least as new.
    const auto mark = session.value<std::int64_t>("SELECT taken_mark FROM host WHERE organization_id = $1 AND id = $2", offer.tenant(),
                                                  offer.host.hostId);
    if (!mark) return bookingsOf(session, offer, reach);
    if (const auto found = find(key, *mark)) return *found;
    const auto read = std::make_shared<const Bookings>(bookingsOf(session, offer, reach));
    keep(std::move(key), {*mark, _clock.now(), 0, read});
    return *read;
}

std::shared_ptr<const BookingsCache::Bookings> BookingsCache::find(const Key& key, std::int64_t mark)
{
    const std::lock_guard lock(_mutex);
    const auto found = _kept.find(key);
    if (found == _kept.end() || found->second.mark != mark || _clock.now() >= found->second.readAt + lifetime) return nullptr;
    found->second.used = ++_uses;
    return found->second.bookings;
}

void BookingsCache::keep(Key key, Kept kept)
{
    const std::lock_guard lock(_mutex);
    kept.used = ++_uses;
    _kept.insert_or_assign(std::move(key), std::move(kept));
    if (_kept.size() > lists) _kept.erase(std::ranges::min_element(_kept, {}, [](const auto& each) { return each.second.used; }));
}

} // namespace portico::calendar
