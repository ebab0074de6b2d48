#include "SocialPlugin.h"

#include "portico/interfaces/Directory.h"

#include <string>
#include <utility>

namespace portico::social
{

SocialPlugin::SocialPlugin(PluginContext& context) : SocialPlugin(context, makeNetworks(context)) {}

SocialPlugin::SocialPlugin(PluginContext& context, Networks networks)
    : _context(context),
      _bindableBrands(context),
      _auditRoutes(context),
      _brandService(context, {.isPublishing = &Publications::isPublishing}),
      _brandRoutes(context, _brandService),
      _networks(std::move(networks)),
      _vault(context.config()),
      _readiness(context, _networks, _vault),
      _publications(context),
      _accounts(context, _networks, _vault),
      _integrationService(context, _networks, _vault, _readiness, _accounts,
                          {.removed = [this](Transaction& transaction, Tenant tenant, const BrandId& brand, const IntegrationId& account,
                                             const Doer& doer) { _publications.loseAccount(transaction, tenant, brand, account, doer); }}),
      _integrationRoutes(context, _readiness, _integrationService),
      _connectRoutes(context, _networks, _vault, _readiness, _integrationService),
      _content(context, _networks),
      _worker(context, _networks, _accounts)
{
}

void SocialPlugin::start()
{
    _context.services().provide<interfaces::BindableResources>(_bindableBrands);
    _integrationService.start();
    _content.start();
    _worker.start();
}

void SocialPlugin::declare(Routes& routes)
{
    _auditRoutes.declare(routes);
    _brandRoutes.declare(routes);
    _integrationRoutes.declare(routes);
    _connectRoutes.declare(routes);
    _content.declare(routes);
}

std::vector<HealthCheck> SocialPlugin::health()
{
    // A transfer of a brand needs the directory; all other routes work without it.
    return {{.name = std::string(interfaces::Directory::interfaceName),
             .healthy = static_cast<bool>(_context.services().find<interfaces::Directory>()),
             .neededToServe = false},
            _worker.health()};
}

} // namespace portico::social
