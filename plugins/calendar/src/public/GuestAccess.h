#pragma once

#include "bookings/BookingService.h"
#include "embed/EmbedOrigins.h"

#include "portico/Request.h"

#include <string_view>

namespace portico::calendar
{

/// Returns the booking that a guest's link opens. @throws Problem 404 for an unknown booking, and for a wrong token
BookingContext requireGuest(Session& session, const BookingService& bookings, const BookingId& id, std::string_view token);

/// Determines the origin of a request: a page of this plugin, a page that embeds one, or neither.
/// @throws Problem 403 `origin_not_allowed` for a page that may not send it
BookingChannel requireChannel(const BookingTools& tools, const EmbedOrigins& embedders, const Request& request);

/// Checks that a form was sent by an allowed page, like `requireChannel`. Also allows the origin `null`, which browsers send for pages
/// without referrer.
/// @throws Problem 403 `origin_not_allowed`
void requireOwnForm(const BookingTools& tools, const EmbedOrigins& embedders, const Request& request);

} // namespace portico::calendar
