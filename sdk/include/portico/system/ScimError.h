#pragma once

#include "portico/Problem.h"

#include <string>
#include <string_view>

namespace portico
{

/// The media type of SCIM (RFC 7644, 3.1). A route that names it in `RouteOptions::produces` has problems of its form, also those that the
/// host finds.
inline constexpr std::string_view scimMediaType = "application/scim+json";

/// A problem as SCIM's error document (RFC 7644, 3.12), with `scimType` where the code is one of its keywords: `invalidFilter`,
/// `uniqueness`, … Thread-safe.
PORTICO_API std::string scimError(const Problem& problem);

/// True if the operation object of a route declares SCIM errors. Thread-safe.
PORTICO_API bool answersScim(std::string_view operation) noexcept;

} // namespace portico
