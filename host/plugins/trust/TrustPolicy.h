#pragma once

#include "host/plugins/package/Manifest.h"
#include "host/plugins/trust/FolderSignature.h"

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace portico::host::plugins
{

/// Which plugins are loaded. Settings, read at the start; the keys themselves are read each time that a plugin is judged.
struct TrustPolicy
{
    /// Whether a plugin came with the host, by its id and the folder that it is installed in. Null: all did.
    std::function<bool(const std::string& serviceId, const std::filesystem::path& folder)> isBuiltIn;
    /// Whether an id is that of a service that came with the host, wherever the plugin stands. Null: none is.
    std::function<bool(const std::string& serviceId)> isOwnId;
    /// Ids of such services whose place another plugin may take (`plugins.override`).
    std::set<std::string, std::less<>> overridden;
    /// Folder of the keys whose signatures count (`plugins.trustedKeys`).
    std::filesystem::path trustedKeys;
    /// Ids of those that are loaded without a signature (`plugins.allowUnsigned`).
    std::set<std::string, std::less<>> allowUnsigned;
    /// Only what came with the host is started (`plugins.safeMode`).
    bool safeMode = false;

    bool builtIn(const std::string& serviceId, const std::filesystem::path& folder) const
    {
        return !isBuiltIn || isBuiltIn(serviceId, folder);
    }
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
