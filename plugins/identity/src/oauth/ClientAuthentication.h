#pragma once

#include "common/Core.h"
#include "oauth/OAuthClient.h"
#include "web/Urls.h"

#include "portico/Request.h"

#include <string_view>

namespace portico::identity
{

/// Which client sends a request to an endpoint of /oauth, proved as it is registered (RFC 6749, 2.3; RFC 7523): by its secret in the header
/// or the form, by an assertion under its key, or for public ones not at all. Thread-safe.
class ClientAuthentication
{
public:
    explicit ClientAuthentication(Core& core) : _core(core) {}

    /// @throws OAuthError 401 `invalid_client`, 400 `invalid_request` for more than one proof
    OAuthClient require(const Request& request, const UrlParameters& form) const;

private:
    bool proves(const OAuthClient& client, std::string_view assertion) const;

    Core& _core;
};

} // namespace portico::identity
