#include "fuzz/Require.h"

#include "host/plugins/package/PageCheck.h"

/// Any text is walked to its end, each fault has a place in it, and a page without a tag has none.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace portico::host::plugins;
    const auto html = portico::fuzz::textOf(data, size);
    const auto faults = htmlFaults(html, [](std::string_view path) { return path == "app.js"; });
    portico::fuzz::require(faults.empty() || html.find('<') != std::string_view::npos);
    for (const auto& fault : faults)
        portico::fuzz::require(fault.find(": expected ") != std::string::npos && fault[0] >= '1' && fault[0] <= '9');
    return 0;
}
