#pragma once

#include "hosttime/BookingTools.h"
#include "records/BookingListener.h"

#include <string_view>

namespace portico::calendar
{

/// Publishes `calendar.booking.confirmed` and the other booking events to the organization's webhooks and to plugins. If the operator has
/// configured a notification service, it receives them too. Thread-safe.
class BookingEvents final : public BookingListener
{
public:
    explicit BookingEvents(const BookingTools& tools);
    /// Reads the URL of the notification service. Called once, at the start.
    void start();
    void happened(Transaction& transaction, std::string_view what, const BookingContext& subject) const override;

private:
    const BookingTools& _tools;
    bool _notifies;
};

} // namespace portico::calendar
