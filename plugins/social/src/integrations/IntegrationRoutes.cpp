#include "integrations/IntegrationRoutes.h"

#include "networks/Urls.h"

#include <algorithm>

namespace portico::social
{

void IntegrationRoutes::declare(Routes& routes)
{
    const std::vector<std::string_view> brandProblems = {"400 brand_required", "400 brand_mismatch"};
    const auto read = access::bearer("accounts:read"), write = access::bearer("accounts:write");
    routes
        .get("/api/brands/{brandId}/publishing-readiness",
             access::bearerOrKey("accounts:read", "accounts.read").bind(brandResource, "brandId"), &IntegrationRoutes::readiness, this,
             {.summary = "Read the status of each network for a brand"})
        .get("/api/integrations", read, &IntegrationRoutes::list, this,
             {.summary = "List the accounts of a brand and available networks", .problems = brandProblems})
        .post("/api/integrations/{integrationId}/check", write, &IntegrationRoutes::check, this,
              {.summary = "Check with the network whether an account works",
               .execution = Execution::Long,
               .idempotencyKey = false,
               .problems = brandProblems})
        .del("/api/integrations/{integrationId}", write, &IntegrationRoutes::remove, this,
             {.summary = "Disconnect an account", .execution = Execution::Long, .problems = brandProblems});
}

BrandReadiness IntegrationRoutes::readiness(const Caller& caller, const Path<BrandId>& brand) const
{
    auto session = _context.database().session();
    if (!session.value<std::int64_t>("SELECT 1 FROM brand WHERE organization_id = $1 AND id = $2", caller.tenant(), *brand))
        throw Problem::notFound();
    return _readiness.ofBrand(session, caller.tenant(), *brand);
}

Page<Integration, ProviderList> IntegrationRoutes::list(const Caller& caller, const BrandHeader& brand,
                                                        const Query<IntegrationFilter>& filter, const Paging& paging) const
{
    auto session = _context.database().session();
    const auto id = requireBrand(session, caller, brand, filter->brandId);
    const auto accounts = accountsOf(session, caller.tenant(), id);
    auto select = integrationTable.select(caller.tenant());
    select.where(&Integration::brandId, id);
    if (!filter->platform.empty()) select.whereIn(&Integration::platform, filter->platform);
    Page<Integration, ProviderList> page;
    static_cast<Page<Integration>&>(page) = select.orderBy(&Integration::createdAt).page(session, paging);
    for (auto& integration : page.items) integration = shownAccount(session, _readiness, std::move(integration), accounts);
    page.extra.providers = _readiness.providers(session, accounts);
    if (!filter->platform.empty())
        std::erase_if(page.extra.providers, [&](const Provider& provider)
                      { return std::ranges::find(filter->platform, provider.platform) == filter->platform.end(); });
    return page;
}

Integration IntegrationRoutes::check(const Request& request, const BrandHeader& brand, const Query<BrandChoice>& choice,
                                     const Path<IntegrationId>& id) const
{
    const auto& caller = *request.caller;
    const auto brandId = [&]
    {
        auto session = _context.database().session();
        return requireBrand(session, caller, brand, choice->brandId);
    }();
    auto checked = _service.check(Doer::of(request), caller.tenant(), brandId, *id);
    auto session = _context.database().session();
    return shownAccount(session, _readiness, std::move(checked), accountsOf(session, caller.tenant(), brandId));
}

NoContent IntegrationRoutes::remove(const Request& request, const BrandHeader& brand, const Query<BrandChoice>& choice,
                                    const Path<IntegrationId>& id, const IfMatch& ifMatch) const
{
    const auto& caller = *request.caller;
    const auto brandId = [&]
    {
        auto session = _context.database().session();
        return requireBrand(session, caller, brand, choice->brandId);
    }();
    _service.remove(Doer::of(request), caller.tenant(), brandId, *id, ifMatch);
    return {};
}

Integration shownAccount(Session& session, const ReadinessService& readiness, Integration integration,
                         const std::vector<Integration>& accounts)
{
    integration.readiness = readiness.of(session, integration.platform, accounts).readiness;
    if (integration.platform == Platform::Webhook)
    {
        // The path of such a URL is often a secret.
        integration.instanceUrl = originOf(integration.instanceUrl);
        integration.externalId = integration.integrationId.text();
    }
    return integration;
}

} // namespace portico::social
