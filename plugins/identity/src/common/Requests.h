#pragma once

#include "portico/Request.h"

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

} // namespace portico::identity
