#pragma once

#include "hosts/Handles.h"
#include "hosttime/BookingTools.h"
#include "hosttime/HostTime.h"
#include "records/ExternalCalendar.h"

#include "portico/Flight.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace portico::calendar
{

/// Host that a public handle leads to.
struct PublicHost
{
    std::string organizationId;
    Host host;
    /// True if the handle is a former one of the host.
    bool moved = false;
};

/// @throws Problem 404 for an unknown handle
PublicHost publicHost(Session& session, std::string_view handle, Instant now);

/// Returns the offer of a handle and a slug. @throws Problem 404; 410 `event_type_disabled`; 400 for a duration that is not offered
Offer publicOffer(Session& session, const BookingTools& tools, std::string_view handle, std::string_view slug,
                  std::optional<int> duration = {});

/// `publicOffer` in a flight.
class PublicOfferReads
{
public:
    PublicOfferReads(Flight& flight, std::string_view handle, std::string_view slug, Instant now);
    /// @throws Problem 404
    const PublicHost& host();
    /// Must be called once. @throws Problem like publicOffer
    Offer offer(const BookingTools& tools, std::optional<int> duration = {});

private:
    InFlight<std::optional<PublicHost>> _host;
    InFlight<std::optional<EventType>> _type;
    InFlight<std::optional<Schedule>> _schedule;
};

/// Reads the booking of a hold of the host, in a flight.
InFlight<std::optional<Booking>> publicBookingOfHold(Flight& flight, std::string_view handle, const HoldId& hold, Instant now);
/// Reads up to `most` external calendars of the host, in a flight.
InFlight<std::vector<ExternalCalendar>> publicCalendars(Flight& flight, std::string_view handle, std::int64_t most, Instant now);

} // namespace portico::calendar
