#include "host/platform/outbound/Redirect.h"

#include "portico/Http.h"

#include <Poco/Exception.h>
#include <Poco/URI.h>

#include <algorithm>
#include <array>

namespace portico::host::platform
{

namespace
{

bool goesAlong(std::string_view header)
{
    constexpr std::array<std::string_view, 5> harmless = {"Accept", "Accept-Language", "Content-Type", "Content-Language", "User-Agent"};
    return std::any_of(harmless.begin(), harmless.end(), [&](std::string_view name) { return equalsIgnoreCase(name, header); });
}

bool describesBody(std::string_view header) { return header.size() > 8 && equalsIgnoreCase(header.substr(0, 8), "Content-"); }

bool becomesGet(int status, std::string_view method)
{
    if (status == 303) return method != "GET" && method != "HEAD";
    return (status == 301 || status == 302) && method == "POST";
}

Poco::URI resolved(const std::string& from, const std::string& location)
{
    try
    {
        Poco::URI uri(from);
        // POCO treats a place without a scheme as a path.
        uri.resolve(location.starts_with("//") ? uri.getScheme() + ":" + location : location);
        return uri;
    }
    catch (const Poco::Exception&)
    {
        throw HttpFailure(502, "upstream_failed", "The other server redirects to what is no URL.", HttpFailure::Sent::PerhapsSent);
    }
}

} // namespace

bool isRedirect(const HttpClient::Response& response) noexcept
{
    constexpr std::array<int, 5> statuses = {301, 302, 303, 307, 308};
    return std::find(statuses.begin(), statuses.end(), response.status) != statuses.end() && response.header("Location") != nullptr;
}

HttpHop redirected(const HttpHop& hop, const HttpClient::Response& response)
{
    const Poco::URI before(hop.url);
    auto next = resolved(hop.url, *response.header("Location"));
    next.setFragment("");
    if (before.getScheme() == "https" && next.getScheme() != "https")
        throw HttpFailure(502, "upstream_failed", "The other server redirects to a place without TLS.", HttpFailure::Sent::PerhapsSent);
    const bool sameOrigin =
        before.getScheme() == next.getScheme() && before.getHost() == next.getHost() && before.getPort() == next.getPort();
    HttpHop made{hop.method, next.toString(), {}, hop.withBody};
    if (becomesGet(response.status, hop.method))
    {
        made.method = "GET";
        made.withBody = false;
    }
    for (const auto& header : hop.headers)
        if ((sameOrigin || goesAlong(header.first)) && (made.withBody || !describesBody(header.first))) made.headers.push_back(header);
    return made;
}

} // namespace portico::host::platform
