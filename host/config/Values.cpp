#include "host/config/Values.h"

#include "host/base/Text.h"

#include <algorithm>
#include <charconv>

namespace portico::host::config
{

namespace
{

std::string rangeText(std::int64_t minimum, std::int64_t maximum)
{
    if (maximum == unbounded) return " from " + std::to_string(minimum);
    return " from " + std::to_string(minimum) + " to " + std::to_string(maximum);
}

std::string numberFault(std::optional<std::int64_t> number, std::int64_t minimum, std::int64_t maximum, const char* what)
{
    if (number && *number >= minimum && *number <= maximum) return {};
    const bool anyNumber = minimum == std::numeric_limits<std::int64_t>::min() && maximum == unbounded;
    return anyNumber ? std::string(what) : what + rangeText(minimum, maximum);
}

std::string choiceFault(std::string_view choices, std::string_view value)
{
    std::string spoken = "one of";
    for (std::size_t begin = 0; begin <= choices.size();)
    {
        const auto end = std::min(choices.find('|', begin), choices.size());
        const auto choice = choices.substr(begin, end - begin);
        if (choice == value) return {};
        spoken.append(begin == 0 ? " " : ", ").append(choice);
        begin = end + 1;
    }
    return spoken;
}

bool isOrigin(std::string_view text) noexcept
{
    const auto scheme = text.starts_with("http://") ? 7 : text.starts_with("https://") ? 8 : 0;
    if (scheme == 0) return false;
    text.remove_prefix(static_cast<std::size_t>(scheme));
    return !text.empty() && text.find_first_of("/?#@ ") == std::string_view::npos;
}

std::string originFault(std::string_view value)
{
    const auto origins = parseList(value);
    if (std::all_of(origins.begin(), origins.end(), isOrigin)) return {};
    return "origins such as https://crm.example.org, separated by commas, without a path";
}

std::string databaseFault(std::string_view value)
{
    if (value == "sqlite" || value.starts_with("sqlite:")) return {};
    const auto scheme = value.find("://");
    if (value.starts_with("postgresql://") || value.starts_with("postgres://"))
    {
        const auto authority = value.substr(scheme + 3, value.find_first_of("/?", scheme + 3) - scheme - 3);
        const auto at = authority.rfind('@');
        if (at == std::string_view::npos || authority.substr(0, at).find(':') == std::string_view::npos) return {};
        return "no password in the URL; put it into a file and name that in database.passwordFile";
    }
    return "sqlite: or postgresql://user@host:port/database";
}

} // namespace

std::optional<bool> parseBoolean(std::string_view text) noexcept
{
    for (const std::string_view yes : {"true", "yes", "on", "1"})
        if (text == yes) return true;
    for (const std::string_view no : {"false", "no", "off", "0"})
        if (text == no) return false;
    return std::nullopt;
}

std::optional<std::int64_t> parseInteger(std::string_view text) noexcept
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<std::int64_t> parseBytes(std::string_view text) noexcept
{
    std::int64_t factor = 1;
    if (!text.empty())
    {
        switch (text.back())
        {
        case 'K':
            factor = std::int64_t{1} << 10;
            break;
        case 'M':
            factor = std::int64_t{1} << 20;
            break;
        case 'G':
            factor = std::int64_t{1} << 30;
            break;
        default:
            break;
        }
        if (factor > 1) text.remove_suffix(1);
    }
    const auto number = parseInteger(text);
    if (!number || *number < 0 || *number > unbounded / factor) return std::nullopt;
    return *number * factor;
}

std::vector<std::string> parseList(std::string_view text)
{
    std::vector<std::string> items;
    for (std::size_t begin = 0; begin <= text.size();)
    {
        const auto end = std::min(text.find(',', begin), text.size());
        if (const auto item = trimmed(text.substr(begin, end - begin), whiteSpace); !item.empty()) items.emplace_back(item);
        begin = end + 1;
    }
    return items;
}

std::string fault(Kind kind, std::int64_t minimum, std::int64_t maximum, std::string_view choices, std::string_view value)
{
    switch (kind)
    {
    case Kind::Integer:
        return numberFault(parseInteger(value), minimum, maximum, "a whole number");
    case Kind::Seconds:
        return numberFault(parseInteger(value), minimum, maximum, "a whole number of seconds");
    case Kind::Bytes:
        return numberFault(parseBytes(value), minimum, maximum, "a number of bytes such as 1048576, 64K or 25M");
    case Kind::Boolean:
        return parseBoolean(value) ? std::string{} : "true or false";
    case Kind::Choice:
        return choiceFault(choices, value);
    case Kind::Origin:
        return originFault(value);
    case Kind::Database:
        return databaseFault(value);
    case Kind::Text:
    case Kind::Path:
    case Kind::SecretFile:
    case Kind::List:
        return {};
    }
    return {};
}

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
