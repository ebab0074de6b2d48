#pragma once

#include "host/plugins/InterfaceRegistry.h"
#include "host/plugins/RegistrationLink.h"

#include "portico/interfaces/ServiceRegistry.h"

namespace portico::host::daemon
{

/// Hands the enabled services to the plugin that keeps their catalog, whichever that is.
class RegistryLink final : public plugins::RegistrationLink
{
public:
    explicit RegistryLink(const plugins::InterfaceRegistry& interfaces) : _interfaces(interfaces) {}
    std::optional<std::map<std::string, std::string>> announce(const std::vector<plugins::PublishedService>& services) override;

private:
    const plugins::InterfaceRegistry& _interfaces;
};

/// One service as its catalog wants it: origins and relative URLs of the manifest completed, and what its routes demand.
interfaces::RegisteredService registeredService(const plugins::PublishedService& service);

} // namespace portico::host::daemon
