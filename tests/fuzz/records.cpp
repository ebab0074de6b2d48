#include "fuzz/records.h"

#include <cstddef>
#include <cstdint>

/// Contacts as JSON: an array, and one a line.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    for (const auto format : {portico::crm::ImportFormat::Json, portico::crm::ImportFormat::Ndjson})
    {
        portico::crm::ImportOptions options;
        options.format = format;
        portico::fuzz::readFile(portico::fuzz::textOf(data, size), options);
    }
    return 0;
}
