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

/// The service that a request about a sign-in is meant for: the origin's service behind a gateway, on identity's own origin what
/// X-Service-ID names, else identity. @throws Problem 400 `service_mismatch` when a gateway's request names another service.
std::string requestedService(const Request& request);

/// True on identity's own origin, false behind the gateway of another service.
bool isOwnOrigin(const Request& request) noexcept;

/// What a caller may do in the service that they work in; on a console's origin they hold identity's permissions beside those.
std::vector<std::string> permissionsThere(const Caller& caller);

/// Who is at the other end of a request, as far as it is kept.
struct Client
{
    std::string address;
    /// `Firefox on Linux`: what people recognise their sign-in by.
    std::string userAgent;
    /// Value of the Origin header, or empty.
    std::string origin;
    /// The operator who acts as the caller; empty: it is the caller.
    std::string impersonatorId = {};

    static Client of(const Request& request);
};

constexpr auto schemaOf(const Client*)
{
    return describe(members<&Client::address, &Client::userAgent, &Client::origin, &Client::impersonatorId>());
}

/// Browser and system of a User-Agent header in two words; the start of the header, as clean text, when they are not known.
std::string describeUserAgent(std::string_view header);

/// 401 `invalid_token` with the reason in `details`.
Problem invalidToken(std::string_view reason);

} // namespace portico::identity
