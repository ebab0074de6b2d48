#pragma once

#include "hosttime/BookingTools.h"
#include "hosttime/HostTime.h"
#include "records/Booking.h"
#include "records/Guest.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar
{

/// Makes the booking of an offer, which the caller then stores: its ids, and copies of the offer's values. Later changes of the offer do
/// not affect the booking.
/// @param token receives the token of the guest's link; the booking keeps its hash and the sealed token
Booking newBooking(const BookingTools& tools, const Offer& offer, Instant start, Instant end, std::string& token);
/// Returns the token of the guest's link. If the key that sealed it is no longer configured, logs an error and returns an empty text.
std::string openManageToken(const BookingTools& tools, const Booking& booking);
/// Copies the guest's input after checking it. @throws Problem 400
void fillGuest(Booking& booking, const TimeZones& zones, const EventType& type, const Guest& guest, const std::vector<Answer>& answers,
               std::string_view notes);

} // namespace portico::calendar
