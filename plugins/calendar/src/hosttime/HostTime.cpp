#include "hosttime/HostTime.h"

#include "portico/Problem.h"

#include <algorithm>
#include <chrono>

namespace portico::calendar
{

namespace
{
/// Maximum values of an event type.
constexpr std::chrono::minutes longestBooking{1440}, longestBuffer{480};

/// Returns how far from a start other bookings count towards limits: its date for a daily limit, its week for a weekly one.
std::chrono::minutes countedBy(const SlotRules& rules)
{
    return std::chrono::days(rules.weeklyLimit ? 9 : rules.dailyLimit || rules.hostDailyLimit ? 3 : 0);
}
} // namespace

std::chrono::minutes offeredDuration(const EventType& type, std::optional<int> asked, std::string_view field)
{
    const int minutes = asked.value_or(type.durationMinutes);
    if (minutes != type.durationMinutes && std::ranges::find(type.durationOptions, minutes) == type.durationOptions.end())
        throw Problem::invalid(field, "not_offered", "This event type is not offered with that duration");
    return std::chrono::minutes(minutes);
}

void setDuration(Offer& offer, std::chrono::minutes duration)
{
    const auto& interval = offer.type.slotIntervalMinutes;
    offer.rules.duration = duration;
    offer.rules.slotInterval = interval ? std::chrono::minutes(*interval) : duration;
}

Offer makeOffer(Session& session, const TimeZones& zones, Tenant tenant, Host host, EventType type, std::optional<int> duration)
{
    const auto schedule = scheduleTable.require(session, tenant, host.hostId, type.scheduleId.value_or(host.defaultScheduleId));
    return makeOffer(zones, tenant, std::move(host), std::move(type), schedule, duration);
}

Offer makeOffer(const TimeZones& zones, Tenant tenant, Host host, EventType type, const Schedule& schedule, std::optional<int> duration)
{
    Offer offer{std::string(tenant.text()), std::move(host), std::move(type), 0, {}};
    const auto& kind = offer.type;
    auto& rules = offer.rules;
    offer.scheduleVersion = schedule.version;
    rules.zone = zones.require(schedule.timeZone, "timeZone");
    rules.hostZone = zones.require(offer.host.timeZone, "timeZone");
    rules.weeklyRules = schedule.weeklyRules;
    rules.dateOverrides = schedule.dateOverrides;
    setDuration(offer, offeredDuration(kind, duration));
    rules.bufferBefore = std::chrono::minutes(kind.bufferBeforeMinutes);
    rules.bufferAfter = std::chrono::minutes(kind.bufferAfterMinutes);
    rules.minimumNotice = std::chrono::minutes(kind.minimumNoticeMinutes);
    rules.window = kind.bookingWindow;
    rules.dailyLimit = kind.dailyLimit;
    rules.weeklyLimit = kind.weeklyLimit;
    rules.hostDailyLimit = offer.host.dailyLimit;
    rules.seatsPerSlot = kind.seatsPerSlot;
    return offer;
}

Reach reachOf(const SlotRules& rules, Instant from, Instant to)
{
    const auto counted = countedBy(rules);
    return {from - std::max(counted, longestBooking + longestBuffer), to + std::max(counted, rules.duration + longestBuffer),
            from - std::max(counted, rules.bufferBefore), from};
}

namespace
{
InFlight<std::vector<TakenByBooking>> bookingsIn(Flight& flight, const Offer& offer, const Reach& reach, const BookingId& own)
{
    // Compares ids in place, because there may be hundreds of rows. The index `booking_taking` covers the query.
    return flight.read(
        [own, type = offer.type.eventTypeId](Rows& rows)
        {
            std::vector<TakenByBooking> bookings;
            for (const Row row : rows)
            {
                auto& booking = bookings.emplace_back();
                booking.span = {row.get<Instant>(0), row.get<Instant>(1)};
                booking.bufferBefore = std::chrono::minutes(row.get<std::int64_t>(2));
                booking.bufferAfter = std::chrono::minutes(row.get<std::int64_t>(3));
                booking.seats = row.get<int>(4);
                booking.sameEventType = row.text(5) == type.text();
                if (!own.empty() && row.text(6) == own.text()) booking.bookingId = own;
            }
            return bookings;
        },
        "SELECT start_at, end_at, buffer_before_minutes, buffer_after_minutes, seats, event_type_id, id FROM booking "
        "WHERE organization_id = $1 AND host_id = $2 AND start_at >= $3 AND start_at < $4 AND (end_at > $5 OR end_at + "
        "buffer_after_minutes * 60000 > $6) AND status IN ('pending', 'confirmed', 'completed', 'no_show')",
        offer.tenant(), offer.host.hostId, reach.first, reach.last, reach.endsAfter, reach.blocksAfter);
}

/// Returns the host's live holds.
Taken heldTimes(const LiveHolds& holds, const Offer& offer, Instant now)
{
    Taken taken;
    for (const auto& hold : holds.of(offer.host.hostId, now)) taken.holds.push_back(takenBy(hold, offer.type.eventTypeId));
    return taken;
}

BusyReads busyIn(Flight& flight, const Offer& offer, Instant from, Instant to, Instant now)
{
    const auto reach = reachOf(offer.rules, from, to);
    return {flight, offer.tenant(), offer.host.hostId, reach.first, reach.last, now};
}

void addBusy(Taken& taken, BusyTimes busy)
{
    taken.busy = std::move(busy.times);
    taken.busyDates = std::move(busy.dates);
    taken.busyStale = busy.stale;
}
} // namespace

std::vector<TakenByBooking> bookingsOf(Session& session, const Offer& offer, const Reach& reach, const BookingId& own)
{
    Flight flight(session);
    return std::move(*bookingsIn(flight, offer, reach, own));
}

TakenReads::TakenReads(Flight& flight, const LiveHolds& holds, const Offer& offer, Instant from, Instant to, Instant now,
                       const BookingId& own)
    : _taken(heldTimes(holds, offer, now)),
      _busy(busyIn(flight, offer, from, to, now)),
      _bookings(bookingsIn(flight, offer, reachOf(offer.rules, from, to), own))
{
}

Taken TakenReads::get()
{
    auto busy = _busy.get();
    _written = busy.written;
    addBusy(_taken, std::move(busy));
    _taken.bookings = std::move(*_bookings);
    return std::move(_taken);
}

Taken takenBesides(Session& session, const LiveHolds& holds, const Offer& offer, Instant from, Instant to, Instant now)
{
    auto taken = heldTimes(holds, offer, now);
    Flight flight(session);
    addBusy(taken, busyIn(flight, offer, from, to, now).get());
    return taken;
}

Taken takenOf(Session& session, const LiveHolds& holds, const Offer& offer, Instant from, Instant to, Instant now, const BookingId& own)
{
    Flight flight(session);
    return TakenReads(flight, holds, offer, from, to, now, own).get();
}

Taken takenNow(const BookingTools& tools, const Offer& offer, Instant from, Instant to, Instant now, const BookingId& own)
{
    auto session = tools.database().session();
    return takenOf(session, tools.holds, offer, from, to, now, own);
}

} // namespace portico::calendar
