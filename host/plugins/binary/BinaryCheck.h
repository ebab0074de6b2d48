#pragma once

#include "host/plugins/binary/ElfFile.h"
#include "host/plugins/package/Manifest.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::plugins
{

/// A file mapped for reading: a library of several megabytes is looked at without a copy that the allocator would keep. The file must not
/// be shortened while this lives.
class FileView
{
public:
    /// @throws std::system_error that names the file.
    explicit FileView(const std::filesystem::path& file);
    FileView(const FileView&) = delete;
    FileView& operator=(const FileView&) = delete;
    ~FileView();

    std::string_view bytes() const noexcept { return {static_cast<const char*>(_start), _size}; }

private:
    void* _start = nullptr;
    std::size_t _size = 0;
};

/// The fingerprint of this host.
std::string_view hostFingerprint() noexcept;

/// Every field in which a plugin's fingerprint does not fit a host's, in words; empty if it fits. Fields are equal, except that `minor` may
/// be lower.
std::vector<std::string> compareFingerprints(std::string_view host, std::string_view plugin);

/// Returns the reasons not to load a plugin, from its file and manifest alone: fingerprint, SDK range, and the rules of the gate after
/// linking.
std::vector<std::string> checkBinary(const ElfFile& file, const Manifest& manifest);

/// The text of allowed-libraries.txt, a name a line.
std::string_view allowedLibraries() noexcept;

/// Data that the host keeps about a checked library.
struct CheckedLibrary
{
    std::string sha256;
    std::string fingerprint;
    /// Names of the shared objects that it needs.
    std::vector<std::string> needed;
};

/// Checks a plugin's library without loading it: hash of the manifest, note, fingerprint, the gate after linking.
/// @param manifest of the folder whose file is read; the texts name `installed`, the library where it is installed
/// @param sha256 of the file if it is known; empty: it is computed
/// @throws std::runtime_error with every fault, one per line
CheckedLibrary checkLibrary(const Manifest& manifest, const std::filesystem::path& installed, std::string sha256 = {});

/// Compares the migrations with their hash in the manifest, if it has one. @throws std::runtime_error
void checkMigrationHash(const Manifest& manifest, const Manifest& installed);

} // namespace portico::host::plugins
