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

// Settings of the host's parts from a checked configuration. Each throws std::runtime_error for a secret that cannot be read.

data::DatabaseSettings databaseSettings(const config::Configuration& configuration, const std::filesystem::path& state);
/// `logDescriptor` is where log lines go, `logTail` what keeps them, too, or null.
platform::PlatformSettings platformSettings(const config::Configuration& configuration, const std::filesystem::path& state,
                                            const config::InstallLayout& layout, int logDescriptor, telemetry::LogTail* logTail);
/// Returns true if a browser console is configured; the host then keeps data for it.
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
/// Facts about the host for plugins. Origins, like ports, are those of the configuration at the start; the current one decides which
/// services are enabled.
platform::HostFacts hostFacts(const config::Configuration& started, const config::Configuration& current,
                              const plugins::Discovery& discovery);
/// Listeners: the port of all services on each address, separate ports of services, the Unix socket. Sockets from systemd replace the
/// addresses that they are bound to.
std::vector<http::ListenerSettings> listeners(const config::Configuration& configuration);

} // namespace portico::host::daemon
