#pragma once

#include "host/plugins/package/Discovery.h"
#include "host/plugins/trust/FolderSignature.h"

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace portico::host::plugins
{

/// Which plugins are loaded. Settings, read at the start; the keys themselves are read each time that a plugin is judged.
struct TrustPolicy
{
    OwnServices services;
    /// Folder of the keys whose signatures count (`plugins.trustedKeys`).
    std::filesystem::path trustedKeys;
    /// Ids of those that are loaded without a signature (`plugins.allowUnsigned`).
    std::set<std::string, std::less<>> allowUnsigned;
    /// Only what came with the host is started (`plugins.safeMode`).
    bool safeMode = false;
};

/// Why a plugin is loaded, or why it is not.
struct TrustVerdict
{
    /// `built-in`, `signed by acme`, `unsigned`, for people.
    std::string provenance;
    /// It is loaded only because a setting names it.
    bool byException = false;
    /// Every reason not to load it.
    std::vector<std::string> faults;
};

/// Judges the copy of a plugin. `manifest` is that of the installed folder, which the texts name; `files` are those of the copy.
TrustVerdict judgeTrust(const TrustPolicy& policy, const Manifest& manifest, const std::filesystem::path& copy, const FileList& files);

} // namespace portico::host::plugins
