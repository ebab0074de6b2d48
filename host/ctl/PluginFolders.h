#pragma once

#include "host/ctl/FolderCheck.h"

#include <boost/json/object.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace portico::host::ctl
{

class Arguments;

/// The folder of trusted keys that the option --trusted-keys names, else that of the daemon beside which porticoctl is installed.
plugins::TrustedKeys trustedKeys(const Arguments& arguments);
/// The folders that are named, as absolute paths. @throws UsageError for one that is none
std::vector<std::filesystem::path> pluginFolders(const std::vector<std::string>& words);
/// Every plugin that is installed beside porticoctl.
std::vector<std::filesystem::path> installedPlugins();

/// Checks a folder as the host does, and its migrations for both databases.
FolderCheck checkPlugin(const plugins::ManifestReader& reader, const std::filesystem::path& folder, const plugins::TrustedKeys& keys);
boost::json::object checkJson(const FolderCheck& check);

} // namespace portico::host::ctl
