#include "fuzz/Require.h"

#include "host/config/Layers.h"

#include <algorithm>

/// Every line of a properties file is an entry, a comment or a fault with its place.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using portico::fuzz::require;
    const auto text = portico::fuzz::textOf(data, size);
    const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
    const auto properties = portico::host::config::parseProperties(text, "fuzzed.properties");
    const auto inFile = [lines](const portico::host::config::Source& source)
    { return source.line >= 1 && source.line <= lines && source.name == "fuzzed.properties"; };
    for (const auto& entry : properties.entries) require(inFile(entry.source) && !entry.key.empty());
    for (const auto& fault : properties.faults) require(inFile(fault.source) && !fault.expected.empty());
    return 0;
}
