#pragma once

#include "host/config/Configuration.h"
#include "host/http/ServerSettings.h"
#include "host/platform/context/PlatformSettings.h"
#include "host/plugins/package/Discovery.h"

#include <string>
#include <vector>

namespace portico::host::daemon
{

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
