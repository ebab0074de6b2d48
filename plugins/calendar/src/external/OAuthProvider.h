#pragma once

#include "records/ExternalCalendar.h"
#include "service/Urls.h"

#include "portico/Config.h"

#include <string>
#include <vector>

namespace portico::calendar
{

/// OAuth 2 calendar provider as the operator has configured it (`calendar.google.*`, `calendar.microsoft.*`).
struct OAuthProvider
{
    /// Product name, such as "Google".
    std::string name;
    std::string clientId;
    std::string clientSecret;
    std::string authorizeUrl;
    std::string tokenUrl;
    std::string apiUrl;
    /// Scopes and further parameters of `authorizeUrl`.
    Fields consent;

    bool isSetUp() const noexcept { return !clientId.empty() && !clientSecret.empty(); }
};

/// Returns true if access is granted by OAuth 2, false if by a password or a secret address.
constexpr bool isOfProvider(CalendarKind kind) noexcept { return kind == CalendarKind::Google || kind == CalendarKind::Microsoft; }
/// Returns true until the user has given consent at the provider.
inline bool isClosed(const ExternalCalendar& calendar) { return isOfProvider(calendar.kind) && calendar.password.empty(); }

/// @param kind must be one of a provider
OAuthProvider providerOf(const Config& config, CalendarKind kind);

/// Returns the kinds that the operator's configuration allows to connect.
std::vector<CalendarKind> connectableKinds(const Config& config);

} // namespace portico::calendar
