#pragma once

#include "records/Booking.h"
#include "records/Host.h"

#include "portico/Database.h"

#include <optional>
#include <string>
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
    /// True if bookings are written to another calendar of the host; empty if the transaction has not read it.
    std::optional<bool> writesElsewhere = {};
    /// E-mail address of the host's account, for listeners; empty text: none; nullopt: not read.
    std::optional<std::string> hostEmail = {};

    Tenant tenant() const noexcept { return Tenant::fromStored(organizationId); }
};

/// What the guest was asked; the id where it is not asked any more.
std::string questionLabel(const BookingCase& subject, std::string_view questionId);

/// Told of what happens to bookings, in the transaction of the change: what it writes there exists exactly if the change does. It waits for
/// nothing else: what takes longer is a job. Thread-safe.
class BookingListener
{
public:
    virtual ~BookingListener() = default;
    /// `what`: `confirmed`, `requested`, `declined`, `cancelled`, `rescheduled`, `expired`, `no_show`; of a meeting that the chat service
    /// makes `meeting_ready` and `meeting_failed`.
    virtual void happened(Transaction& transaction, std::string_view what, const BookingCase& subject) const = 0;
};

} // namespace portico::calendar
