#pragma once

#include "records/BookingListener.h"

#include "portico/Problem.h"

#include <string_view>

namespace portico::calendar
{

// Rules of what guests may do with their bookings, by state, time and the policies of the event type.

/// @throws Problem 409 `booking_closed`, `policy`
void requireCancellable(const BookingContext& subject, Instant now);
/// Applies to host and guest. @throws Problem 409 `booking_closed`
void requireConfirmed(const BookingContext& subject);
/// @throws Problem 409 `booking_closed`, `policy`
void requireMovable(const BookingContext& subject, Instant now);

/// Returns the 409 for a change that the booking's state does not allow.
Problem bookingClosed(std::string_view detail);

} // namespace portico::calendar
