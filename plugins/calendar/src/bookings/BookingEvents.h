#pragma once

#include "hosttime/BookingTools.h"
#include "records/BookingListener.h"

#include <string_view>

namespace portico::calendar
{

/// What happens to bookings, told to the organization's webhooks and plugins, and, where the operator has set one up, to the notification
/// service: `calendar.booking.confirmed` and its sisters. Thread-safe.
class BookingEvents final : public BookingListener
{
public:
    explicit BookingEvents(const BookingTools& tools);
    /// Says where the notification service is. Called once, at the start.
    void start();
    void happened(Transaction& transaction, std::string_view what, const BookingCase& subject) const override;

private:
    const BookingTools& _tools;
    bool _notifies;
};

} // namespace portico::calendar
