#pragma once

#include "bookings/Booking.h"
#include "bookings/BookingTools.h"
#include "hosts/Host.h"

#include <optional>
#include <string_view>

namespace portico::calendar
{

/// A booking with those whom it concerns.
struct BookingCase
{
    std::string organizationId;
    Host host;
    /// Empty when it was deleted since.
    std::optional<EventType> type;
    Booking booking;

    Tenant tenant() const noexcept { return Tenant::fromStored(organizationId); }
};

/// What happens to bookings, told to the organization's webhooks and plugins, and, where the operator has set one up, to the notification
/// service: `calendar.booking.confirmed` and its sisters. Thread-safe.
class BookingEvents
{
public:
    explicit BookingEvents(const BookingTools& tools);
    /// Says where the notification service is. Called once, at the start.
    void start();
    /// Written in the transaction of the change. `what`: `confirmed`, `requested`, `declined`, `cancelled`, `rescheduled`, `expired`,
    /// `no_show`.
    void publish(Transaction& transaction, std::string_view what, const BookingCase& subject) const;

private:
    const BookingTools& _tools;
    bool _notifies;
};

} // namespace portico::calendar
