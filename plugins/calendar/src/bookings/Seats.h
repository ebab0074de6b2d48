#pragma once

#include "bookings/Booking.h"

#include "portico/Database.h"

namespace portico::calendar
{

// The second guard against two bookings of one place, beside the look at the host's time: a unique key for each seat of each start.

/// Takes the booking's seats. @throws Problem 409 `slot_unavailable` where there are not enough
void takeSeats(Transaction& transaction, Tenant tenant, const Booking& booking, int seatsPerSlot);
void freeSeats(Transaction& transaction, Tenant tenant, const BookingId& booking);

} // namespace portico::calendar
