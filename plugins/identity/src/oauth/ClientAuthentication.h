#pragma once

#include "clients/OAuthClient.h"
#include "common/Core.h"
#include "tokens/JsonWebKey.h"
#include "web/Urls.h"

#include "portico/RateLimit.h"
#include "portico/Request.h"

#include <string_view>

namespace portico::identity
{

/// Which client sends a request to an endpoint of /oauth, proved as it is registered (RFC 6749, 2.3; RFC 7523): by its secret in the header
/// or the form, by an assertion under its key, or for public ones not at all. Failures are counted by network. Thread-safe.
class ClientAuthentication
{
public:
    explicit ClientAuthentication(Core& core);

    /// @throws OAuthError 401 `invalid_client`, 400 `invalid_request` for more than one proof
    /// @throws Problem 429 `rate_limited` while the caller's network has failed too often
    OAuthClient require(const Request& request, const UrlParameters& form) const;

private:
    OAuthClient requireProven(const Request& request, const UrlParameters& form) const;
    bool proves(const OAuthClient& client, const ForeignJws& assertion) const;

    Core& _core;
    RateLimit _failures;
};

} // namespace portico::identity
