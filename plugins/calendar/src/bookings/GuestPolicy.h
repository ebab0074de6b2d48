#pragma once

#include "records/BookingListener.h"

#include "portico/Problem.h"

#include <string_view>

namespace portico::calendar
{

// What guests may do with their bookings, by state, time and the policies of what was booked.

/// @throws Problem 409 `booking_closed`, `policy`
void requireCancellable(const BookingCase& subject, Instant now);
/// Of host and guest alike. @throws Problem 409 `booking_closed`
void requireConfirmed(const BookingCase& subject);
/// @throws Problem 409 `booking_closed`, `policy`
void requireMovable(const BookingCase& subject, Instant now);

/// 409 of a change that the booking's state does not have.
Problem bookingClosed(std::string_view detail);

} // namespace portico::calendar
