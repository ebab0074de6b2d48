#pragma once

#include "host/config/Configuration.h"
#include "host/config/InstallLayout.h"
#include "host/plugins/package/Discovery.h"
#include "host/plugins/package/ManifestReader.h"
#include "host/plugins/trust/TrustPolicy.h"

#include <filesystem>
#include <vector>

namespace portico::host::daemon
{

/// Finds plugins in the configured folders and decides which of them are trusted. Thread-safe.
class InstalledPlugins
{
public:
    /// @param configurationFiles those that are read; keys are looked for beside the first
    InstalledPlugins(const config::InstallLayout& layout, const std::vector<std::filesystem::path>& configurationFiles);

    /// In safe mode the host's own folder is included, and first: no other plugin can replace one of it.
    std::vector<std::filesystem::path> directories(const config::Configuration& configuration) const;
    plugins::TrustPolicy trust(const config::Configuration& configuration) const;
    /// Settings of services that are not installed, or that name one.
    static std::vector<std::string> straySettings(const config::Configuration& configuration, const plugins::Discovery& found);
    /// Files and folders that decide what code the daemon runs, and that others than root and its user could change.
    std::vector<std::string> openDoors(const config::Configuration& configuration) const;
    /// With a warning for each key that cannot be used, for each id in plugins.allowUnsigned and plugins.override that does nothing there,
    /// for each setting of a service that is not installed, and for each open door.
    plugins::Discovery discover(const config::Configuration& configuration) const;
    /// Declarations of the readable manifests.
    config::DeclaredSettings settings(const config::Configuration& configuration) const;

private:
    void addTrustWarnings(const config::Configuration& configuration, plugins::Discovery& found) const;

    const config::InstallLayout _layout;
    const std::vector<std::filesystem::path> _configurationFiles;
    const std::filesystem::path _trustedKeys;
    const plugins::ManifestReader _reader;
};

} // namespace portico::host::daemon
