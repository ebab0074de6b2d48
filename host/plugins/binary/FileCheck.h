#pragma once

#include "host/plugins/package/Manifest.h"

#include <filesystem>
#include <string>
#include <vector>

namespace portico::host::plugins
{

/// What the host keeps of a library that it has looked at.
struct CheckedLibrary
{
    std::string sha256;
    std::string fingerprint;
    /// Names of the shared objects that it needs.
    std::vector<std::string> needed;
};

/// Checks a plugin's library without loading it: hash of the manifest, note, fingerprint, the gate after linking.
/// @param manifest of the folder whose file is read; the texts name `installed`, the library where it is installed
/// @param sha256 of the file where it is known already; empty: it is hashed
/// @throws std::runtime_error with every fault, each on a line of its own
CheckedLibrary checkLibrary(const Manifest& manifest, const std::filesystem::path& installed, std::string sha256 = {});

/// Compares the migrations with their hash in the manifest, if it has one. @throws std::runtime_error
void checkMigrationHash(const Manifest& manifest, const Manifest& installed);


} // namespace portico::host::plugins
