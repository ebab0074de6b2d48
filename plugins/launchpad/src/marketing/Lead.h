#pragma once

#include "common/Ids.h"
#include "plans/Package.h"

#include "portico/Schema.h"
#include "portico/Table.h"

#include <cstdint>
#include <optional>
#include <string>

namespace portico::launchpad
{

using WaitlistId = Id<"wtl">;
using DemoId = Id<"dmo">;

/// Owner of all rows about visitors: they belong to the installation and to no organization.
inline const Tenant installation = Tenant::fromStored("installation");

enum class WaitlistStatus : std::uint8_t
{
    Waiting,
    Invited,
    Joined,
    Removed
};

constexpr auto schemaOf(const WaitlistStatus*)
{
    using enum WaitlistStatus;
    return portico::choices<WaitlistStatus>({{"waiting", Waiting}, {"invited", Invited}, {"joined", Joined}, {"removed", Removed}});
}

enum class DemoStatus : std::uint8_t
{
    Requested,
    Confirmed,
    Done,
    Canceled
};

constexpr auto schemaOf(const DemoStatus*)
{
    using enum DemoStatus;
    return portico::choices<DemoStatus>({{"requested", Requested}, {"confirmed", Confirmed}, {"done", Done}, {"canceled", Canceled}});
}

// Which status an operator may set after which.
constexpr bool follows(WaitlistStatus after, WaitlistStatus before)
{
    using enum WaitlistStatus;
    return (before == Waiting && after != Joined) || (before == Invited && after != Waiting);
}
constexpr bool follows(DemoStatus after, DemoStatus before)
{
    using enum DemoStatus;
    return (before == Requested || before == Confirmed) && after != Requested;
}

/// A visitor who waits to be invited. One row for each e-mail address.
struct WaitlistEntry : Versioned
{
    WaitlistId id;
    std::string email;
    /// The address in the form that is compared.
    std::string emailKey;
    std::string name;
    std::string company;
    std::string interest;
    std::string source;
    std::string locale;
    WaitlistStatus status = WaitlistStatus::Waiting;
};

constexpr auto schemaOf(const WaitlistEntry*)
{
    return describe(members<&WaitlistEntry::id, &WaitlistEntry::email>(), field<&WaitlistEntry::emailKey>().columnOnly(),
                    members<&WaitlistEntry::name, &WaitlistEntry::company, &WaitlistEntry::interest, &WaitlistEntry::source,
                            &WaitlistEntry::locale, &WaitlistEntry::status>(),
                    versioned<WaitlistEntry>());
}

inline constexpr Table waitlistTable{"waitlist_entry", &WaitlistEntry::id};

/// A request for a demo, with a time if one was reserved, or a request to sales.
struct DemoBooking : Versioned
{
    DemoId id;
    std::string name;
    std::string email;
    std::string company;
    std::optional<std::int64_t> teamSize;
    std::string message;
    /// `enterprise` for a request to sales; empty for a demo.
    std::optional<Package> package;
    DemoStatus status = DemoStatus::Requested;
    std::optional<Instant> slotStart;
    std::string slotTimezone;
    /// ID in the calendar; empty without a reserved time.
    std::string calendarBookingId;
    /// The calendar's page to move or cancel the time. It contains a secret.
    std::string manageUrl;
    std::string locale;
};

constexpr auto schemaOf(const DemoBooking*)
{
    return describe(members<&DemoBooking::id, &DemoBooking::name, &DemoBooking::email, &DemoBooking::company, &DemoBooking::teamSize,
                            &DemoBooking::message, &DemoBooking::package, &DemoBooking::status, &DemoBooking::slotStart,
                            &DemoBooking::slotTimezone, &DemoBooking::calendarBookingId>(),
                    field<&DemoBooking::manageUrl>().columnOnly(), field<&DemoBooking::locale>(), versioned<DemoBooking>());
}

inline constexpr Table demoTable{"demo_booking", &DemoBooking::id};

} // namespace portico::launchpad
