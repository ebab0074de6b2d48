#pragma once

#include "common/BrandChoice.h"
#include "integrations/ConnectRequests.h"
#include "integrations/IntegrationService.h"

#include "portico/Routes.h"

namespace portico::social
{

struct IntegrationFilter : BrandChoice
{
    std::vector<Platform> platform;
};

constexpr auto schemaOf(const IntegrationFilter*) { return describe(inherited<BrandChoice>(), field<&IntegrationFilter::platform>()); }

/// Members of the list's answer beside the accounts.
struct ProviderList
{
    std::vector<Provider> providers;
};

constexpr auto schemaOf(const ProviderList*) { return describe(field<&ProviderList::providers>()); }

/// /api/integrations and the readiness of a brand. Thread-safe.
class IntegrationRoutes
{
public:
    IntegrationRoutes(PluginContext& context, const ReadinessService& readiness, const IntegrationService& service)
        : _context(context), _readiness(readiness), _service(service)
    {
    }
    void declare(Routes& routes);

    BrandReadiness readiness(const Caller& caller, const Path<BrandId>& brand) const;
    Page<Integration, ProviderList> list(const Caller& caller, const BrandHeader& brand, const Query<IntegrationFilter>& filter,
                                         const Paging& paging) const;
    Integration check(const Request& request, const BrandHeader& brand, const Query<BrandChoice>& choice,
                      const Path<IntegrationId>& id) const;
    NoContent remove(const Request& request, const BrandHeader& brand, const Query<BrandChoice>& choice, const Path<IntegrationId>& id,
                     const IfMatch& ifMatch) const;

private:
    PluginContext& _context;
    const ReadinessService& _readiness;
    const IntegrationService& _service;
};

/// Prepares an account for a response: adds the readiness of its network, and reduces a webhook's URL to its origin.
Integration shownAccount(Session& session, const ReadinessService& readiness, Integration integration,
                         const std::vector<Integration>& accounts);

} // namespace portico::social
