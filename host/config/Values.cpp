#include "host/config/Values.h"

#include "host/base/Text.h"

#include <algorithm>
#include <regex>

namespace portico::host::config
{

namespace
{

std::string numberFault(std::optional<std::int64_t> number, std::int64_t minimum, std::int64_t maximum, const std::string& what)
{
    if (number && *number >= minimum && *number <= maximum) return {};
    if (minimum == std::numeric_limits<std::int64_t>::min() && maximum == unbounded) return what;
    return what + " from " + std::to_string(minimum) + (maximum == unbounded ? "" : " to " + std::to_string(maximum));
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
    for (const std::string_view scheme : {"http://", "https://"})
        if (text.starts_with(scheme))
            return text.size() > scheme.size() && text.find_first_of("/?#@ ", scheme.size()) == std::string_view::npos;
    return false;
}

std::string originFault(std::string_view value)
{
    const auto origins = parseList(value);
    if (std::all_of(origins.begin(), origins.end(), isOrigin)) return {};
    return "origins such as https://crm.example.org, separated by commas, without a path";
}

/// Accepts an empty value, which leaves an optional database out.
std::string databaseFault(std::string_view value)
{
    if (value.empty() || value == "sqlite" || value.starts_with("sqlite:")) return {};
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
    if (text == "true" || text == "yes" || text == "on" || text == "1") return true;
    if (text == "false" || text == "no" || text == "off" || text == "0") return false;
    return std::nullopt;
}

std::optional<std::int64_t> parseBytes(std::string_view text) noexcept
{
    const auto unit = text.empty() ? std::string_view::npos : std::string_view("KMG").find(text.back());
    const auto factor = unit == std::string_view::npos ? 1 : std::int64_t{1024} << (10 * unit);
    if (unit != std::string_view::npos) text.remove_suffix(1);
    const auto number = parseNumber<std::int64_t>(text);
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
        return numberFault(parseNumber<std::int64_t>(value), minimum, maximum, "a whole number");
    case Kind::Seconds:
        return numberFault(parseNumber<std::int64_t>(value), minimum, maximum, "a whole number of seconds");
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

std::optional<RedisUrl> parseRedisUrl(std::string_view text)
{
    // User, host (an address of IPv6 in brackets), port and number of the database.
    static const std::regex form(
        R"(redis://(?:([^:@/?# ]+)@)?(?:\[([^\]/?# ]+)\]|([^:/@?#\[ ][^:/@?# ]*))(?::(\d{1,5}))?(?:/(\d{1,7})?)?)");
    std::cmatch found;
    // Each character of a long text would take some of the stack.
    if (text.size() > 1024 || !std::regex_match(text.data(), text.data() + text.size(), found, form)) return std::nullopt;
    RedisUrl url;
    url.user = found[1];
    url.host = found[2].matched ? found[2] : found[3];
    const auto port = found[4].matched ? std::stoi(found[4]) : url.port;
    url.database = found[5].matched ? std::stoi(found[5]) : 0;
    if (port < 1 || port > 65535 || url.database > 1'000'000) return std::nullopt;
    url.port = static_cast<std::uint16_t>(port);
    return url;
}

} // namespace portico::host::config
