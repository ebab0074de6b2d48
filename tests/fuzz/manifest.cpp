#include "fuzz/Require.h"

#include "host/plugins/package/ManifestReader.h"

#include <string>

/// A manifest is read, or every fault is reported with the file's name; nothing is thrown.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace portico::host::plugins;
    static const ManifestReader reader;
    const auto read = reader.parse("/plugins/fuzzed/manifest.json", std::string(portico::fuzz::textOf(data, size)));
    portico::fuzz::require((read.manifest != nullptr) == read.errors.empty());
    for (const auto& error : read.errors) portico::fuzz::require(error.find("manifest.json") != std::string::npos);
    return 0;
}
