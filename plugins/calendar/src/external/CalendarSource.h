#pragma once

#include "icalendar/BusyReader.h"
#include "icalendar/Writer.h"
#include "records/CalendarFault.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::calendar
{

/// Maximum wait, regardless of the server's Retry-After.
inline constexpr std::chrono::seconds longestPatience{86'400};

/// Failure of an external calendar, as a sentence for its owner that names the step.
class CalendarFailure final : public std::runtime_error
{
public:
    enum class Kind
    {
        /// The credentials were refused: user name and password, or the consent at a provider.
        Refused,
        /// The server did not answer, or its answer is not that of a calendar server.
        Unreachable
    };
    CalendarFailure(Kind kind, CalendarFault fault, const std::string& message, std::chrono::seconds retryAfter = {})
        : std::runtime_error(message), _kind(kind), _fault(std::move(fault)), _retryAfter(retryAfter)
    {
    }
    Kind kind() const noexcept { return _kind; }
    const CalendarFault& fault() const noexcept { return _fault; }
    /// How long it wants to be left alone; zero if it does not say.
    std::chrono::seconds retryAfter() const noexcept { return _retryAfter; }
    /// True if the server says that there is no such calendar.
    bool isGone() const noexcept { return _fault.detail == "404" || _fault.detail == "410" || _fault.detail == "notFound"; }

private:
    Kind _kind;
    CalendarFault _fault;
    std::chrono::seconds _retryAfter;
};

/// Calendar of an account.
struct RemoteCalendar
{
    std::string name;
    /// URL of the calendar, or its id if the provider has no URLs.
    std::string url;
};

/// Calendars of an account to read and to write, named by the `url` of `RemoteCalendar`.
struct CalendarChoice
{
    std::vector<std::string> collections;
    /// Calendar that bookings are written to; may be empty.
    std::string writeTarget;
    /// Events that were written for bookings, by their `href`.
    std::vector<std::string> written;

    /// Returns true if bookings are or were written to the calendar. Its events are then read one by one, because the times alone do not
    /// say which of them are bookings. @param events beginning of the `href` of its events
    bool holdsBookings(std::string_view calendar, std::string_view events) const
    {
        return calendar == writeTarget || std::ranges::any_of(written, [&](const std::string& href) { return href.starts_with(events); });
    }
};

/// Event that was written to an external calendar.
struct RemoteEvent
{
    std::string href;
    std::string etag;
};

/// Marker of an earlier answer of a source.
struct BusyMarker
{
    /// Changes when the calendar changes. Its format belongs to the source. Empty: nothing is known.
    std::string text;
};

/// Busy times, or no value if nothing has changed since the marker.
struct BusyAnswer
{
    BusyMarker marker;
    std::optional<icalendar::BusyCalendar> busy;
};

/// Account with calendars at another provider. Every call blocks on the network, up to the timeout of the source: never call it in a
/// transaction. For one thread.
/// @throws CalendarFailure from every function
class CalendarSource
{
public:
    virtual ~CalendarSource() = default;
    /// Checks the credentials, and lists the account's calendars.
    virtual std::vector<RemoteCalendar> discover() = 0;
    virtual BusyAnswer busy(const icalendar::BusyOptions& options, const BusyMarker& known) = 0;
    /// Writes an event: a new one, or over its earlier version. Changes made by other clients are overwritten. Without a calendar to write
    /// to, a known event that no longer exists is left out.
    virtual RemoteEvent put(const icalendar::Invitation& event, const std::optional<RemoteEvent>& known) = 0;
    /// Deletes an event. Succeeds if it no longer exists.
    virtual void remove(const RemoteEvent& event) = 0;
};

} // namespace portico::calendar
