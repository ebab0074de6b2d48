#pragma once

#include "clients/OAuthClient.h"
#include "common/Core.h"
#include "jose/Jws.h"
#include "web/Urls.h"

#include "portico/RateLimit.h"
#include "portico/Request.h"

#include <string_view>

namespace portico::identity
{

/// Description of a route that calls `ClientAuthentication::require`, for the API document.
inline constexpr std::string_view needsClientAuthentication =
    "Needs client authentication (RFC 6749, 2.3). A public client sends only its client_id.";

/// Authenticates the client of a request to /oauth by its registered method (RFC 6749, 2.3; RFC 7523): secret in the header or the form,
/// assertion by its key, or none for public clients. Counts failures by network. Thread-safe.
class ClientAuthentication
{
public:
    explicit ClientAuthentication(Core& core);

    /// @throws OAuthError 401 `invalid_client`, 400 `invalid_request` for more than one proof
    /// @throws Problem 429 `rate_limited` while the caller's network has failed too often
    OAuthClient require(const Request& request, const UrlParameters& form) const;

private:
    OAuthClient requireProven(const Request& request, const UrlParameters& form) const;
    bool proves(const OAuthClient& client, const Jws& assertion) const;

    Core& _core;
    RateLimit _failures;
};

} // namespace portico::identity
