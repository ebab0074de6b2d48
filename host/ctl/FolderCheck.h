#pragma once

#include "host/ctl/Command.h"
#include "host/plugins/package/ManifestReader.h"
#include "host/plugins/trust/TrustPolicy.h"

#include <boost/json/object.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace portico::host::ctl
{

/// One question about a plugin folder and everything that speaks against it.
struct FolderCheckStep
{
    /// `manifest`, `signature`, `files`, `library`, `migrations`.
    std::string name;
    std::vector<std::string> faults;
};

/// Result of checking a plugin folder, as far as files alone show it.
struct FolderCheck
{
    std::filesystem::path folder;
    /// Null when it has faults: then its library and migrations are not looked for.
    std::shared_ptr<const plugins::Manifest> manifest;
    /// SHA-256 of the library; empty if it cannot be read.
    std::string sha256;
    /// The trusted key that signed it, or empty.
    std::string key;
    bool isSigned = false;
    /// It came with the host, so that it needs no signature.
    bool builtIn = false;
    std::vector<FolderCheckStep> steps;
    /// Notes that are not faults.
    std::vector<std::string> warnings;

    bool ok() const;
};

/// Asks what the host asks before it loads a plugin, of the folder itself and without a host. Never throws for what is in it.
FolderCheck checkFolder(const plugins::ManifestReader& reader, const std::filesystem::path& folder, const plugins::TrustedKeys& keys,
                        bool builtIn);

/// The folder of trusted keys that the option --trusted-keys names, else that of the daemon beside which porticoctl is installed.
plugins::TrustedKeys trustedKeys(const Arguments& arguments);
/// Returns the named folders as absolute paths. @throws UsageError for a path that is no folder
std::vector<std::filesystem::path> pluginFolders(const std::vector<std::string>& words);
/// Every plugin that is installed beside porticoctl.
std::vector<std::filesystem::path> installedPlugins();

/// Checks a folder as the host does, and its migrations for both databases.
FolderCheck checkPlugin(const plugins::ManifestReader& reader, const std::filesystem::path& folder, const plugins::TrustedKeys& keys);
boost::json::object checkJson(const FolderCheck& check);

} // namespace portico::host::ctl
