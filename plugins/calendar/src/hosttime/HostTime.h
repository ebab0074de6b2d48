#pragma once

#include "hosttime/BookingTools.h"
#include "hosttime/ExternalBusy.h"
#include "hosttime/LiveHolds.h"
#include "portico/TimeZones.h"
#include "records/Booking.h"
#include "records/EventType.h"
#include "records/Host.h"
#include "records/Schedule.h"
#include "slots/SlotRules.h"
#include "slots/Taken.h"

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar
{

/// Something bookable, with all that decides when.
struct Offer
{
    std::string organizationId;
    Host host;
    EventType type;
    /// That the rules come from.
    std::int64_t scheduleVersion = 0;
    SlotRules rules;

    Tenant tenant() const noexcept { return Tenant::fromStored(organizationId); }
};

/// What is offered, for the duration that is asked for (the event type's own without one).
/// @throws Problem 400 for a duration that is not offered
Offer makeOffer(Session& session, const TimeZones& zones, Tenant tenant, Host host, EventType type, std::optional<int> duration);
/// The same by the schedule of the event type, or else of the host.
Offer makeOffer(const TimeZones& zones, Tenant tenant, Host host, EventType type, const Schedule& schedule, std::optional<int> duration);

/// One of the durations of an event type; its own without one. @throws Problem 400 `not_offered` of the field that asked
std::chrono::minutes offeredDuration(const EventType& type, std::optional<int> asked, std::string_view field = "durationMinutes");
/// Makes it an offer of another duration, with the starts of that one.
void setDuration(Offer& offer, std::chrono::minutes duration);

/// Where bookings lie that stand in the way of starts from a time to another, or count towards a limit with them.
struct Reach
{
    Instant first{};
    Instant last{};
    /// One that ends later, or whose buffer does.
    Instant endsAfter{};
    Instant blocksAfter{};
    auto operator<=>(const Reach&) const = default;
};

Reach reachOf(const SlotRules& rules, Instant from, Instant to);
/// Of all event types of the host. @param own told by its id
std::vector<TakenByBooking> bookingsOf(Session& session, const Offer& offer, const Reach& reach, const BookingId& own = {});

/// What takes the host's time around the starts from `from` to `to`, as far as the offer's rules look: what stands in their way, and where
/// limits count, all of their dates or weeks.
/// @param own the booking that the asker wants to move, if any
Taken takenOf(Session& session, const LiveHolds& holds, const Offer& offer, Instant from, Instant to, Instant now,
              const BookingId& own = {});

/// `takenOf` in a flight. Holds are read at once: before the bookings that they become.
class TakenReads
{
public:
    TakenReads(Flight& flight, const LiveHolds& holds, const Offer& offer, Instant from, Instant to, Instant now,
               const BookingId& own = {});
    /// To be called once.
    Taken get();
    /// True if bookings are written to another calendar of the host; valid after `get`.
    bool written() const noexcept { return _written; }

private:
    Taken _taken;
    BusyReads _busy;
    InFlight<std::vector<TakenByBooking>> _bookings;
    bool _written = false;
};

/// The same but for the bookings.
Taken takenBesides(Session& session, const LiveHolds& holds, const Offer& offer, Instant from, Instant to, Instant now);

/// `takenOf` in a session of its own.
Taken takenNow(const BookingTools& tools, const Offer& offer, Instant from, Instant to, Instant now, const BookingId& own = {});

} // namespace portico::calendar
