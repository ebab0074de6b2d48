#pragma once

#include "common/BrandChoice.h"
#include "integrations/ConnectRequests.h"
#include "integrations/IntegrationService.h"

#include "portico/Routes.h"

#include <string>

namespace portico::social
{

/// POST /api/integrations/{platform}/connect, and the way back from a network by which a person allows the access (RFC 6749, 4.1): it ends
/// in the browser that began it, within ten minutes and once. Thread-safe.
class ConnectRoutes
{
public:
    ConnectRoutes(PluginContext& context, const Networks& networks, const Vault& vault, const ReadinessService& readiness,
                  const IntegrationService& service)
        : _context(context), _networks(networks), _vault(vault), _readiness(readiness), _service(service)
    {
    }
    void declare(Routes& routes);

    Reply<ConnectAnswer> connect(const Request& request, const BrandHeader& brand, const Path<Platform>& platform,
                                 const Body<ConnectBody>& body) const;
    /// Answers 302 to the `returnUrl` with `connected=1` or `error=<code>`; 400 for a state that is unknown, used, or of another browser.
    Redirect callback(const Request& request, const Path<Platform>& platform, const RawQuery& query) const;

private:
    Network& requireConnectable(Session& session, Tenant tenant, const BrandId& brand, Platform platform) const;
    std::string requireReturnUrl(const std::optional<std::string>& url) const;
    Reply<ConnectAnswer> begin(const Request& request, StartedConnect started, const std::string& state, ConnectStart start) const;
    StartedConnect take(const Request& request, Platform platform, const std::string& state) const;
    std::string finish(const StartedConnect& started, const std::string& state, const RawQuery& query, const Request& request) const;
    std::string redirectUri(Platform platform) const;

    PluginContext& _context;
    const Networks& _networks;
    const Vault& _vault;
    const ReadinessService& _readiness;
    const IntegrationService& _service;
};

} // namespace portico::social
