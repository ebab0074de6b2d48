#pragma once

#include "bookings/BookingTools.h"
#include "bookings/HostTime.h"
#include "hosts/Handles.h"

#include <optional>
#include <string_view>

namespace portico::calendar
{

/// A host as guests find them.
struct PublicHost
{
    std::string organizationId;
    Host host;
    /// The handle is an old one of theirs.
    bool moved = false;
};

/// @throws Problem 404 for a handle that leads nowhere
PublicHost publicHost(Session& session, std::string_view handle, Instant now);

/// What is bookable there. @throws Problem 404; 410 `event_type_disabled`; 400 for a duration that is not offered
Offer publicOffer(Session& session, const BookingTools& tools, std::string_view handle, std::string_view slug,
                  std::optional<int> duration = {});
/// The same where the host is known.
Offer publicOffer(Session& session, const BookingTools& tools, PublicHost host, std::string_view slug, std::optional<int> duration = {});

} // namespace portico::calendar
