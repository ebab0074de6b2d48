#pragma once

#include "portico/Export.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico
{

// Functions to build URLs. Thread-safe; throw only if out of memory.

/// Encodes all but the unreserved characters as `%XX` (RFC 3986, 2.3): for a value in a query or a form, and for a segment of a path.
PORTICO_API std::string encodeUrl(std::string_view text);

using UrlParameters = std::vector<std::pair<std::string, std::string>>;
/// Returns `a=1&b=2`.
PORTICO_API std::string toQuery(const UrlParameters& parameters);
/// Adds parameters to the query of an address; without parameters returns it unchanged. The address has no fragment.
PORTICO_API std::string withQuery(std::string_view url, const UrlParameters& parameters);

/// Returns `https://app.example:8443` of an http or https URL, and `com.example.app:` of one with another scheme, as a
/// Content-Security-Policy names them. Empty for other text.
PORTICO_API std::string originOf(std::string_view url);

} // namespace portico
