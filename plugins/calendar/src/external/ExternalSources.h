#pragma once

#include "external/CalendarSource.h"
#include "external/OAuthCalls.h"
#include "hosttime/BookingTools.h"
#include "records/ExternalCalendar.h"

#include <chrono>
#include <memory>
#include <string>

namespace portico::calendar
{

/// What speaks to a calendar that is stored: with the password that is sealed in it, or with the tokens, of which new ones are stored.
/// @param timeout of all that is asked of it together @throws CalendarFailure where it is not open to us
std::unique_ptr<CalendarSource> openSource(const BookingTools& tools, Tenant tenant, const ExternalCalendar& calendar,
                                           std::chrono::milliseconds timeout);

/// The same with what somebody has typed, or come back with. @param password as it is, not sealed
std::unique_ptr<CalendarSource> makeSource(const BookingTools& tools, const ExternalCalendar& calendar, const std::string& password,
                                           std::chrono::milliseconds timeout, OAuthCalls::Keep keep = {});

} // namespace portico::calendar
