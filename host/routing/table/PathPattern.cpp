#include "host/routing/table/PathPattern.h"

#include "portico/Request.h"

#include <algorithm>
#include <stdexcept>

namespace portico::host::routing
{

namespace
{
constexpr std::string_view gatewayRoot = "/api/auth/";

[[noreturn]] void refuse(std::string_view pattern, std::string_view fault)
{
    throw std::invalid_argument("route pattern \"" + std::string(pattern) + "\": " + std::string(fault));
}

PathPattern::Segment parseSegment(std::string_view pattern, std::string_view text)
{
    if (text.empty()) refuse(pattern, "expected no empty segment; write /a/b without // and without / at the end");
    const bool parameter = text.front() == '{' && text.back() == '}';
    if (parameter && text.size() < 3) refuse(pattern, "expected a name in {}");
    if (!parameter && text.find_first_of("{}?#%") != std::string_view::npos)
        refuse(pattern, "expected segments that are plain text or {name}");
    return {parameter ? std::string() : std::string(text), parameter};
}
} // namespace

PathPattern PathPattern::parse(std::string_view pattern)
{
    if (pattern.empty() || pattern.front() != '/') refuse(pattern, "expected it to start with /");
    PathPattern parsed;
    std::string_view rest = pattern.substr(1);
    while (pattern.size() > 1)
    {
        const auto end = rest.find('/');
        parsed.segments.push_back(parseSegment(pattern, rest.substr(0, end)));
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + 1);
    }
    const auto parameters = std::count_if(parsed.segments.begin(), parsed.segments.end(), [](const Segment& s) { return s.parameter; });
    if (static_cast<std::size_t>(parameters) > Request::maxPathParameters) refuse(pattern, "expected at most 6 parameters");
    return parsed;
}

std::string PathPattern::shape() const
{
    if (segments.empty()) return "/";
    std::string text;
    for (const auto& segment : segments) text.append("/").append(segment.parameter ? "{}" : segment.literal);
    return text;
}

std::string gatewayPath(std::string_view pattern)
{
    if (pattern.starts_with(gatewayRoot)) return std::string(pattern);
    pattern.remove_prefix(pattern.starts_with("/api/") ? 5 : 1);
    return std::string(gatewayRoot).append(pattern);
}

} // namespace portico::host::routing
