#include "bookings/Seats.h"

#include "portico/Problem.h"

#include <set>

namespace portico::calendar
{

void takeSeats(Transaction& transaction, Tenant tenant, const Booking& booking, int seatsPerSlot)
{
    const auto numbers = transaction.values<std::int64_t>("SELECT seat FROM booking_seat WHERE organization_id = $1 AND host_id = $2 AND "
                                                          "event_type_id = $3 AND start_at = $4",
                                                          tenant, booking.hostId, booking.eventTypeId, booking.start);
    const std::set<std::int64_t> taken(numbers.begin(), numbers.end());
    int left = booking.seats;
    for (std::int64_t seat = 1; seat <= seatsPerSlot && left > 0; ++seat)
        if (!taken.contains(seat))
            left -=
                static_cast<int>(transaction.execute("INSERT INTO booking_seat (organization_id, host_id, event_type_id, start_at, seat, "
                                                     "booking_id) VALUES ($1, $2, $3, $4, $5, "
                                                     "$6) ON CONFLICT DO NOTHING",
                                                     tenant, booking.hostId, booking.eventTypeId, booking.start, seat, booking.bookingId));
    if (left > 0) throw Problem::conflict("slot_unavailable", "There are not enough seats left.");
}

void freeSeats(Transaction& transaction, Tenant tenant, const BookingId& booking)
{
    transaction.execute("DELETE FROM booking_seat WHERE organization_id = $1 AND booking_id = $2", tenant, booking);
}

} // namespace portico::calendar
