#pragma once

#include "external/CalendarSource.h"
#include "external/OAuthCalls.h"
#include "hosttime/BookingTools.h"
#include "records/ExternalCalendar.h"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace portico::calendar
{

/// Creates the client of a stored calendar, with its sealed password or tokens. Renewed tokens are stored.
/// @param timeout for all requests of the source together
/// @param written events that were written for bookings, for a source whose busy times are read
/// @throws CalendarFailure if the credentials are missing or cannot be decrypted
std::unique_ptr<CalendarSource> openSource(const BookingTools& tools, Tenant tenant, const ExternalCalendar& calendar,
                                           std::chrono::milliseconds timeout, std::vector<std::string> written = {});

/// Does the same with credentials that the user has just entered or received. @param password in plain text, not sealed
std::unique_ptr<CalendarSource> makeSource(const BookingTools& tools, const ExternalCalendar& calendar, const std::string& password,
                                           std::chrono::milliseconds timeout, OAuthCalls::Keep keep = {},
                                           std::vector<std::string> written = {});

} // namespace portico::calendar
