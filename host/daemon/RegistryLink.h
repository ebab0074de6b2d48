#pragma once

#include "host/plugins/runtime/Contracts.h"
#include "host/plugins/runtime/InterfaceRegistry.h"

#include "portico/system/ServiceRegistry.h"

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace portico::host::daemon
{

/// Hands the enabled services to the plugin that keeps their catalog, whichever that is. Thread-safe.
class RegistryLink final : public plugins::RegistrationLink
{
public:
    /// `hostId` distinguishes this host from others that share the catalog.
    RegistryLink(const plugins::InterfaceRegistry& interfaces, std::string hostId) : _interfaces(interfaces), _hostId(std::move(hostId)) {}
    /// Confirms that this host still has the services that it last announced, without their data: another host may have newer ones.
    /// @throws exceptions of the catalog's provider
    std::optional<std::map<std::string, std::string>> announce(const std::vector<plugins::PublishedService>& services) override;
    /// Says that this host still has what it announced last. Nothing of the services themselves: another host may have newer ones.
    /// @throws what the keeper throws
    void remind();

private:
    /// Values that determine a service's entry in the catalog.
    struct Facts
    {
        bool operator==(const Facts&) const = default;

        std::string serviceId;
        bool serving = false;
        std::string manifestSha256;
        std::vector<std::string> origins;
        std::vector<std::string> routePermissions;
        /// Generation of the keeper itself; 0: it is another service.
        std::uint64_t keeper = 0;
    };
    static Facts factsOf(const plugins::PublishedService& service);

    const plugins::InterfaceRegistry& _interfaces;
    const std::string _hostId;
    /// Locked during a report, so that a reminder never restores a service that was switched off.
    std::mutex _mutex;
    std::vector<interfaces::RegisteredService> _announced;
    /// Services that the provider has accepted; empty before the first report, or if it rejected one.
    std::vector<Facts> _taken;
};

/// A service in the form of the catalog: with completed origins and relative URLs of the manifest, and the permissions of its routes.
interfaces::RegisteredService registeredService(const plugins::PublishedService& service);

} // namespace portico::host::daemon
