#include "fuzz/Require.h"

#include "host/plugins/package/FileList.h"

#include <stdexcept>

/// A list of a plugin's files is refused with its line, or has one reading: written again it is the same text, and no path leaves the
/// folder.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using portico::fuzz::require;
    const auto text = portico::fuzz::textOf(data, size);
    try
    {
        const auto list = portico::host::plugins::FileList::parse(text);
        require(list.text() == text);
        for (const auto& [path, hash] : list.files)
            require(!path.starts_with('/') && path.find('\n') == std::string::npos && ("/" + path + "/").find("/../") == std::string::npos);
    }
    catch (const std::runtime_error& refused)
    {
        require(std::string_view(refused.what()).starts_with("line "));
    }
    return 0;
}
