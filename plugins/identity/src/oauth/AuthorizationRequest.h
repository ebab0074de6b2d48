#pragma once

#include "clients/OAuthClient.h"
#include "common/Core.h"
#include "web/Urls.h"

#include <string>
#include <string_view>

namespace portico::identity
{

/// Reason for refusing an authorization request, for the client's developer (RFC 6749, 4.1.2.1). Empty code: not refused.
struct RequestFault
{
    std::string error;
    /// Names the parameter. ASCII without quotes and backslashes.
    std::string description;

    static RequestFault invalid(std::string_view description) { return {"invalid_request", std::string(description)}; }
    /// Describes an error of the gate or of the sign-in.
    static RequestFault of(std::string_view error);
};

/// Returns the requested scopes that the client may have; others are ignored (OpenID Connect Core, 3.1.2.1).
std::string allowedScope(const OAuthClient& client, std::string_view wanted);

/// Removes all but the first of each parameter that must not be repeated (RFC 6749, 3.1). `resource` may be (RFC 8707, 2).
/// @return the first repeated name that the endpoint knows; empty: none
std::string dropRepetitions(UrlParameters& parameters);

/// Checks an authorization request, except its origin and its redirect address.
RequestFault requestFault(Core& core, const OAuthClient& client, const UrlParameters& parameters);

} // namespace portico::identity
