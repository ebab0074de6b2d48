#include "bookings/Seats.h"

#include <algorithm>
#include <vector>

namespace portico::calendar
{

void takeSeats(Transaction& transaction, Tenant tenant, const Booking& booking, int seatsPerSlot)
{
    // Skips the query for a single seat: the insert below finds out whether it is taken.
    std::vector<std::int64_t> taken;
    if (seatsPerSlot > 1)
        taken = transaction.values<std::int64_t>("SELECT seat FROM booking_seat WHERE organization_id = $1 AND host_id = $2 AND "
                                                 "event_type_id = $3 AND start_at = $4",
                                                 tenant, booking.hostId, booking.eventTypeId, booking.start);
    int left = booking.seats;
    for (std::int64_t seat = 1; seat <= seatsPerSlot && left > 0; ++seat)
        if (std::ranges::find(taken, seat) == taken.end())
            left -=
                static_cast<int>(transaction.execute("INSERT INTO booking_seat (organization_id, host_id, event_type_id, start_at, seat, "
                                                     "booking_id) VALUES ($1, $2, $3, $4, $5, "
                                                     "$6) ON CONFLICT DO NOTHING",
                                                     tenant, booking.hostId, booking.eventTypeId, booking.start, seat, booking.bookingId));
    if (left > 0) throw noSeatsLeft();
}

void takeOnlySeat(Flight& flight, Tenant tenant, const Booking& booking)
{
    flight.execute(
        "INSERT INTO booking_seat (organization_id, host_id, event_type_id, start_at, seat, booking_id) VALUES ($1, $2, $3, $4, 1, "
        "$5)",
        tenant, booking.hostId, booking.eventTypeId, booking.start, booking.bookingId);
}

bool isSeatTaken(const DatabaseError& error)
{
    // PostgreSQL names the key, SQLite the columns.
    return error.kind() == DatabaseError::Kind::UniqueViolation && error.constraint().starts_with("booking_seat");
}

Problem noSeatsLeft() { return Problem::conflict("slot_unavailable", "There are not enough seats left."); }

void freeSeats(Transaction& transaction, Tenant tenant, const BookingId& booking)
{
    transaction.execute("DELETE FROM booking_seat WHERE organization_id = $1 AND booking_id = $2", tenant, booking);
}

} // namespace portico::calendar
