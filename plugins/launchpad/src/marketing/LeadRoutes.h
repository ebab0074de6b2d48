#pragma once

#include "marketing/Leads.h"

#include "portico/Routes.h"

#include <string>

namespace portico::launchpad
{

struct WaitlistAnswer
{
    std::string status = "joined";
};

constexpr auto schemaOf(const WaitlistAnswer*) { return describe(members<&WaitlistAnswer::status>()); }

struct DemoAnswer
{
    DemoId bookingId;
    DemoStatus status = DemoStatus::Requested;
    /// Empty without a reserved time.
    std::string manageUrl;
};

constexpr auto schemaOf(const DemoAnswer*)
{
    return describe(members<&DemoAnswer::bookingId, &DemoAnswer::status>(),
                    field<&DemoAnswer::manageUrl>().description("Page to reschedule or cancel the booking; empty without a booked time"));
}

struct DemoTimes
{
    std::vector<Instant> times;
};

constexpr auto schemaOf(const DemoTimes*) { return describe(members<&DemoTimes::times>()); }

/// `/api/public/waitlist` and `/api/public/demo-bookings`. Thread-safe.
class LeadRoutes
{
public:
    LeadRoutes(const Leads& leads, const DemoCalendar& calendar) : _leads(leads), _calendar(calendar) {}
    void declare(Routes& routes);

    Reply<WaitlistAnswer> join(const Request& request, const Body<WaitlistInput>& input) const;
    Created<DemoAnswer> requestDemo(const Request& request, const Body<DemoInput>& input) const;
    DemoTimes times(const Request& request) const;

private:
    const Leads& _leads;
    const DemoCalendar& _calendar;
};

} // namespace portico::launchpad
