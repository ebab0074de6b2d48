#pragma once

#include "portico/Problem.h"
#include "portico/Request.h"
#include "portico/Schema.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

inline constexpr std::string_view identityServiceId = "identity";

/// Returns the service that a request about a sign-in concerns: behind a gateway the origin's service; on identity's origin the one in
/// X-Service-ID, else identity.
/// @throws Problem 400 `service_mismatch` if a gateway's request names another service
std::string requestedService(const Request& request);

/// Returns true on identity's origin, false behind the gateway of another service.
bool isOwnOrigin(const Request& request) noexcept;

/// Returns the caller's permissions in the service of the request. On a console's origin, they also have identity's permissions.
std::vector<std::string> permissionsThere(const Caller& caller);

/// The client of a request, as it is stored.
struct Client
{
    std::string address;
    /// Browser and system by which users recognize their sign-in, such as `Firefox on Linux`.
    std::string userAgent;
    /// Value of the Origin header, or empty.
    std::string origin;
    /// The operator who impersonates the caller, if any.
    std::string impersonatorId = {};

    static Client of(const Request& request);
};

constexpr auto schemaOf(const Client*)
{
    return describe(members<&Client::address, &Client::userAgent, &Client::origin, &Client::impersonatorId>());
}

/// Returns browser and system of a User-Agent header. If they are unknown, returns the start of the header as clean text.
std::string describeUserAgent(std::string_view header);

/// Returns 401 `invalid_token` with the reason in `details`.
Problem invalidToken(std::string_view reason);

} // namespace portico::identity
