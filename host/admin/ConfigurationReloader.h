#pragma once

#include "host/daemon/config/ConfigurationStore.h"
#include "host/platform/Platform.h"
#include "host/plugins/Lifecycle.h"

#include <functional>
#include <string>
#include <vector>

namespace portico::host::admin
{

/// One setting that differs from the one in force.
struct SettingChange
{
    std::string key;
    /// `applied`, or what is needed: a reload of a service, a restart of the daemon.
    std::string effect;
};

struct ReloadReport
{
    bool taken = false;
    std::vector<config::Finding> findings;
    std::vector<SettingChange> changes;
};

/// Takes the configuration as its files are now: applies what can change while serving, and tells what cannot. Thread-safe.
class ConfigurationReloader
{
public:
    struct Hooks
    {
        std::function<platform::HostFacts(const config::Configuration&)> facts;
        /// Reads the certificates again; throws when they cannot be used.
        std::function<void()> reloadCertificates;
    };

    ConfigurationReloader(config::ConfigurationStore& store, platform::Platform& platform, plugins::Lifecycle& lifecycle, Hooks hooks)
        : _store(store), _platform(platform), _lifecycle(lifecycle), _hooks(std::move(hooks))
    {
    }

    /// Everything, services that were switched on or off included; waits for these. @throws std::runtime_error for a file that cannot be
    /// read
    ReloadReport reload(const std::string& requestedBy);
    /// Only what the next generation of a service sees; for `porticoctl reload`. False when the files have mistakes: nothing has changed
    /// then.
    bool refresh();

private:
    void take(const std::shared_ptr<const config::Configuration>& configuration);
    void applySwitches(const config::Configuration& before, const config::Configuration& after, const std::string& requestedBy);

    config::ConfigurationStore& _store;
    platform::Platform& _platform;
    plugins::Lifecycle& _lifecycle;
    const Hooks _hooks;
    std::mutex _mutex;
};

} // namespace portico::host::admin
