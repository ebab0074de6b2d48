#include "host/routing/table/Origins.h"

#include <algorithm>

namespace portico::host::routing
{

namespace
{

bool isLabelCharacter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

/// Patterns come from manifests and are short, and a label is at most 63 characters: the recursion is bounded by the number of stars.
bool matches(std::string_view pattern, std::string_view text) noexcept
{
    const auto star = pattern.find('*');
    if (star == std::string_view::npos) return pattern == text;
    if (!text.starts_with(pattern.substr(0, star))) return false;
    text.remove_prefix(star);
    pattern.remove_prefix(star + 1);
    for (std::size_t taken = 1; taken <= std::min<std::size_t>(text.size(), 63) && isLabelCharacter(text[taken - 1]); ++taken)
        if (matches(pattern, text.substr(taken))) return true;
    return false;
}

} // namespace

std::string hostOf(std::string_view origin)
{
    const std::string normal = normalOrigin(origin);
    const auto scheme = normal.find("://");
    return scheme == std::string::npos ? normal : normal.substr(scheme + 3);
}

bool isBareAddress(std::string_view host) noexcept
{
    if (host.starts_with('[')) return true;
    host = host.substr(0, host.find(':'));
    return host.empty() || host == "localhost" || host.find_first_not_of("0123456789.") == std::string_view::npos;
}

bool AllowedOrigins::allows(std::string_view origin) const noexcept
{
    if (_exact.find(origin) != _exact.end()) return true;
    // A pattern must not be stretched by hostile input: no origin that a browser sends is longer.
    if (origin.size() > 300) return false;
    return std::any_of(_patterns.begin(), _patterns.end(), [origin](const std::string& pattern) { return matches(pattern, origin); });
}

} // namespace portico::host::routing
