#include "networks/Urls.h"

#include <algorithm>

namespace portico::social
{

std::string percentEncoded(std::string_view text)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string encoded;
    for (const char c : text)
    {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           std::string_view("-._~").find(c) != std::string_view::npos;
        if (plain)
        {
            encoded += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        encoded += '%';
        encoded += digits[byte >> 4];
        encoded += digits[byte & 15];
    }
    return encoded;
}

std::string toQuery(const QueryFields& fields)
{
    std::string query;
    for (const auto& [name, value] : fields)
    {
        if (!query.empty()) query += '&';
        query.append(percentEncoded(name)).append("=").append(percentEncoded(value));
    }
    return query;
}

std::string originOf(std::string_view url)
{
    const auto slashes = url.find("://");
    if (slashes == std::string_view::npos) return {};
    std::string origin(url.substr(0, std::min(url.find_first_of("/?#", slashes + 3), url.size())));
    std::ranges::transform(origin, origin.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return origin;
}

} // namespace portico::social
