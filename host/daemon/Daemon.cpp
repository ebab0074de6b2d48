#include "host/daemon/Daemon.h"

#include "host/daemon/LocalCalls.h"
#include "host/daemon/PartSettings.h"
#include "host/daemon/Signals.h"
#include "host/data/Migrator.h"
#include "host/plugins/quarantine/Quarantine.h"

#include <algorithm>
#include <cstdlib>
#include <malloc.h>
#include <sys/resource.h>
#include <system_error>
#include <utility>

namespace portico::host::daemon
{

namespace
{

/// Name of the host's own database beside those of the services, and of its migrations; never changes.
constexpr const char* hostDatabaseName = "host";
/// Name for the counters of rate limits, beside the values of services; no service can have it.
constexpr const char* limitsName = "host_limits";
constexpr std::chrono::hours signOfLife{1};
/// Databases, files of services, mail and other servers, beside connections.
constexpr rlim_t otherFiles = 1024;
/// Time after which unused memory is returned to the system: memory of a burst is returned after twice this time.
constexpr std::chrono::seconds quiet{20};

std::string withoutCredentials(const std::string& url)
{
    const auto scheme = url.find("://");
    const auto at = url.find('@');
    if (scheme == std::string::npos || at == std::string::npos) return url;
    return url.substr(0, scheme + 3) + url.substr(at + 1);
}

/// The setting that has to change, or what, where an address cannot be listened at.
std::string whatToCorrect(const http::ListenerSettings& listener, const std::exception& error)
{
    if (listener.address.starts_with("unix:")) return "Correct server.unixSocket.";
    const auto* refused = dynamic_cast<const std::system_error*>(&error);
    if (!refused || refused->code() == std::errc::address_not_available) return "Correct server.bind.";
    return "Stop what uses it, or choose another with --set " +
           (listener.service.empty() ? "server.port" : "services." + listener.service + ".port") + "=N.";
}

} // namespace

Daemon::Daemon(const StateDirectory& state, const config::InstallLayout& layout, config::ConfigurationStore& store,
               const InstalledPlugins& installed)
    : _store(store),
      _installed(installed),
      _configuration(store.current()),
      _stateDirectory(state.path()),
      _logFile(_configuration->text("log.file")),
      _logTail(hasConsole(*_configuration) ? std::make_unique<telemetry::LogTail>(_clock.now()) : nullptr),
      _load(hasConsole(*_configuration) ? std::make_unique<admin::LoadHistory>() : nullptr),
      _platform(platformSettings(*_configuration, _stateDirectory, layout, _logFile.descriptor(), _logTail.get()),
                admin::pluginSettings(*_configuration), hostFacts(*_configuration, *_configuration, installed.discover(*_configuration)),
                _clock, _databases, _interfaces),
      _hostDatabase(openHostDatabase(_databases, databaseSettings(*_configuration, _stateDirectory), layout, _clock)),
      _reads(_hostDatabase->dialect() == Dialect::SQLite
                 ? nullptr
                 : std::make_unique<data::SharedReads>([this](std::string_view id) { return _platform.database(id); },
                                                       _platform.metrics().of({}))),
      _publisher(_routes, _meters,
                 pageSettings(*_configuration, hostFacts(*_configuration, *_configuration, installed.discover(*_configuration)).plainHttp)),
      _registry(_interfaces, hostId(_stateDirectory)),
      _lifecycle(lifecycleSettings(), {_platform, _publisher, _interfaces, _platform.logger(), _clock, &_registry}),
      _crashHandler(plugins::CrashReports::file(_stateDirectory)),
      _healthMonitor(
          healthTimes(*_configuration), [this] { return servingGenerations(); }, _platform.logger()),
      _idempotency(*_hostDatabase, idempotencyTimes(*_configuration)),
      _upkeepPool("host upkeep", _platform.log()),
      _sharedLimits(_platform.states() ? _platform.states()->open(limitsName) : nullptr),
      _health(_state, _platform),
      _dispatcher(environment(), routingSettings(*_configuration, _stateDirectory)),
      _server(serverSettings(*_configuration, _stateDirectory), _dispatcher),
      _reloader(_store, _platform, _lifecycle, reloadHooks()),
      _commandParts{_state,
                    _store,
                    _reloader,
                    _history,
                    _lifecycle,
                    _platform,
                    _interfaces,
                    _routes,
                    [this] { return _installed.discover(*_store.current()); },
                    [this] { return metrics(); },
                    _logTail.get(),
                    _load.get(),
                    [] { Signals::requestStop(); }},
      _console(_commands, _commandParts, _configuration->text("admin.console"))
{
    _state.version = PORTICO_VERSION;
    _state.stateDirectory = _stateDirectory;
    _state.safeMode = _configuration->boolean("plugins.safeMode");
    _state.database = withoutCredentials(_configuration->text("database.url"));
    _state.stateStore = _configuration->text("state.store");
    if (_state.stateStore == "redis") _state.stateStore = withoutCredentials(_configuration->text("state.redis.url"));
    admin::addCommands(_commands, _commandParts);
    _interfaces.provideByHost<interfaces::HostOperations>(_console, [this](const auto& user) { return _console.isFor(user); });
    if (_reads) _interfaces.provideByHost<interfaces::SharedReads>(*_reads, [](const auto&) { return true; });
    _platform.setLocalCall([this](const Call& call) { return callService(call, _dispatcher, _routes); });
    openControl();
}

Daemon::~Daemon() { stop(); }

std::unique_ptr<data::ServiceDatabase> Daemon::openHostDatabase(const data::DatabaseFactory& databases,
                                                                const data::DatabaseSettings& settings, const config::InstallLayout& layout,
                                                                const Clock& clock)
{
    try
    {
        databases.check(settings);
        auto database = databases.open(settings, hostDatabaseName);
        data::migrate(*database, {hostDatabaseName, layout.migrations() / hostDatabaseName}, clock.now());
        // With a read-only database (a standby, before it takes over) every service would fail: the service manager retries.
        database->transact([](Transaction&) {});
        return database;
    }
    catch (const std::exception& error)
    {
        throw StartError(std::string("The database cannot be used: ") + error.what() + ". Correct database.url or what it names.");
    }
}

plugins::LifecycleSettings Daemon::lifecycleSettings()
{
    plugins::LifecycleSettings settings;
    settings.pluginDirectories = _installed.directories(*_configuration);
    settings.stateDirectory = _stateDirectory;
    settings.enabled = [this](const std::string& id) { return serviceEnabled(*_store.current(), id); };
    settings.origins = [this](const plugins::Manifest& manifest) { return serviceOrigins(*_configuration, manifest.serviceId); };
    settings.trust = _installed.trust(*_configuration);
    settings.unmap = _configuration->boolean("plugins.unmap");
    settings.unasked = [this](const plugins::OperationResult& operation) { _history.add(operation, _clock.now()); };
    return settings;
}

std::vector<std::shared_ptr<plugins::Generation>> Daemon::servingGenerations() const
{
    std::vector<std::shared_ptr<plugins::Generation>> generations;
    for (const auto& site : _routes.copy()->sites())
        if (site.service.generation) generations.push_back(site.service.generation);
    return generations;
}

routing::Environment Daemon::environment()
{
    return {_routes,      _clock,  _platform.logger(), [this] { return _interfaces.find<interfaces::Credentials>(); },
            _idempotency, _health, _platform.tracer(), _sharedLimits.get(),
            _reads.get()};
}

admin::ConfigurationReloader::Hooks Daemon::reloadHooks()
{
    return {[this](const config::Configuration& configuration)
            { return hostFacts(*_configuration, configuration, _installed.discover(configuration)); },
            [this] { _server.reloadCertificates(); }, [this] { reopenLog(); }};
}

void Daemon::reopenLog()
{
    try
    {
        _logFile.reopen();
    }
    catch (const StartError& error)
    {
        _platform.logger().error("the log stays in the file that was open", {{"reason", error.what()}});
    }
}

std::string Daemon::controlSocket() const
{
    if (auto set = _configuration->text("control.socket"); !set.empty()) return set;
    const char* const ofUnit = std::getenv("RUNTIME_DIRECTORY");
    return (ofUnit && *ofUnit != '\0' ? std::filesystem::path(ofUnit) : _stateDirectory) / "control.sock";
}

void Daemon::start()
{
    warnOfOpenDoors();
    openFiles();
    recallCrashes();
    _history.add(_lifecycle.startAll("start of the daemon").get(), _clock.now());
    _platform.start();
    startUpkeep();
    _healthMonitor.start();
    listen();
    _server.start();
    openMetrics();
    _state.phase = admin::HostPhase::Serving;
    const auto text = summary();
    _platform.logger().information("ready", {{"version", PORTICO_VERSION}, {"services", text}});
    _serviceManager.ready("Serving " + text);
    if (const auto listeners = _state.listeners(); !listeners.empty()) _serviceManager.watch(listeners.front().address);
}

void Daemon::startUpkeep()
{
    _upkeepPool.add("memory",
                    [this](const auto&)
                    {
                        _platform.giveMemoryBack(quiet);
                        _hostDatabase->giveMemoryBack(quiet);
                        ::malloc_trim(0);
                        return quiet;
                    });
    // A file has one host.
    if (_hostDatabase->dialect() != Dialect::SQLite)
        _upkeepPool.add("registry of services",
                        [this](const auto&)
                        {
                            _registry.remind();
                            return signOfLife;
                        });
    if (_load)
        _upkeepPool.add("load of the last hour",
                        [this](const auto&)
                        {
                            _load->add(_clock.now(), admin::loadOf(metricsSources()));
                            return admin::LoadHistory::interval;
                        });
    _upkeepPool.start(1);
}

void Daemon::listen()
{
    for (const auto& listener : listeners(*_configuration))
    {
        try
        {
            auto bound = _server.listen(listener);
            _state.add({bound.address, listener.service});
        }
        catch (const std::exception& error)
        {
            throw StartError(std::string(error.what()) + ". " + whatToCorrect(listener, error));
        }
    }
}

void Daemon::openControl()
{
    try
    {
        _control.emplace(controlSocket(), _commands);
    }
    catch (const std::system_error& error)
    {
        throw StartError(std::string(error.what()) + ". Correct control.socket, or remove the file.");
    }
}

void Daemon::openMetrics()
{
    const auto address = _configuration->text("metrics.listen");
    if (address.empty()) return;
    try
    {
        _metricsEndpoint.emplace(address, [this] { return metrics(); });
    }
    catch (const std::exception& error)
    {
        throw StartError(std::string(error.what()) + ". Correct metrics.listen.");
    }
}

/// Raises the limit of open files: each connection needs one, and a shell allows 1,024 by default.
void Daemon::openFiles()
{
    rlimit limit{};
    const auto connections = static_cast<rlim_t>(_configuration->integer("http.maxConnections"));
    const auto wanted = connections + otherFiles;
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
    limit.rlim_cur = std::min(limit.rlim_max, wanted);
    if (::setrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= connections) return;
    _platform.logger().warning("fewer files may be open than http.maxConnections needs",
                               {{"note", std::to_string(limit.rlim_cur) + " of " + std::to_string(wanted) +
                                             ": raise LimitNOFILE of the unit (ulimit -n), or lower http.maxConnections"}});
}

void Daemon::warnOfOpenDoors()
{
    if (_configuration->text("limits.rates") == "off")
        _platform.logger().warning("request rate limits are off (limits.rates): for load tests only");
    if (_state.safeMode) _platform.logger().warning("safe mode: only the plugins are started that came with porticod (plugins.safeMode)");
    for (const auto& fault : plugins::TrustedKeys::read(_installed.trust(*_configuration).trustedKeys).faults)
        _platform.logger().warning("a key is not trusted", {{"reason", fault}});
    for (const auto& fault : _installed.openDoors(*_configuration))
        _platform.logger().warning("others may change what runs in the daemon", {{"reason", fault}});
    for (const auto& fault : InstalledPlugins::straySettings(*_configuration, _installed.discover(*_configuration)))
        _platform.logger().warning("a setting means no service", {{"reason", fault}});
}

/// Where the runs ended since the last operation was written down: a process that crashes cannot do it itself.
void Daemon::recallCrashes()
{
    const auto since = _history.newestTime();
    const plugins::CrashReports reports(_stateDirectory);
    Instant lastRun{};
    for (const auto& crash : reports.all())
    {
        // One process is one crash, however many of its threads were in trouble. Times of this form are ordered as their texts are.
        if (toString(crash.at) <= since || crash.run == lastRun) continue;
        lastRun = crash.run;
        plugins::OperationResult operation;
        operation.command = "crash";
        operation.serviceId = crash.serviceId;
        operation.requestedBy = "signal " + std::to_string(crash.signal);
        const bool inside = !crash.serviceId.empty();
        operation.messages.push_back(inside ? "it ended the daemon " +
                                                  std::string(crash.serving ? "while it served" : "on its way in or out") +
                                                  ", generation " + std::to_string(crash.generation) + ", file " + crash.sha256
                                            : "the daemon ended outside of any plugin");
        if (!crash.details.empty()) operation.messages.push_back(crash.details);
        _history.add(operation, crash.at);
        _platform.logger().warning(inside ? "the daemon had ended inside a plugin" : "the daemon had ended outside of any plugin",
                                   {{"service", crash.serviceId},
                                    {"by", operation.requestedBy},
                                    {"at", toString(crash.at)},
                                    {"sha256", crash.sha256},
                                    {"where", crash.details}});
    }
}

void Daemon::tell(const std::vector<config::Diagnostic>& diagnostics)
{
    for (const auto& diagnostic : diagnostics)
        if (diagnostic.severity == config::Diagnostic::Severity::Error)
            _platform.logger().error(diagnostic.text());
        else
            _platform.logger().warning(diagnostic.text());
}

void Daemon::reloadConfiguration()
{
    _serviceManager.reloading();
    try
    {
        const auto report = _reloader.reload("SIGHUP");
        admin::writeDown(report, "SIGHUP", _history, _clock.now());
        tell(report.diagnostics);
        for (const auto& change : report.changes)
            if (change.needsRestart)
                _platform.logger().warning("setting changed; the old value is in force until the daemon is restarted",
                                           {{"key", change.key}});
            else
                _platform.logger().information("setting changed", {{"key", change.key}, {"effect", change.effect}});
        if (!report.taken) _platform.logger().error("the configuration has mistakes; the one in force stays");
    }
    catch (const std::exception& error)
    {
        _platform.logger().error("the configuration cannot be read; the one in force stays", {{"reason", error.what()}});
    }
    _serviceManager.ready("Serving " + summary());
}

void Daemon::stop()
{
    if (std::exchange(_stopped, true)) return;
    _state.phase = admin::HostPhase::Stopping;
    const auto patience = _configuration->seconds("server.drainSeconds");
    _serviceManager.stopping(patience);
    if (!_server.stop(patience)) _platform.logger().warning("requests were cut off at the end of server.drainSeconds");
    _upkeepPool.stop();
    _healthMonitor.stop();
    _platform.stop();
    _history.add(_lifecycle.stopAll("stop of the daemon").get(), _clock.now());
    _platform.logger().information("stopped");
}

admin::MetricsSources Daemon::metricsSources()
{
    return {_state,
            _platform.metrics(),
            _meters,
            _lifecycle,
            [this] { return _server.statistics(); },
            [this]
            {
                auto databases = _platform.databaseStats();
                databases.emplace(hostDatabaseName, _hostDatabase->stats());
                return databases;
            }};
}

std::string Daemon::metrics() { return admin::metricsText(metricsSources()); }

std::string Daemon::summary() const
{
    std::string text;
    for (const auto& service : _lifecycle.status())
        if (service.state == plugins::State::Serving) text.append(text.empty() ? "" : ", ").append(service.serviceId);
    if (text.empty()) text = "no service";
    return _state.safeMode ? text + " (safe mode)" : text;
}

} // namespace portico::host::daemon
