#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::plugins
{

/// Faults of a file that should be a shared object.
class ElfError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/// A symbol that a shared object exports or imports.
struct ElfSymbol
{
    std::string name;
    bool defined = false;
    /// STB_GNU_UNIQUE: one for the whole process, which keeps the file mapped for ever.
    bool unique = false;
};

/// Properties of a 64-bit shared object, read from its bytes without loading it. The file may be hostile: every offset and length is
/// checked against the file's size.
struct ElfFile
{
    std::vector<ElfSymbol> symbols;
    /// Names of the shared objects that it needs.
    std::vector<std::string> needed;
    /// DT_RPATH or DT_RUNPATH.
    std::optional<std::string> searchPath;
    /// DF_1_NODELETE.
    bool neverUnloads = false;
    /// Description of the note with owner `Portico` and type 1, without the NUL at its end.
    std::optional<std::string> fingerprint;

    /// @throws ElfError that says what was expected and found.
    static ElfFile parse(std::string_view bytes);
};

} // namespace portico::host::plugins
