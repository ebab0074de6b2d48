#pragma once

#include "common/HumanChecks.h"
#include "marketing/DemoCalendar.h"
#include "marketing/Lead.h"

#include "portico/RateLimit.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::launchpad
{

/// Body of `POST /api/public/waitlist`.
struct WaitlistInput
{
    std::string email;
    std::string name;
    std::string company;
    std::string interest;
    std::string source;
    bool consent = false;
    std::optional<HumanProof> humanVerification;
};

constexpr auto schemaOf(const WaitlistInput*)
{
    return describe(field<&WaitlistInput::email>().required().trimmed().email(), field<&WaitlistInput::name>().trimmed().maxLength(120),
                    field<&WaitlistInput::company>().trimmed().maxLength(120), field<&WaitlistInput::interest>().trimmed().maxLength(500),
                    field<&WaitlistInput::source>().trimmed().maxLength(120),
                    field<&WaitlistInput::consent>().required().description("Must be true: the visitor agrees to receive emails"),
                    field<&WaitlistInput::humanVerification>());
}

inline bool isEnterprise(std::string_view text) { return text.empty() || text == "enterprise"; }

/// Body of `POST /api/public/demo-bookings`.
struct DemoInput
{
    std::string name;
    std::string email;
    std::string company;
    std::optional<std::int64_t> teamSize;
    std::string message;
    std::optional<DemoSlot> slot;
    /// `enterprise`: a request to sales.
    std::string package;
    std::optional<HumanProof> humanVerification;
};

constexpr auto schemaOf(const DemoInput*)
{
    return describe(
        field<&DemoInput::name>().required().trimmed().maxLength(120), field<&DemoInput::email>().required().trimmed().email(),
        field<&DemoInput::company>().required().trimmed().maxLength(120), field<&DemoInput::teamSize>().range(1, 1'000'000),
        field<&DemoInput::message>().trimmed().maxLength(1000), field<&DemoInput::slot>().description("A free time of the demo calendar"),
        field<&DemoInput::package>().matches(isEnterprise, "unknown_package", "enterprise"), field<&DemoInput::humanVerification>());
}

/// Stores what visitors leave: waitlist entries, demos and requests to sales. Thread-safe.
class Leads
{
public:
    Leads(PluginContext& context, const HumanChecks& humans, const DemoCalendar& calendar);

    /// Adds an address to the waitlist; nothing changes for an address that is on it.
    /// @throws Problem 400 `validation_failed` without consent, 429 `rate_limited`, problems of HumanChecks
    void join(const Request& request, const WaitlistInput& input) const;
    /// Stores a request. With a slot, reserves the time in the calendar before.
    /// @throws Problem 400 for a slot without a demo calendar, 409 `slot_taken`, 429 `rate_limited`, 503 `calendar_unavailable`, problems
    /// of HumanChecks
    DemoBooking requestDemo(const Request& request, const DemoInput& input) const;

private:
    PluginContext& _context;
    const HumanChecks& _humans;
    const DemoCalendar& _calendar;
    const RateLimit _waitlistPerAddress;
    const RateLimit _demosPerAddress;
};

} // namespace portico::launchpad
