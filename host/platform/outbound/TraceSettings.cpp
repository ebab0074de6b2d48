#include "host/platform/outbound/TraceSettings.h"

#include "host/base/Text.h"

#include <sstream>
#include <stdexcept>
#include <string_view>

namespace portico::host::platform
{

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
        const auto content = trimmed(line, whiteSpace);
        if (content.empty() || content.front() == '#') continue;
        const auto colon = content.find(':');
        const auto name = trimmed(content.substr(0, colon));
        if (colon == std::string_view::npos || name.empty() || name.find_first_of(" \t\"") != std::string_view::npos)
            throw std::runtime_error("The file of " + key + ": line " + std::to_string(number) +
                                     " is not a header: expected 'Name: value'. Correct it.");
        headers.emplace_back(name, trimmed(content.substr(colon + 1)));
    }
    return headers;
}

} // namespace portico::host::platform
