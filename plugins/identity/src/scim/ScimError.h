#pragma once

#include "portico/Problem.h"

#include <string>
#include <string_view>

namespace portico::identity::scim
{

/// The media type of SCIM (RFC 7644, 3.1).
inline constexpr std::string_view scimMediaType = "application/scim+json";

/// A problem as SCIM's error document (RFC 7644, 3.12), with `scimType` where the code is one of its keywords: `invalidFilter`,
/// `uniqueness`, … Thread-safe.
std::string scimError(const Problem& problem);

} // namespace portico::identity::scim
