#pragma once

#include "records/Booking.h"

#include "portico/Database.h"
#include "portico/Flight.h"
#include "portico/Problem.h"

namespace portico::calendar
{

// The second guard against two bookings of one place, beside the look at the host's time: a unique key for each seat of each start.

/// Takes the booking's seats. @throws Problem 409 `slot_unavailable` if there are not enough
void takeSeats(Transaction& transaction, Tenant tenant, const Booking& booking, int seatsPerSlot);
/// Takes the only seat of its time in a flight. If it is taken, the flight or the commit throws an error that `isSeatTaken` recognizes.
void takeOnlySeat(Flight& flight, Tenant tenant, const Booking& booking);
bool isSeatTaken(const DatabaseError& error);
/// 409 `slot_unavailable`
Problem noSeatsLeft();
void freeSeats(Transaction& transaction, Tenant tenant, const BookingId& booking);

} // namespace portico::calendar
