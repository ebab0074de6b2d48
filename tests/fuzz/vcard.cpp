#include "fuzz/records.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    portico::crm::ImportOptions options;
    options.format = portico::crm::ImportFormat::Vcard;
    portico::fuzz::readFile(portico::fuzz::textOf(data, size), options);
    return 0;
}
