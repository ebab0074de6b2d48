#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::identity
{

/// Percent-encoding of all but the unreserved characters (RFC 3986, 2.3): good in a query and in a form.
std::string encodeUrl(std::string_view text);

using UrlParameters = std::vector<std::pair<std::string, std::string>>;
/// `a=1&b=2`
std::string toQuery(const UrlParameters& parameters);
/// The URL with further parameters in its query; what it has stays.
std::string withQuery(std::string_view url, const UrlParameters& parameters);

/// `https://app.example:8443` of a URL, or `com.example.app:` of one with a scheme of its own: what a Content-Security-Policy names. Empty
/// for what is neither.
std::string originOf(std::string_view url);

} // namespace portico::identity
