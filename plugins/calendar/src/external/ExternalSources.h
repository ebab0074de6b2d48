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

/// Creates the client of a stored calendar, with its sealed password or tokens. Renewed tokens are stored.
/// @param timeout for all requests of the source together
/// @throws CalendarFailure if the credentials are missing or cannot be decrypted
std::unique_ptr<CalendarSource> openSource(const BookingTools& tools, Tenant tenant, const ExternalCalendar& calendar,
                                           std::chrono::milliseconds timeout);

/// Does the same with credentials that the user has just entered or received. @param password in plain text, not sealed
std::unique_ptr<CalendarSource> makeSource(const BookingTools& tools, const ExternalCalendar& calendar, const std::string& password,
                                           std::chrono::milliseconds timeout, OAuthCalls::Keep keep = {});

} // namespace portico::calendar
