#include "widgets/Overrides.h"

#include "portico/Text.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace portico::launchpad
{

namespace
{

bool isServiceId(std::string_view text) noexcept
{
    const auto isLower = [](char c) { return c >= 'a' && c <= 'z'; };
    return text.size() >= 2 && text.size() <= 40 && isLower(text.front()) &&
           std::ranges::all_of(text, [&](char c) { return isLower(c) || (c >= '0' && c <= '9') || c == '-'; });
}

} // namespace

WidgetOverrides parseOverrides(std::span<const std::string> entries)
{
    WidgetOverrides overrides;
    for (const auto& entry : entries)
    {
        const auto refuse = [&](std::string_view expected)
        {
            throw std::runtime_error("launchpad.widgetHostOverrides: expected " + std::string(expected) + ", found '" + entry +
                                     "'. Correct the entry or remove it.");
        };
        const auto equals = entry.find('=');
        if (equals == std::string::npos) refuse("service_id=URL");
        const auto service = std::string(trim(std::string_view(entry).substr(0, equals)));
        const auto url = std::string(trim(std::string_view(entry).substr(equals + 1)));
        if (!isServiceId(service)) refuse("the ID of a service before =");
        if (!isWebUrl(url) || url.find('#') != std::string::npos) refuse("an http or https URL without a fragment after =");
        if (!overrides.emplace(service, url).second) refuse("each service once");
    }
    return overrides;
}

} // namespace portico::launchpad
