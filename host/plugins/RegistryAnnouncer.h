#pragma once

#include "host/plugins/InterfaceRegistry.h"
#include "host/plugins/RegistrationLink.h"

#include <string>

namespace portico::host::plugins
{

/// Hands the enabled services to whichever plugin provides `portico.service-registry`, with the origins and URLs of this host filled into
/// their manifests. Asks only when something changed since it was last answered: the set, or the provider. Used by the lifecycle thread.
class RegistryAnnouncer final : public RegistrationLink
{
public:
    explicit RegistryAnnouncer(const InterfaceRegistry& interfaces) : _interfaces(interfaces) {}
    std::optional<std::map<std::string, std::string>> announce(const std::vector<PublishedService>& services) override;

private:
    const InterfaceRegistry& _interfaces;
    /// Of the last answered question.
    std::string _signature;
    std::map<std::string, std::string> _answer;
};

/// Text of a manifest in which `origins` and the URLs that are paths are completed with the service's canonical origin.
std::string completedManifest(const PublishedService& service);

} // namespace portico::host::plugins
