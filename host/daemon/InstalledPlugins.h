#pragma once

#include "host/daemon/InstallLayout.h"
#include "host/daemon/config/Configuration.h"
#include "host/plugins/Discovery.h"
#include "host/plugins/ManifestReader.h"

#include <filesystem>
#include <vector>

namespace portico::host::daemon
{

/// Looks for plugins where the configuration says. Thread-safe.
class InstalledPlugins
{
public:
    explicit InstalledPlugins(const InstallLayout& layout) : _layout(layout) {}

    std::vector<std::filesystem::path> directories(const config::Configuration& configuration) const;
    plugins::Discovery discover(const config::Configuration& configuration) const;
    /// What the manifests declare that can be read.
    std::vector<config::DeclaredSetting> settings(const config::Configuration& configuration) const;

private:
    const InstallLayout _layout;
    const plugins::ManifestReader _reader;
};

} // namespace portico::host::daemon
