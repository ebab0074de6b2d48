#pragma once

#include "ai/ImageRoutes.h"
#include "analytics/AnalyticsRoutes.h"
#include "audit/AuditRoutes.h"
#include "brands/BindableBrands.h"
#include "brands/BrandRoutes.h"
#include "brands/BrandService.h"
#include "content/Content.h"
#include "content/MediaRefs.h"
#include "integrations/Accounts.h"
#include "integrations/BlueskyClientRoutes.h"
#include "integrations/ConnectRoutes.h"
#include "integrations/IntegrationRoutes.h"
#include "integrations/IntegrationService.h"
#include "integrations/ReadinessService.h"
#include "integrations/Vault.h"
#include "media/LinkPreviewRoutes.h"
#include "media/MediaCopies.h"
#include "media/MediaLinks.h"
#include "media/MediaRoutes.h"
#include "media/MediaService.h"
#include "networks/Networks.h"
#include "notices/NoticeRoutes.h"
#include "privacy/PersonRecords.h"
#include "publishing/Worker.h"
#include "trends/Trends.h"
#include "widget/WidgetRoutes.h"

#include "portico/Plugin.h"

#include <vector>

namespace portico::social
{

/// The social publishing service: makes its resources and declares their routes.
class SocialPlugin final : public Plugin
{
public:
    explicit SocialPlugin(PluginContext& context);
    /// The same with other networks, for tests.
    SocialPlugin(PluginContext& context, Networks networks);

    void start() override;
    void declare(Routes& routes) override;
    void stop() noexcept override;
    std::vector<HealthCheck> health() override;

private:
    PluginContext& _context;
    BindableBrands _bindableBrands;
    AuditRoutes _auditRoutes;
    BrandService _brandService;
    BrandRoutes _brandRoutes;
    const Networks _networks;
    const Vault _vault;
    ReadinessService _readiness;
    Publications _publications;
    Accounts _accounts;
    IntegrationService _integrationService;
    IntegrationRoutes _integrationRoutes;
    ConnectRoutes _connectRoutes;
    BlueskyClientRoutes _blueskyClientRoutes;
    MediaService _mediaService;
    MediaLinks _mediaLinks;
    MediaCopies _mediaCopies;
    MediaRoutes _mediaRoutes;
    ImageRoutes _imageRoutes;
    Content _content;
    Trends _trends;
    AnalyticsRoutes _analytics;
    LinkPreviewRoutes _linkPreviews;
    WidgetRoutes _widget;
    NoticeRoutes _notices;
    PersonRecords _personRecords;
    Worker _worker;
};

} // namespace portico::social
