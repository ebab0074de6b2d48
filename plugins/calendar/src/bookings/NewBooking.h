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

/// A booking of an offer before it is written: its ids, and what it takes from the offer, so that later changes of that leave it alone.
/// @param token where the token of the guest's link goes; the booking keeps it sealed, and its hash
Booking newBooking(const BookingTools& tools, const Offer& offer, Instant start, Instant end, std::string& token);
/// The token of the guest's link; empty, and logged, where the key that sealed it is not there any more.
std::string openManageToken(const BookingTools& tools, const Booking& booking);
/// Copies what the guest told, once it is checked. @throws Problem 400
void fillGuest(Booking& booking, const TimeZones& zones, const EventType& type, const Guest& guest, const std::vector<Answer>& answers,
               std::string_view notes);

} // namespace portico::calendar
