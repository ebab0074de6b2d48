#pragma once

#include "portico/HttpClient.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace portico::host::platform
{

/// One request of an exchange: the caller's, or what a redirect made of it.
struct HttpHop
{
    std::string method;
    std::string url;
    std::vector<std::pair<std::string, std::string>> headers;
    bool withBody = true;
};

/// True for an answer that names another place (RFC 9110, 15.4): 301, 302, 303, 307 and 308 with a Location.
bool isRedirect(const HttpClient::Response& response) noexcept;

/// Where a redirect leads, as `HttpClient::Request::maxRedirects` says. @throws HttpFailure for no place, or for http after https
HttpHop redirected(const HttpHop& hop, const HttpClient::Response& response);

} // namespace portico::host::platform
