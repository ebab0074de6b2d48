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

/// A path of our own origin, as a page may lead to: begins with one slash, and no browser takes it for another host.
bool isLocalPath(std::string_view text) noexcept;

} // namespace portico::identity
