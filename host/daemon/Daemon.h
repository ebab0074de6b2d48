#pragma once

#include "host/admin/Commands.h"
#include "host/admin/ConsoleOperations.h"
#include "host/admin/ControlServer.h"
#include "host/admin/MetricsEndpoint.h"
#include "host/daemon/InstalledPlugins.h"
#include "host/daemon/LogFile.h"
#include "host/daemon/RegistryLink.h"
#include "host/daemon/ServiceManager.h"
#include "host/daemon/StateDirectory.h"
#include "host/http/Server.h"
#include "host/platform/jobs/PollingPool.h"
#include "host/plugins/lifecycle/HealthMonitor.h"
#include "host/plugins/quarantine/CrashHandler.h"
#include "host/routing/idempotency/IdempotencyStore.h"
#include "host/routing/pipeline/Dispatcher.h"
#include "host/routing/table/RouteTablePublisher.h"

#include <memory>
#include <optional>

namespace portico::host::daemon
{

/// The parts of the host, put together. Members are in the order of their construction and end in reverse order.
class Daemon
{
public:
    /// Constructs all parts, and opens the control socket. `store` has a checked configuration. @throws StartError and other
    /// std::exception, with a sentence for the operator
    Daemon(const StateDirectory& state, const config::InstallLayout& layout, config::ConfigurationStore& store,
           const InstalledPlugins& installed);
    /// Stops what still runs, at once.
    ~Daemon();

    /// Says in the log what is wrong with a configuration that it can work with, or that it does not take.
    void tell(const std::vector<config::Diagnostic>& diagnostics);
    /// Starts the services, then listens. A service that does not start is reported and leaves the others alone. @throws StartError
    void start();
    /// Handles SIGHUP.
    void reloadConfiguration();
    /// Reports not ready, stops accepting connections, lets requests end, then stops the services.
    void stop();

private:
    static std::unique_ptr<data::ServiceDatabase> openHostDatabase(const data::DatabaseFactory& databases,
                                                                   const data::DatabaseSettings& settings,
                                                                   const config::InstallLayout& layout, const Clock& clock);
    plugins::LifecycleSettings lifecycleSettings();
    std::vector<std::shared_ptr<plugins::Generation>> servingGenerations() const;
    routing::Environment environment();
    admin::ConfigurationReloader::Hooks reloadHooks();
    void reopenLog();
    std::string controlSocket() const;
    void startUpkeep();
    void listen();
    void openControl();
    void openMetrics();
    void openFiles();
    void warnOfOpenDoors();
    void recallCrashes();
    admin::MetricsSources metricsSources();
    std::string metrics();
    std::string summary() const;

    config::ConfigurationStore& _store;
    const InstalledPlugins& _installed;
    const std::shared_ptr<const config::Configuration> _configuration;
    const std::filesystem::path _stateDirectory;
    const SystemClock _clock;
    admin::HostState _state;
    LogFile _logFile;
    /// Null without a console.
    const std::unique_ptr<telemetry::LogTail> _logTail;
    const std::unique_ptr<admin::LoadHistory> _load;
    const data::DatabaseFactory _databases;
    plugins::InterfaceRegistry _interfaces;
    platform::Platform _platform;
    std::unique_ptr<data::ServiceDatabase> _hostDatabase;
    /// Null where databases are files of this host.
    std::unique_ptr<data::SharedReads> _reads;
    routing::CurrentTable _routes;
    routing::RouteMeters _meters;
    routing::RouteTablePublisher _publisher;
    RegistryLink _registry;
    admin::OperationHistory _history{_stateDirectory / "operations.log", _platform.logger()};
    plugins::Lifecycle _lifecycle;
    const plugins::CrashHandler _crashHandler;
    plugins::HealthMonitor _healthMonitor;
    routing::DatabaseIdempotencyStore _idempotency;
    platform::PollingPool _upkeepPool;
    /// Null where hosts share nothing.
    const std::unique_ptr<StateStore> _sharedLimits;
    admin::HealthReporter _health;
    routing::Dispatcher _dispatcher;
    http::Server _server;
    admin::ConfigurationReloader _reloader;
    const admin::CommandDependencies _commandParts;
    admin::ControlCommands _commands;
    admin::ConsoleOperations _console;
    std::optional<admin::MetricsEndpoint> _metricsEndpoint;
    std::optional<admin::ControlServer> _control;
    ServiceManagerLink _serviceManager;
    bool _stopped = false;
};

} // namespace portico::host::daemon
