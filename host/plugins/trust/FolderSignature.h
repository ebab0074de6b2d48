#pragma once

#include "host/plugins/package/FileList.h"
#include "host/plugins/trust/SigningKey.h"
#include "host/plugins/trust/TrustPolicy.h"

#include <filesystem>
#include <string>
#include <vector>

namespace portico::host::plugins
{

/// Result of checking a plugin folder's signature.
struct FolderSignature
{
    /// It has a list of its files, and a signature of the list.
    bool listed = false;
    bool signedByKey = false;
    /// The trusted key that signed; empty without one.
    std::string key;
    /// Files that are not those of the list, a list or a signature that is broken or of no trusted key. A folder with faults is never
    /// loaded; one without a list or a signature has none.
    std::vector<std::string> faults;

    bool trusted() const noexcept { return faults.empty() && !key.empty(); }
};

/// Compares the files of a folder with its list, and looks for the key that signed the list. Never throws for what is in the folder.
/// @param installed what the texts call the folder, where it is a copy
/// @param files of the folder, where they have been hashed already; else they are hashed, if there is a list
FolderSignature readFolderSignature(const std::filesystem::path& folder, const std::filesystem::path& installed, const TrustedKeys& keys,
                                    const FileList* files = nullptr);

/// Writes list and signature into the folder, in place of those that were there. @throws std::runtime_error that names the file
FileList signFolder(const std::filesystem::path& folder, const PrivateKey& key);

} // namespace portico::host::plugins
