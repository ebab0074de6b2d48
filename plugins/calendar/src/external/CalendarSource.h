#pragma once

#include "icalendar/BusyReader.h"
#include "icalendar/Writer.h"
#include "records/CalendarFault.h"

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace portico::calendar
{

/// No server keeps us away for longer, whatever its Retry-After says.
inline constexpr std::chrono::seconds longestPatience{86'400};

/// Why a calendar elsewhere did not do what it was asked for, in a sentence for its owner that names the step.
class CalendarFailure final : public std::runtime_error
{
public:
    enum class Kind
    {
        /// What opens it was refused: user name and password, or the consent of a provider.
        Refused,
        /// It did not answer, or not as a calendar does.
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

private:
    Kind _kind;
    CalendarFault _fault;
    std::chrono::seconds _retryAfter;
};

/// One of the calendars of an account.
struct RemoteCalendar
{
    std::string name;
    /// What it is chosen by: a provider's id where it has no URL.
    std::string url;
};

/// What of an account is read and written, by what `RemoteCalendar` calls URL.
struct CalendarChoice
{
    std::vector<std::string> collections;
    /// The one that bookings are written to; may be empty.
    std::string writeTarget;
};

/// An event that was written elsewhere.
struct RemoteEvent
{
    std::string href;
    std::string etag;
};

/// What a source was asked before.
struct BusyMarker
{
    /// Changes when something in the calendar does; the source's own business. Empty: nothing is known.
    std::string text;
};

/// When somebody is busy, or that it has not changed since the marker.
struct BusyAnswer
{
    BusyMarker marker;
    std::optional<icalendar::BusyCalendar> busy;
};

/// Somebody's calendar elsewhere. Every call goes to the network and blocks, for as long as the source was made with at most, so never in a
/// transaction. For one thread. @throws CalendarFailure from every function
class CalendarSource
{
public:
    virtual ~CalendarSource() = default;
    /// Whether it can be reached with what it was given, and what it has.
    virtual std::vector<RemoteCalendar> discover() = 0;
    virtual BusyAnswer busy(const icalendar::BusyOptions& options, const BusyMarker& known) = 0;
    /// Writes an event, a new one or in place of what it was; what others have changed in it meanwhile is overwritten.
    virtual RemoteEvent put(const icalendar::Invitation& event, const std::optional<RemoteEvent>& known) = 0;
    /// Deletes an event; fine when it is gone already.
    virtual void remove(const RemoteEvent& event) = 0;
};

} // namespace portico::calendar
