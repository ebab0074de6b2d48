#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::social
{

using QueryFields = std::vector<std::pair<std::string, std::string>>;

/// Percent-encodes everything but the unreserved characters of RFC 3986.
std::string percentEncoded(std::string_view text);
/// Returns `a=1&b=2`, encoded; also for bodies of `application/x-www-form-urlencoded`.
std::string toQuery(const QueryFields& fields);
/// `https://example.org:8443` of a URL, the host in lower case; empty for a text that is no URL.
std::string originOf(std::string_view url);

} // namespace portico::social
