#include "bookings/GuestPolicy.h"

#include <chrono>

namespace portico::calendar
{

Problem bookingClosed(std::string_view detail) { return Problem::conflict("booking_closed", detail); }

void requireCancellable(const BookingContext& subject, Instant now)
{
    if (!isOpen(subject.booking.status)) throw bookingClosed("This booking is closed already.");
    if (subject.booking.start <= now) throw bookingClosed("The time of this booking has come.");
    const auto policy = subject.type ? subject.type->cancelPolicy : CancelPolicy();
    if (!policy.guestMayCancel) throw Problem::conflict("policy", "Guests cannot cancel this: write to the host.");
    if (subject.booking.start - std::chrono::minutes(policy.untilMinutesBefore) < now)
        throw Problem::conflict("policy", "It is too late to cancel this: write to the host.");
}

void requireConfirmed(const BookingContext& subject)
{
    if (subject.booking.status != BookingStatus::Confirmed) throw bookingClosed("Only a confirmed booking can be moved.");
}

void requireMovable(const BookingContext& subject, Instant now)
{
    requireConfirmed(subject);
    if (subject.booking.start <= now) throw bookingClosed("The time of this booking has come.");
    if (!subject.type) throw bookingClosed("This event type is no longer offered.");
    const auto& policy = subject.type->reschedulePolicy;
    if (!policy.guestMayReschedule) throw Problem::conflict("policy", "Guests cannot move this: write to the host.");
    if (subject.booking.start - std::chrono::minutes(policy.untilMinutesBefore) < now)
        throw Problem::conflict("policy", "It is too late to move this: write to the host.");
}

} // namespace portico::calendar
