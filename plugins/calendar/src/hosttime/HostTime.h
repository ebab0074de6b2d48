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
    /// Version of the schedule from which the rules come.
    std::int64_t scheduleVersion = 0;
    SlotRules rules;

    Tenant tenant() const noexcept { return Tenant::fromStored(organizationId); }
};

/// Makes the offer for the requested duration; without one, the event type's default.
/// @throws Problem 400 for a duration that is not offered
Offer makeOffer(Session& session, const TimeZones& zones, Tenant tenant, Host host, EventType type, std::optional<int> duration);
/// Does the same with the schedule of the event type, or else of the host.
Offer makeOffer(const TimeZones& zones, Tenant tenant, Host host, EventType type, const Schedule& schedule, std::optional<int> duration);

/// Sets one of the event type's durations. @throws Problem 400 `not_offered` for the requested field
std::chrono::minutes offeredDuration(const EventType& type, std::optional<int> asked, std::string_view field = "durationMinutes");
/// Makes it an offer of another duration, with the starts of that one.
void setDuration(Offer& offer, std::chrono::minutes duration);

/// Range of the bookings that can block starts in a range of time, or count towards a limit with them.
struct Reach
{
    Instant first{};
    Instant last{};
    /// Selects bookings that end later than this, including their buffer.
    Instant endsAfter{};
    Instant blocksAfter{};
    auto operator<=>(const Reach&) const = default;
};

Reach reachOf(const SlotRules& rules, Instant from, Instant to);
/// Reads the bookings of all event types of the host. @param own booking to return with its id
std::vector<TakenByBooking> bookingsOf(Session& session, const Offer& offer, const Reach& reach, const BookingId& own = {});

/// Returns what takes the host's time around the starts from `from` to `to`. Covers everything that can block these starts, and for limits
/// all of their dates or weeks.
/// @param own the booking that the caller wants to move, if any
Taken takenOf(Session& session, const LiveHolds& holds, const Offer& offer, Instant from, Instant to, Instant now,
              const BookingId& own = {});

/// Runs `takenOf` in a flight. Reads holds immediately, before the bookings that they may become.
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

/// Runs `takenOf` in a new session.
Taken takenNow(const BookingTools& tools, const Offer& offer, Instant from, Instant to, Instant now, const BookingId& own = {});

} // namespace portico::calendar
