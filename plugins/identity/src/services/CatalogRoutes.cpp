#include "services/CatalogRoutes.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

const CatalogService& require(const Catalog& catalog, const std::string& serviceId)
{
    const auto* service = catalog.find(serviceId);
    if (!service || !service->active()) throw Problem::notFound("There is no such service.");
    return *service;
}

/// Identity's routes for keys take it in each service.
constexpr std::string_view keyScope = "api_keys.write";

bool takesScope(const ScopeEntry& scope, const std::vector<std::string>& permissionsWithoutRoute)
{
    const auto isServed = [&](const std::string& permission)
    { return std::ranges::find(permissionsWithoutRoute, permission) == permissionsWithoutRoute.end(); };
    return scope.scope == keyScope || std::ranges::any_of(scope.permissions, isServed);
}

} // namespace

void CatalogRoutes::declare(Routes& routes)
{
    const auto anyone = Access{.bearer = true, .apiKey = true}.orService();
    routes
        .get("/api/services/{service_id}/api-key-scopes", anyone, &CatalogRoutes::scopesOf, this,
             {.summary = "List the API key scopes of a service"})
        .get("/api/api-key-scopes", anyone, &CatalogRoutes::scopes, this, {.summary = "List the API key scopes of all active services"})
        .get("/api/services/{service_id}/bindable-resources", access::bearer(), &CatalogRoutes::bindableTypes, this,
             {.summary = "List the resource types that a key can be bound to"})
        .get("/api/services/{service_id}/completeness", access::bearer("identity.services:read"), &CatalogRoutes::completeness, this,
             {.summary = "Read the completeness report of a service"});
}

ServiceScopes CatalogRoutes::scopesIn(const CatalogService& service) const
{
    const auto report = _catalog.report(service.serviceId);
    const auto checks = report ? fromJson<CompletenessReport>(*report).checks : CompletenessChecks{};
    ServiceScopes view;
    view.serviceId = service.serviceId;
    view.manifestSha256 = service.manifestSha256;
    for (const auto& scope : service.scopes)
        view.scopes.push_back({scope.scope, scope.title, scope.description, scope.permissions, scope.bindable, service.risk(scope),
                               takesScope(scope, checks.referenceCoverage.permissionsWithoutRoute)});
    return view;
}

ServiceScopes CatalogRoutes::scopesOf(const Path<std::string>& serviceId) const
{
    const auto catalog = _catalog.snapshot();
    return scopesIn(require(*catalog, *serviceId));
}

Page<ServiceScopes> CatalogRoutes::scopes(const Query<ScopesQuery>& query) const
{
    const auto catalog = _catalog.snapshot();
    Page<ServiceScopes> page;
    for (const auto& [id, service] : catalog->services)
        if (service.active() && (query->serviceId.empty() || query->serviceId == id)) page.items.push_back(scopesIn(service));
    return page;
}

Page<BindableTypeView> CatalogRoutes::bindableTypes(const Path<std::string>& serviceId) const
{
    const auto catalog = _catalog.snapshot();
    Page<BindableTypeView> page;
    for (const auto& type : require(*catalog, *serviceId).bindableTypes) page.items.push_back({type.type, type.title, type.idPattern});
    return page;
}

CompletenessReport CatalogRoutes::completeness(const Path<std::string>& serviceId) const
{
    const auto report = _catalog.report(*serviceId);
    if (!report) throw Problem::notFound("There is no such service.");
    return fromJson<CompletenessReport>(*report);
}

} // namespace portico::identity
