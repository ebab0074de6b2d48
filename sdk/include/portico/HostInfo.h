#pragma once

#include <map>
#include <string>

namespace portico
{

/// Facts about the host. Fixed for the life of a generation.
struct HostInfo
{
    std::string version;
    /// This service's id and version.
    std::string serviceId;
    std::string serviceVersion;
    /// Browser origin of this service, `http://crm.localhost:8080`, and of every enabled service by id.
    std::string origin;
    std::map<std::string, std::string, std::less<>> origins;
    /// Folder of the plugin's files (web pages, templates), read-only.
    std::string pluginDirectory;
    /// True when every origin is plain http on loopback: cookies lose `Secure` and `__Host-`.
    bool plainHttp = false;
};

} // namespace portico
