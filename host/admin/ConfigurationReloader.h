#pragma once

#include "host/admin/OperationHistory.h"
#include "host/config/Configuration.h"
#include "host/platform/context/Platform.h"
#include "host/plugins/lifecycle/Lifecycle.h"

#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace portico::host::admin
{

/// Stores the result of `porticoctl enable` or `disable` in `file`, a drop-in of the state directory, so that it survives a restart.
/// Settings of other services stay. One call at a time. @throws std::runtime_error when it cannot be written
void keepSwitch(const std::filesystem::path& file, const std::string& serviceId, bool enabled);

/// One setting that differs from the one in force.
struct SettingChange
{
    std::string key;
    /// `applied`, `failed`, or what is needed: a reload of the configuration or of a service, a restart of the daemon.
    std::string effect;
    /// The daemon must be restarted for it.
    bool needsRestart = false;
};

struct ReloadReport
{
    bool taken = false;
    std::vector<config::Diagnostic> diagnostics;
    std::vector<SettingChange> changes;
    /// Operations of services that the reload enabled, disabled, or started again because a setting of a failed one has changed.
    std::vector<plugins::OperationResult> operations;
    /// Parts of the accepted configuration that could not be applied, for example `certificates` or `enable crm`. Each reload reports a
    /// service that an earlier reload could not enable, until it serves or is disabled.
    std::vector<std::string> failures;
};

/// Adds a reload, and the services that it enabled or disabled, to the history of operations. Returns the entries of these services.
boost::json::array writeDown(const ReloadReport& report, const std::string& requestedBy, OperationHistory& history, Instant now);

/// Everything that is set, for the plugins to take their own from.
platform::Settings pluginSettings(const config::Configuration& configuration);

/// Reads the configuration files again, applies changes that are possible while serving, and reports the others. Thread-safe.
class ConfigurationReloader
{
public:
    struct Hooks
    {
        std::function<platform::HostFacts(const config::Configuration&)> facts;
        /// Reads the files of the certificates in force again; throws when they cannot be used.
        std::function<void()> reloadCertificates;
        /// Opens the file of the log again, which may have been moved away; throws nothing.
        std::function<void()> reopenLog;
    };

    /// A service that is being enabled or disabled.
    struct Switched
    {
        std::future<plugins::OperationResult> operation;
        /// False if the environment or the command line sets something else at the next reload or start.
        bool lasting = true;
        /// Reason why the switch could not be stored, and lasts until the next start only; empty if it was.
        std::string fault = {};
    };

    ConfigurationReloader(config::ConfigurationStore& store, platform::Platform& platform, plugins::Lifecycle& lifecycle, Hooks hooks)
        : _store(store), _platform(platform), _lifecycle(lifecycle), _hooks(std::move(hooks)), _started(store.current())
    {
    }

    /// Returns the differences from the settings in force, and what each needs. Settings that take effect at a start are compared with
    /// those that the daemon started with, however often the configuration was reloaded since. Switches are compared with the current
    /// state of the services.
    std::vector<SettingChange> differences(const config::Configuration& wanted) const;
    /// Those that were read since the start and wait for a restart of the daemon.
    std::vector<std::string> waitingForRestart() const;
    /// The value in force of a setting that waits for a restart.
    std::string startedValue(const std::string& key) const { return _started->text(key); }

    /// Everything, and waits for services that it switches on or off. Reports failures and applies everything else. @throws
    /// std::runtime_error for a file that cannot be read
    ReloadReport reload(const std::string& requestedBy);
    /// Only what the next generation of a service sees. False, and nothing has changed, when the files have mistakes.
    bool refresh();
    /// Stores the switch of a service in the drop-ins, puts it in force, and begins the operation, also if it could not be stored.
    Switched switchService(const std::string& serviceId, bool enabled, const std::string& requestedBy);

private:
    void take(const std::shared_ptr<const config::Configuration>& configuration);
    void reloadCertificates(ReloadReport& report) const;
    void applySwitches(const config::Configuration& wanted, const std::string& requestedBy, ReloadReport& report);

    config::ConfigurationStore& _store;
    platform::Platform& _platform;
    plugins::Lifecycle& _lifecycle;
    const Hooks _hooks;
    const std::shared_ptr<const config::Configuration> _started;
    /// Services that a reload could not enable. A later reload removes those that serve or are disabled. Needs `_mutex`.
    std::set<std::string> _notEnabled;
    /// Keys of settings that `refresh` put in force since the last reload. Needs `_mutex`.
    std::set<std::string> _readEarlier;
    /// Locked during a reload, and while a switch is stored and its operation queued, so that no switch is lost.
    std::mutex _mutex;
};

} // namespace portico::host::admin
