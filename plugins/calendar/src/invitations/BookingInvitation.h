#pragma once

#include "hosttime/BookingTools.h"
#include "icalendar/Writer.h"
#include "records/BookingListener.h"

#include <string>
#include <string_view>

namespace portico::calendar
{

/// The host's address as the directory knows it, or one of this installation that takes no mail.
std::string hostAddress(const BookingTools& tools, const BookingCase& subject);

/// A booking for the calendars of others: asks for it, or takes it back where it is not to be any more. `host`: what `hostAddress` gave;
/// `link`: the reader's page of it.
icalendar::Invitation invitationOf(const BookingTools& tools, const BookingCase& subject, std::string_view host, std::string_view link,
                                   const Words& words);

} // namespace portico::calendar
