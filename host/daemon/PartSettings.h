#pragma once

#include "host/config/Configuration.h"
#include "host/config/InstallLayout.h"
#include "host/data/DatabaseEngine.h"
#include "host/http/ServerSettings.h"
#include "host/platform/config/ServiceConfig.h"
#include "host/platform/context/PlatformSettings.h"
#include "host/plugins/lifecycle/HealthMonitor.h"
#include "host/plugins/package/Discovery.h"
#include "host/routing/idempotency/IdempotencyStore.h"
#include "host/routing/pages/PagePolicy.h"
#include "host/routing/pipeline/Settings.h"

#include <filesystem>
#include <string>
#include <vector>

namespace portico::host::daemon
{

// What the parts of the host take, of a checked configuration. Each throws std::runtime_error for a secret that cannot be read.

data::DatabaseSettings databaseSettings(const config::Configuration& configuration, const std::filesystem::path& state);
/// `logDescriptor` is where log lines go, `logTail` what keeps them, too, or null.
platform::PlatformSettings platformSettings(const config::Configuration& configuration, const std::filesystem::path& state,
                                            const config::InstallLayout& layout, int logDescriptor, telemetry::LogTail* logTail);
/// Whether the host is looked at from a browser, and keeps what is looked at there.
bool hasConsole(const config::Configuration& configuration);
/// Makes the secret that signs cursors, if none is named and none was made before.
routing::Settings routingSettings(const config::Configuration& configuration, const std::filesystem::path& state);
/// `plainLoopback`: every service has origins of this machine only, without TLS (`HostFacts::plainHttp`).
routing::PageSettings pageSettings(const config::Configuration& configuration, bool plainLoopback);
routing::IdempotencyTimes idempotencyTimes(const config::Configuration& configuration);
plugins::HealthTimes healthTimes(const config::Configuration& configuration);
http::ServerSettings serverSettings(const config::Configuration& configuration, const std::filesystem::path& state);
/// Web origins of a service, the canonical one first: those that are set, else its name below localhost.
std::vector<std::string> serviceOrigins(const config::Configuration& configuration, const std::string& serviceId);
bool serviceEnabled(const config::Configuration& configuration, const std::string& serviceId);
/// What plugins are told about the host. Origins wait for a restart, as ports do: they are those of the configuration at the start; which
/// services are enabled is asked of the current one.
platform::HostFacts hostFacts(const config::Configuration& started, const config::Configuration& current,
                              const plugins::Discovery& discovery);
/// Where to listen: the port of all services on each address, a port of its own for each service that has one, the Unix socket. Sockets
/// that systemd has handed over take the place of the addresses they are bound to.
std::vector<http::ListenerSettings> listeners(const config::Configuration& configuration);

} // namespace portico::host::daemon
