#pragma once

#include "host/config/Check.h"
#include "host/config/Configuration.h"
#include "host/config/Layers.h"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace portico::host::config
{

/// The configuration as its files are now, and everything that is wrong with it.
struct Reading
{
    std::shared_ptr<const Configuration> configuration;
    std::vector<Diagnostic> diagnostics;

    /// True if a mistake is the host's own: such a configuration is not taken.
    bool refused() const;
};

/// Reads the configuration, and keeps the one in force. Thread-safe.
class ConfigurationStore
{
public:
    /// What the plugins declare that the given configuration leads to.
    using Discover = std::function<std::vector<DeclaredSetting>(const Configuration&)>;

    ConfigurationStore(LayerSources sources, Discover discover);

    /// Reads all layers again, without effect on the one in force. @throws std::runtime_error for a file that cannot be read
    Reading read() const;
    std::shared_ptr<const Configuration> current() const;
    void adopt(std::shared_ptr<const Configuration> configuration);
    /// Changes one key of the one in force, as the drop-in does that was just written. False if a stronger layer sets the key to something
    /// else.
    bool overlay(Entry entry);
    const LayerSources& sources() const noexcept { return _sources; }

private:
    const LayerSources _sources;
    const Discover _discover;
    mutable std::mutex _mutex;
    std::shared_ptr<const Configuration> _current;
};

} // namespace portico::host::config
