#include "fuzz/Require.h"

#include "host/plugins/binary/ElfFile.h"

/// A library is looked at before it is loaded: whatever its bytes are, it is read or refused.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace portico::host::plugins;
    try
    {
        const auto file = ElfFile::parse(portico::fuzz::textOf(data, size));
        if (file.fingerprint) portico::fuzz::require(file.fingerprint->size() <= size);
    }
    catch (const ElfError& error)
    {
        portico::fuzz::require(error.what()[0] != '\0');
    }
    return 0;
}
