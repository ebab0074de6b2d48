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
    /// `hostId` tells this host from others that share the catalog.
    RegistryLink(const plugins::InterfaceRegistry& interfaces, std::string hostId) : _interfaces(interfaces), _hostId(std::move(hostId)) {}
    /// The keeper that has taken all services is not told the same again.
    std::optional<std::map<std::string, std::string>> announce(const std::vector<plugins::PublishedService>& services) override;
    /// Says that this host still has what it announced last. Nothing of the services themselves: another host may have newer ones.
    /// @throws what the keeper throws
    void remind();

private:
    /// What the keeper learns of a service follows from this.
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
    /// Held while the keeper is told, so that a reminder never brings back what has been switched off meanwhile.
    std::mutex _mutex;
    std::vector<interfaces::RegisteredService> _announced;
    /// What the keeper has taken; empty when it was told nothing yet, or refused something.
    std::vector<Facts> _taken;
};

/// One service as its catalog wants it: origins and relative URLs of the manifest completed, and what its routes demand.
interfaces::RegisteredService registeredService(const plugins::PublishedService& service);

} // namespace portico::host::daemon
