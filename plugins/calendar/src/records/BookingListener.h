#pragma once

#include "records/Booking.h"
#include "records/Host.h"

#include "portico/Database.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::calendar
{

/// A booking with its host and event type.
struct BookingContext
{
    std::string organizationId;
    Host host;
    /// Empty if the event type was deleted since.
    std::optional<EventType> type;
    Booking booking;
    /// True if bookings are written to an external calendar of the host; empty if the transaction has not read it.
    std::optional<bool> writesElsewhere = {};
    /// E-mail address of the host's account, for listeners. Empty text: none. nullopt: not read.
    std::optional<std::string> hostEmail = {};

    Tenant tenant() const noexcept { return Tenant::fromStored(organizationId); }
};

/// Returns the label of a question; its id if the event type no longer has it.
std::string questionLabel(const BookingContext& subject, std::string_view questionId);

/// Receives changes of bookings in their transaction. What it writes there is committed or rolled back with the change. It must not block:
/// longer work is a job. Thread-safe.
class BookingListener
{
public:
    virtual ~BookingListener() = default;
    /// @param what `confirmed`, `requested`, `declined`, `cancelled`, `rescheduled`, `expired` or `no_show`; for meetings of the chat
    /// service `meeting_ready` or `meeting_failed`
    virtual void happened(Transaction& transaction, std::string_view what, const BookingContext& subject) const = 0;
};

} // namespace portico::calendar
