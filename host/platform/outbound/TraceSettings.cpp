#include "host/platform/outbound/TraceSettings.h"

#include <sstream>
#include <stdexcept>
#include <string_view>

namespace portico::host::platform
{

namespace
{

std::string_view trimmed(std::string_view text) noexcept
{
    const auto isBlank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (!text.empty() && isBlank(text.front())) text.remove_prefix(1);
    while (!text.empty() && isBlank(text.back())) text.remove_suffix(1);
    return text;
}

} // namespace

std::string tracesUrl(const std::string& endpoint)
{
    const auto host = endpoint.find("://");
    const auto path = host == std::string::npos ? host : endpoint.find('/', host + 3);
    if (path == std::string::npos) return endpoint + "/v1/traces";
    return path + 1 == endpoint.size() ? endpoint + "v1/traces" : endpoint;
}

std::vector<std::pair<std::string, std::string>> parseHeaderLines(const std::string& text, const std::string& key)
{
    std::vector<std::pair<std::string, std::string>> headers;
    std::istringstream in(text);
    std::string line;
    for (int number = 1; std::getline(in, line); ++number)
    {
        const auto content = trimmed(line);
        if (content.empty() || content.front() == '#') continue;
        const auto colon = content.find(':');
        const auto name = trimmed(content.substr(0, colon));
        if (colon == std::string_view::npos || name.empty() || name.find_first_of(" \t\"") != std::string_view::npos)
            throw std::runtime_error("The file of " + key + ": line " + std::to_string(number) +
                                     " is no header: expected 'Name: value'. Correct it.");
        headers.emplace_back(name, trimmed(content.substr(colon + 1)));
    }
    return headers;
}

} // namespace portico::host::platform
