#include "web/Urls.h"

#include "portico/Text.h"

#include <algorithm>
#include <cctype>

namespace portico::identity
{

namespace
{

bool isAlphanumeric(char c) noexcept { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isVisible(char c) noexcept { return c > 0x20 && c < 0x7f; }

/// The number of dots if a browser reads the segment as `.` or `..` (`%2e` is a dot), else 0.
std::size_t dotsOf(std::string_view segment) noexcept
{
    std::size_t dots = 0;
    while (!segment.empty())
    {
        const bool encoded = segment.starts_with("%2e") || segment.starts_with("%2E");
        if (!encoded && segment.front() != '.') return 0;
        segment.remove_prefix(encoded ? 3 : 1);
        ++dots;
    }
    return dots <= 2 ? dots : 0;
}

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

bool namesAnotherHost(std::string_view path) noexcept
{
    auto rest = path.substr(0, path.find_first_of("?#"));
    std::size_t depth = 0;
    bool firstIsEmpty = false;
    while (!rest.empty())
    {
        rest.remove_prefix(1);
        const auto segment = rest.substr(0, rest.find('/'));
        rest.remove_prefix(segment.size());
        if (depth > 0 && firstIsEmpty) return true;
        const auto dots = dotsOf(segment);
        if (dots == 0 && depth++ == 0) firstIsEmpty = segment.empty();
        if (dots == 2 && depth > 0) --depth;
    }
    return false;
}

bool isLocalPath(std::string_view text) noexcept
{
    return text.size() <= 4096 && text.starts_with('/') && text.find('\\') == std::string_view::npos &&
           std::ranges::all_of(text, isVisible) && !namesAnotherHost(text);
}

} // namespace portico::identity
