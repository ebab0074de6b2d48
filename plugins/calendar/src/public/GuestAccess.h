#pragma once

#include "bookings/BookingService.h"
#include "embed/EmbedOrigins.h"

#include "portico/Request.h"

#include <string_view>

namespace portico::calendar
{

/// The booking that a guest's link opens. @throws Problem 404 for no such booking, and for another token
BookingCase requireGuest(Session& session, const BookingService& bookings, const BookingId& id, std::string_view token);

/// By which door a request comes: our own page, a page that shows ours, or neither. @throws Problem 403 `origin_not_allowed` for a page
/// that may not
Door requireDoor(const BookingTools& tools, const EmbedOrigins& embedders, const Request& request);

/// That a form is of a page that may send it, as `requireDoor`, or of one that tells nobody where it is: browsers send these from `null`.
/// @throws Problem 403 `origin_not_allowed`
void requireOwnForm(const BookingTools& tools, const EmbedOrigins& embedders, const Request& request);

} // namespace portico::calendar
