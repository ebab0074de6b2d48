#include "web/Urls.h"

#include "portico/Text.h"

#include <algorithm>
#include <cctype>

namespace portico::identity
{

namespace
{

bool isAlphanumeric(char c) noexcept { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

} // namespace

std::string encodeUrl(std::string_view text)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string encoded;
    encoded.reserve(text.size());
    for (const char c : text)
    {
        if (isAlphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~')
        {
            encoded += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        ((encoded += '%') += digits[byte >> 4]) += digits[byte & 15];
    }
    return encoded;
}

std::string toQuery(const UrlParameters& parameters)
{
    std::string query;
    for (const auto& [name, value] : parameters)
    {
        if (!query.empty()) query += '&';
        query += encodeUrl(name) + '=' + encodeUrl(value);
    }
    return query;
}

std::string withQuery(std::string_view url, const UrlParameters& parameters)
{
    if (parameters.empty()) return std::string(url);
    return std::string(url) + (url.find('?') == std::string_view::npos ? '?' : '&') + toQuery(parameters);
}

std::string originOf(std::string_view url)
{
    const auto colon = url.find(':');
    const auto scheme = url.substr(0, colon);
    const auto inScheme = [](char c) { return isAlphanumeric(c) || c == '+' || c == '-' || c == '.'; };
    if (colon == std::string_view::npos || scheme.empty() || !std::ranges::all_of(scheme, inScheme)) return {};
    if (scheme != "http" && scheme != "https") return std::string(scheme) + ':';
    const auto rest = url.substr(colon + 1);
    if (!rest.starts_with("//")) return {};
    const auto authority = rest.substr(2, rest.find_first_of("/?#", 2) - 2);
    const auto inAuthority = [](char c) { return isAlphanumeric(c) || c == '-' || c == '.' || c == ':' || c == '[' || c == ']'; };
    if (authority.empty() || !std::ranges::all_of(authority, inAuthority)) return {};
    return std::string(scheme) + "://" + std::string(authority);
}

} // namespace portico::identity
