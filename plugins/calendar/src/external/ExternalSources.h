#pragma once

#include "bookings/BookingTools.h"
#include "external/CalendarSource.h"
#include "external/ExternalCalendar.h"

#include <chrono>
#include <memory>
#include <string>

namespace portico::calendar
{

/// What speaks to a calendar. @param password as it is, not sealed. @param timeout of all that is asked of it together
/// @throws CalendarFailure where the operator has not set up what its kind needs
std::unique_ptr<CalendarSource> makeSource(const BookingTools& tools, const ExternalCalendar& calendar, const std::string& password,
                                           std::chrono::milliseconds timeout);

} // namespace portico::calendar
