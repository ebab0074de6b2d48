#include "host/platform/outbound/HttpTarget.h"

#include "host/base/Text.h"

#include "portico/Http.h"
#include "portico/HttpClient.h"

#include <Poco/Exception.h>
#include <Poco/URI.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace portico::host::platform
{

namespace
{

constexpr std::array<std::string_view, 7> ownHeaders = {"Host",    "Content-Length", "Transfer-Encoding",  "Connection",
                                                        "Upgrade", "Expect",         "Proxy-Authorization"};

[[noreturn]] void refuseUrl(std::string_view detail) { throw HttpFailure(400, "address_not_allowed", detail, HttpFailure::Sent::NotSent); }

bool isSendableToken(std::string_view text) noexcept { return !text.empty() && hasOnly(text, "!#$%&'*+-.^_`|~"); }

bool isSendableValue(std::string_view text) noexcept
{
    return std::none_of(text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

} // namespace

HttpTarget::HttpTarget(const std::string& url)
{
    Poco::URI uri;
    try
    {
        uri = Poco::URI(url);
    }
    catch (const Poco::Exception&)
    {
        refuseUrl("The URL cannot be read.");
    }
    secure = uri.getScheme() == "https";
    if (!secure && uri.getScheme() != "http") refuseUrl("Only http and https are allowed.");
    if (!uri.getUserInfo().empty()) refuseUrl("A URL with credentials is not allowed.");
    host = uri.getHost();
    port = uri.getPort();
    if (host.empty() || port == 0) refuseUrl("The URL names no host.");
    uri.setFragment("");
    pathAndQuery = uri.getPathEtc();
    if (!pathAndQuery.starts_with('/')) pathAndQuery.insert(0, 1, '/');
}

std::string HttpTarget::authority() const
{
    const auto name = host.find(':') == std::string::npos ? host : "[" + host + "]";
    return port == (secure ? 443 : 80) ? name : name + ":" + std::to_string(port);
}

void requireSendable(std::string_view method, const std::vector<std::pair<std::string, std::string>>& headers)
{
    if (!isSendableToken(method)) throw std::invalid_argument("outbound HTTP: a method that cannot be sent");
    for (const auto& [name, value] : headers)
    {
        const bool own =
            std::ranges::any_of(ownHeaders, [&name = name](std::string_view header) { return equalsIgnoreCase(header, name); });
        if (own) throw std::invalid_argument("outbound HTTP: the header " + name + " is set by the host");
        if (!isSendableToken(name) || !isSendableValue(value)) throw std::invalid_argument("outbound HTTP: a header that cannot be sent");
    }
}

} // namespace portico::host::platform
