// Entries of launchpad.widgetHostOverrides, one a line.

#include "fuzz/Require.h"

#include "widgets/Overrides.h"

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using namespace portico::launchpad;
using portico::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
    std::vector<std::string> entries;
    for (std::string line; std::getline(lines, line);) entries.push_back(line);
    try
    {
        for (const auto& [service, url] : parseOverrides(entries))
        {
            require(service.size() >= 2 && service.size() <= 40);
            require(url.starts_with("http") && url.find('#') == std::string::npos && url.find('\n') == std::string::npos);
        }
    }
    catch (const std::runtime_error&)
    {
        return 0;
    }
    return 0;
}
