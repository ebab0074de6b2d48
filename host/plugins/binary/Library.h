#pragma once

#include "portico/Plugin.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::plugins
{

/// Address range of a library in memory; `end` is the byte behind it.
struct AddressRange
{
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    bool holds(std::uintptr_t address) const noexcept { return begin <= address && address < end; }
};

/// True where loaded code must stay: sanitizers and coverage name functions after the program's end.
bool buildNeverUnmaps() noexcept;

/// A shared object in memory. Destroying this leaves it there: only `close` unmaps. Used by the lifecycle thread.
class Library
{
public:
    /// Loads the file with symbols bound immediately and locally, and compares its descriptor with the note that was read before. Libraries
    /// that it needs stay loaded, since they may not support unloading.
    /// @throws std::runtime_error that says what was expected and found; the file is not in memory then.
    Library(std::filesystem::path file, std::string_view fingerprint, const std::vector<std::string>& needed);
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    const abi::Descriptor& descriptor() const noexcept { return *_descriptor; }
    /// Its address range.
    AddressRange range() const;

    /// Unmaps the file and checks that it is unmapped. Returns an empty text, or the reason why it is still mapped.
    std::string close();

private:
    void check(std::string_view fingerprint) const;
    bool isMapped() const;

    std::filesystem::path _file;
    void* _handle;
    const abi::Descriptor* _descriptor = nullptr;
};

} // namespace portico::host::plugins
