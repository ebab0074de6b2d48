#pragma once

#include "portico/Services.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portico::interfaces
{

/// An enabled plugin as the host knows it.
struct RegisteredService
{
    /// Text of the manifest, its origins and URLs completed with those of this host.
    std::string manifest;
    /// SHA-256 of the manifest file, hexadecimal.
    std::string manifestSha256;
    /// Browser origin, `http://crm.localhost:8080`.
    std::string origin;
    /// Permissions that routes name, full. A protected route that names none is about the caller's own things (Access.h), and no fault.
    std::vector<std::string> routePermissions;
    std::string serviceId;
    /// False for a service of this host that cannot serve at the moment. Its registration stays unchanged, because other hosts may serve
    /// it. Only the id is passed then, and there is no answer.
    bool serving = true;
};

/// Answer of the provider about a published service.
struct Registration
{
    std::string serviceId;
    /// False: its protected routes answer 503 `service_disabled`.
    bool active = true;
    /// Why not, for the log.
    std::string report;
};

/// Keeps the catalog of services: permissions, role bundles, API key scopes. Each host hands it all services that are enabled there, at
/// start, after each change, and once an hour as a sign of life.
class ServiceRegistry : public ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "portico.service-registry";
    static constexpr std::string_view interfaceVersion = "1.0";
    /// @param hostId identifies the host among those that share the catalog: a service is available while one of them has it enabled.
    virtual std::vector<Registration> publish(std::string_view hostId, std::span<const RegisteredService> enabled) = 0;
};

} // namespace portico::interfaces
