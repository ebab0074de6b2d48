#pragma once

#include "records/ExternalCalendar.h"
#include "service/Urls.h"

#include "portico/Config.h"

#include <string>
#include <vector>

namespace portico::calendar
{

/// A provider of calendars that people let us into by OAuth 2, as the operator has set it up (`calendar.google.*`, `calendar.microsoft.*`).
struct OAuthProvider
{
    /// As people know it: "Google".
    std::string name;
    std::string clientId;
    std::string clientSecret;
    std::string authorizeUrl;
    std::string tokenUrl;
    std::string apiUrl;
    /// What people are asked for, and how: further parameters of `authorizeUrl`.
    Fields consent;

    bool isSetUp() const noexcept { return !clientId.empty() && !clientSecret.empty(); }
};

/// Whether people let us in by OAuth 2, rather than by a password or an address.
constexpr bool isOfProvider(CalendarKind kind) noexcept { return kind == CalendarKind::Google || kind == CalendarKind::Microsoft; }

/// Of a kind that is one of a provider.
OAuthProvider providerOf(const Config& config, CalendarKind kind);

/// Which kinds can be connected with what the operator has set up.
std::vector<CalendarKind> connectableKinds(const Config& config);

} // namespace portico::calendar
