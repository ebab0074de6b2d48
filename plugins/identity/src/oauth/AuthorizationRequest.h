#pragma once

#include "clients/OAuthClient.h"
#include "common/Core.h"
#include "web/Urls.h"

#include <string>
#include <string_view>

namespace portico::identity
{

/// Why a request for a code is refused, for the developer of the client (RFC 6749, 4.1.2.1). Empty code: it is not.
struct RequestFault
{
    std::string error;
    /// Names the parameter. ASCII without quotes and backslashes.
    std::string description;

    static RequestFault invalid(std::string_view description) { return {"invalid_request", std::string(description)}; }
    /// Of an error that the gate or the sign-in gives.
    static RequestFault of(std::string_view error);
};

/// The scopes that a client is allowed and that have been asked for: what others ask is passed over (OpenID Connect Core, 3.1.2.1).
std::string allowedScope(const OAuthClient& client, std::string_view wanted);

/// Removes all but the first of each parameter that must not be sent several times (RFC 6749, 3.1); `resource` may be (RFC 8707, 2).
/// @return the first such name that the endpoint knows; empty: none
std::string dropRepetitions(UrlParameters& parameters);

/// What is wrong with a request for a code, but for how it came and where the answer goes.
RequestFault requestFault(Core& core, const OAuthClient& client, const UrlParameters& parameters);

} // namespace portico::identity
