#include "common/Requests.h"

#include "portico/Arguments.h"
#include "portico/Json.h"
#include "portico/Text.h"

#include <array>
#include <utility>

namespace portico::identity
{

bool isOwnOrigin(const Request& request) noexcept { return request.originService.empty() || request.originService == identityServiceId; }

std::string requestedService(const Request& request)
{
    const auto named = request.header("X-Service-ID");
    if (isOwnOrigin(request)) return std::string(named.empty() ? identityServiceId : named);
    if (!named.empty() && named != request.originService)
        throw Problem::badRequest("service_mismatch", "This origin signs in to its own service only.");
    return std::string(request.originService);
}

std::vector<std::string> permissionsThere(const Caller& caller)
{
    auto permissions = caller.permissions;
    std::erase_if(permissions,
                  [prefix = caller.serviceId + '.'](const std::string& permission) { return !permission.starts_with(prefix); });
    return permissions;
}

namespace
{
using Mark = std::pair<std::string_view, std::string_view>;

// The order matters: most browsers also name those that they want to be taken for.
constexpr std::array<Mark, 6> browsers = {
    {{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"}}};
constexpr std::array<Mark, 6> systems = {
    {{"Android", "Android"}, {"iPhone", "iOS"}, {"iPad", "iPadOS"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"Linux", "Linux"}}};

template <std::size_t N>
std::string_view recognise(const std::array<Mark, N>& marks, std::string_view header)
{
    for (const auto& [mark, name] : marks)
        if (header.find(mark) != std::string_view::npos) return name;
    return {};
}
} // namespace

std::string describeUserAgent(std::string_view header)
{
    constexpr std::size_t longest = 60;
    const auto browser = recognise(browsers, header);
    const auto system = recognise(systems, header);
    if (browser.empty()) return cleanText(header, longest);
    return system.empty() ? std::string(browser) : std::string(browser) + " on " + std::string(system);
}

Client Client::of(const Request& request)
{
    return {std::string(request.clientAddress), describeUserAgent(request.header("User-Agent")), std::string(request.header("Origin")),
            request.caller->impersonatorId};
}

Problem invalidToken(std::string_view reason)
{
    return Problem::unauthorized("invalid_token", "The credential does not open anything here.")
        .withDetails("{\"reason\":" + toJson(std::string(reason)) + '}');
}

} // namespace portico::identity
