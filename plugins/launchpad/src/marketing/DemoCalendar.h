#pragma once

#include "portico/Plugin.h"
#include "portico/Request.h"
#include "portico/Schema.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::launchpad
{

/// Member `slot` of a demo request.
struct DemoSlot
{
    Instant start{};
    /// IANA name of the visitor's time zone.
    std::string timezone;
};

constexpr auto schemaOf(const DemoSlot*)
{
    return describe(field<&DemoSlot::start>().required(), field<&DemoSlot::timezone>().required().maxLength(64));
}

/// The visitor as the calendar's guest.
struct DemoGuest
{
    std::string name;
    std::string email;
    std::string company;
    std::string message;
};

/// A time that the calendar has reserved.
struct ReservedDemo
{
    std::string bookingId;
    std::string manageUrl;
    /// False while the host has to approve it.
    bool confirmed = true;
};

/// Reserves demos in the calendar of `launchpad.demo.host`, through the calendar's public routes. Thread-safe.
class DemoCalendar
{
public:
    explicit DemoCalendar(PluginContext& context);

    /// False without a configured host: requests are stored without a time.
    bool configured() const noexcept { return !_host.empty(); }
    /// Returns the free times of the next two weeks, at most 40; none while the calendar cannot be reached.
    std::vector<Instant> freeTimes(const Request& request) const;
    /// Holds and confirms a time. @throws Problem 409 `slot_taken`, 400 for a guest that the calendar rejects, 503 `calendar_unavailable`
    ReservedDemo reserve(const Request& request, const DemoSlot& slot, const DemoGuest& guest) const;

private:
    /// Path of the event type below the calendar's public routes: the configured one, or the host's first.
    std::string eventTypePath(const Request& request) const;

    PluginContext& _context;
    const std::string _host;
    const std::string _eventType;
};

} // namespace portico::launchpad
