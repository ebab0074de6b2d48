#include "SocialPlugin.h"

#include "portico/interfaces/Directory.h"

#include <string>
#include <utility>

namespace portico::social
{

namespace
{
bool hasImage(Session& session, Tenant tenant, const BrandId& brand, const MediaId& id)
{
    const auto media = mediaTable.find(session, tenant, brand, id);
    return media && media->status == MediaStatus::Ready && (media->kind == MediaKind::Image || media->kind == MediaKind::Gif);
}
} // namespace

SocialPlugin::SocialPlugin(PluginContext& context) : SocialPlugin(context, makeNetworks(context)) {}

SocialPlugin::SocialPlugin(PluginContext& context, Networks networks)
    : _context(context),
      _bindableBrands(context),
      _auditRoutes(context),
      _brandService(context, {.hasImage = hasImage, .isPublishing = &Publications::isPublishing}),
      _brandRoutes(context, _brandService),
      _networks(std::move(networks)),
      _vault(context.config()),
      _readiness(context, _networks, _vault),
      _publications(context),
      _accounts(context, _networks, _vault),
      _integrationService(context, _networks, _vault, _readiness, _accounts,
                          {.connected = [this](Transaction& transaction, Tenant tenant, const BrandId& brand, const IntegrationId& account)
                           { _publications.wakeAccount(transaction, tenant, brand, account); },
                           .removed = [this](Transaction& transaction, Tenant tenant, const BrandId& brand, const IntegrationId& account,
                                             const Doer& doer) { _publications.loseAccount(transaction, tenant, brand, account, doer); }}),
      _integrationRoutes(context, _readiness, _integrationService),
      _connectRoutes(context, _networks, _vault, _readiness, _integrationService),
      _blueskyClientRoutes(makeBlueskyClient(context)),
      _mediaService(context, {&itemsWithMedia, &isApprovedWithMedia,
                              [&context](Transaction& transaction, Tenant tenant, const BrandId& brand, const MediaId& id, const Doer& doer)
                              { reviseItemsWithMedia(context, transaction, tenant, brand, id, doer); }}),
      _mediaLinks(context),
      _mediaCopies(context),
      _mediaRoutes(context, _mediaService, _mediaLinks),
      _imageRoutes(context, _mediaService, _mediaLinks),
      _content(context, _networks, _accounts),
      _trends(_content.tools()),
      _analytics(_content.tools()),
      _linkPreviews(context, _mediaLinks),
      _widget(context),
      _notices(context),
      _personRecords(context),
      _worker(context, _networks, _accounts, _mediaLinks, _mediaCopies)
{
}

void SocialPlugin::start()
{
    _context.services().provide<interfaces::BindableResources>(_bindableBrands);
    _context.services().provide<interfaces::PersonalData>(_personRecords);
    _integrationService.start();
    _mediaService.start();
    _mediaCopies.start();
    _content.start();
    _trends.start();
    _analytics.start();
    _notices.start();
    _worker.start();
}

void SocialPlugin::declare(Routes& routes)
{
    _auditRoutes.declare(routes);
    _brandRoutes.declare(routes);
    _integrationRoutes.declare(routes);
    _connectRoutes.declare(routes);
    _blueskyClientRoutes.declare(routes);
    _mediaRoutes.declare(routes);
    _imageRoutes.declare(routes);
    _content.declare(routes);
    _trends.declare(routes);
    _analytics.declare(routes);
    _linkPreviews.declare(routes);
    _widget.declare(routes);
    _notices.declare(routes);
}

void SocialPlugin::stop() noexcept { _worker.stop(); }

std::vector<HealthCheck> SocialPlugin::health()
{
    // A transfer of a brand needs the directory; all other routes work without it.
    return {{.name = std::string(interfaces::Directory::interfaceName),
             .healthy = static_cast<bool>(_context.services().find<interfaces::Directory>()),
             .neededToServe = false},
            _worker.health()};
}

} // namespace portico::social
