#pragma once

#include "Ids.h"

#include "portico/Table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::calendar
{

enum class BusyPolicy
{
    Lenient,
    Strict
};

constexpr auto schemaOf(const BusyPolicy*)
{
    return portico::choices<BusyPolicy>({{"lenient", BusyPolicy::Lenient}, {"strict", BusyPolicy::Strict}});
}

enum class HostStatus
{
    Active,
    Paused
};

constexpr auto schemaOf(const HostStatus*)
{
    return portico::choices<HostStatus>({{"active", HostStatus::Active}, {"paused", HostStatus::Paused}});
}

/// Returns true for a single line of text without control characters, because mails and invitations contain it in their lines.
bool isName(std::string_view text);

/// Validates a name of a person or thing.
template <class F>
constexpr F named(F field)
{
    return field.matches(isName, "invalid_name", "one line of text without control characters");
}

/// Letters, digits and hyphens as a language tag has them (RFC 5646); empty: not known.
bool isLocale(std::string_view text);

/// True for `#rrggbb`.
bool isColor(std::string_view text);

/// How a host's pages look.
struct Branding
{
    std::string accentColor;
    std::string logoUrl;
    bool operator==(const Branding&) const = default;
};

constexpr auto schemaOf(const Branding*)
{
    return describe(field<&Branding::accentColor>().matches(isColor, "invalid_color", "a colour such as #1a2b3c"),
                    field<&Branding::logoUrl>().uri().maxLength(2000));
}

/// An address that still leads to a host.
struct PreviousHandle
{
    std::string handle;
    Instant until{};
};

constexpr auto schemaOf(const PreviousHandle*) { return describe(members<&PreviousHandle::handle, &PreviousHandle::until>()); }

/// 3 to 40 of a-z, 0-9 and hyphens, none at either end, and not a name that the service needs itself.
bool isHandle(std::string_view text);

/// A member of an organization who can be booked.
struct Host : Versioned
{
    HostId hostId;
    std::string handle;
    std::string userId;
    std::string organizationId;
    std::string displayName;
    std::string headline;
    std::string bio;
    std::string avatarUrl;
    /// IANA name.
    std::string timeZone;
    /// Language of their pages and mails where the guest's is not known.
    std::string locale = "en";
    /// The first day of a week in lists and pictures, 1 Monday to 7 Sunday.
    int weekStart = 1;
    ScheduleId defaultScheduleId;
    Branding branding;
    /// True if search engines may list the pages.
    bool indexable = false;
    /// True if guests must solve a sum before they book.
    bool humanVerification = false;
    BusyPolicy externalBusyPolicy = BusyPolicy::Lenient;
    int holdSeconds = 300;
    std::optional<int> dailyLimit;
    HostStatus status = HostStatus::Active;
    /// Handles of the last 180 days; set in answers only.
    std::vector<PreviousHandle> previousHandles;
};

constexpr auto schemaOf(const Host*)
{
    return describe(
        field<&Host::hostId>().column("id").readOnly(),
        field<&Host::handle>().required().matches(isHandle, "invalid_handle", "3 to 40 of a-z, 0-9 and -, with no - at an end"),
        field<&Host::userId>().readOnly(), field<&Host::organizationId>().readOnly().transient(),
        named(field<&Host::displayName>()).required().trimmed().maxLength(120), field<&Host::headline>().trimmed().maxLength(200),
        field<&Host::bio>().maxLength(2000), field<&Host::avatarUrl>().uri().maxLength(2000),
        field<&Host::timeZone>().required().maxLength(64).description("IANA name"),
        field<&Host::locale>().maxLength(35).matches(isLocale, "invalid_locale", "a language tag such as en or de-AT"),
        field<&Host::weekStart>().range(1, 7).description("1 (Monday) to 7 (Sunday)"),
        members<&Host::defaultScheduleId, &Host::branding, &Host::indexable, &Host::humanVerification, &Host::externalBusyPolicy>(),
        field<&Host::holdSeconds>().range(60, 900), field<&Host::dailyLimit>().range(1, 100), field<&Host::status>(),
        field<&Host::previousHandles>().readOnly().transient(), versioned<Host>());
}

inline constexpr Table hostTable{"host", &Host::hostId};

} // namespace portico::calendar
