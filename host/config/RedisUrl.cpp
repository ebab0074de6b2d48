#include "host/config/RedisUrl.h"

#include "host/config/Values.h"

#include <algorithm>

namespace portico::host::config
{

namespace
{

/// A whole number of the range; nothing for anything else.
std::optional<std::int64_t> numberWithin(std::string_view text, std::int64_t minimum, std::int64_t maximum)
{
    const auto number = parseInteger(text);
    return number && *number >= minimum && *number <= maximum ? number : std::nullopt;
}

/// `host`, `host:port`, `[::1]:port`.
bool readPlace(std::string_view text, RedisUrl& url)
{
    std::string_view rest;
    if (text.starts_with('['))
    {
        const auto end = text.find(']');
        if (end == std::string_view::npos) return false;
        url.host = text.substr(1, end - 1);
        rest = text.substr(end + 1);
    }
    else
    {
        const auto end = std::min(text.find(':'), text.size());
        url.host = text.substr(0, end);
        rest = text.substr(end);
    }
    if (url.host.empty()) return false;
    if (rest.empty()) return true;
    const auto port = rest.front() == ':' ? numberWithin(rest.substr(1), 1, 65535) : std::nullopt;
    if (!port) return false;
    url.port = static_cast<std::uint16_t>(*port);
    return true;
}

} // namespace

std::optional<RedisUrl> parseRedisUrl(std::string_view text)
{
    constexpr std::string_view scheme = "redis://";
    if (!text.starts_with(scheme) || text.find_first_of("?# ") != std::string_view::npos) return std::nullopt;
    text.remove_prefix(scheme.size());
    const auto slash = std::min(text.find('/'), text.size());
    auto authority = text.substr(0, slash);
    RedisUrl url;
    if (const auto at = authority.rfind('@'); at != std::string_view::npos)
    {
        url.user = authority.substr(0, at);
        authority.remove_prefix(at + 1);
        if (url.user.empty() || url.user.find(':') != std::string::npos) return std::nullopt;
    }
    if (!readPlace(authority, url)) return std::nullopt;
    if (slash + 1 >= text.size()) return url;
    const auto database = numberWithin(text.substr(slash + 1), 0, 1'000'000);
    if (!database) return std::nullopt;
    url.database = static_cast<int>(*database);
    return url;
}

} // namespace portico::host::config
