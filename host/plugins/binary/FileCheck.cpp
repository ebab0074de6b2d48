#include "host/plugins/binary/FileCheck.h"

#include "host/base/Digests.h"
#include "host/base/Text.h"
#include "host/plugins/binary/BinaryCheck.h"
#include "host/plugins/binary/FileView.h"
#include "host/plugins/package/FileHash.h"

#include <stdexcept>

namespace portico::host::plugins
{

CheckedLibrary checkLibrary(const Manifest& manifest, const std::filesystem::path& installed, std::string sha256)
{
    const FileView view(manifest.directory() / manifest.library);
    CheckedLibrary checked{.sha256 = sha256.empty() ? sha256Hex(view.bytes()) : std::move(sha256), .fingerprint = {}, .needed = {}};
    if (!manifest.librarySha256.empty() && checked.sha256 != manifest.librarySha256)
        throw std::runtime_error(installed.string() + ": expected the SHA-256 " + manifest.librarySha256 + " of the manifest, found " +
                                 checked.sha256 + ": install the plugin again");
    try
    {
        auto file = ElfFile::parse(view.bytes());
        if (const auto faults = checkBinary(file, manifest); !faults.empty())
            throw std::runtime_error(joined(installed.string() + " cannot be loaded:", faults));
        checked.fingerprint = std::move(*file.fingerprint);
        checked.needed = std::move(file.needed);
    }
    catch (const ElfError& error)
    {
        throw std::runtime_error(installed.string() + ": " + error.what());
    }
    return checked;
}

void checkMigrationHash(const Manifest& manifest, const Manifest& installed)
{
    if (!manifest.migrations || manifest.migrationsSha256.empty()) return;
    const auto found = sha256OfFolder(*manifest.migrations);
    if (found != manifest.migrationsSha256)
        throw std::runtime_error(installed.migrations->string() + ": expected the SHA-256 " + manifest.migrationsSha256 +
                                 " of the manifest, found " + found + ": install the plugin again");
}

} // namespace portico::host::plugins
