#pragma once

#include "hosttime/BookingTools.h"
#include "icalendar/Writer.h"
#include "records/BookingListener.h"

#include <string>
#include <string_view>

namespace portico::calendar
{

/// Returns the host's address from the directory, or a placeholder of this installation that receives no mail.
std::string hostAddress(const BookingTools& tools, const BookingContext& subject);

/// Returns a booking for other calendars: a request, or a cancellation if it no longer takes place.
/// @param host result of `hostAddress`
/// @param link page of the booking for the reader
icalendar::Invitation invitationOf(const BookingTools& tools, const BookingContext& subject, std::string_view host, std::string_view link,
                                   const Words& words);

} // namespace portico::calendar
