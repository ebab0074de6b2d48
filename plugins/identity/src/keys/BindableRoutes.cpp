#include "keys/BindableRoutes.h"

#include "catalog/CatalogStore.h"
#include "catalog/IdPattern.h"
#include "permissions/Evaluator.h"
#include "signin/TokenIssuer.h"
#include "users/User.h"
#include "web/Urls.h"

#include "portico/HttpClient.h"
#include "portico/Json.h"
#include "portico/interfaces/BindableResources.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

/// For one call. @return empty where the service is not there, or has nothing to bind
Leased<interfaces::BindableResources> providerOf(Services& services, std::string_view serviceId)
{
    for (const auto& provider : services.all<interfaces::BindableResources>())
        if (provider.serviceId() == serviceId) return provider.find();
    return {};
}

Problem resourcesUnavailable()
{
    return Problem::unavailable("resource_catalog_unavailable", "The service cannot list its resources at the moment.");
}

bool isThere(interfaces::BindableResources& owner, const std::optional<Caller>& caller, const BoundResource& resource)
try
{
    return caller && owner.find(*caller, resource.type, resource.id);
}
catch (const Problem&)
{
    return false;
}

const CatalogService& requireService(const Catalog& catalog, const std::string& serviceId)
{
    const auto* service = catalog.find(serviceId);
    if (!service || !service->active()) throw Problem::notFound("There is no such service.");
    return *service;
}

const BindableType& requireType(const CatalogService& service, const std::string& name)
{
    const auto type = std::ranges::find(service.bindableTypes, name, &BindableType::type);
    if (type == service.bindableTypes.end()) throw Problem::notFound("The service has no such type of resource.");
    return *type;
}

/// Item in the answer of an external service.
struct RemoteResource
{
    std::string id;
    std::string label;
};

constexpr auto schemaOf(const RemoteResource*)
{
    return describe(field<&RemoteResource::id>().required(), field<&RemoteResource::label>());
}

struct RemotePage
{
    std::vector<RemoteResource> items;
    std::optional<std::string> nextCursor;
};

constexpr auto schemaOf(const RemotePage*) { return describe(field<&RemotePage::items>().required(), field<&RemotePage::nextCursor>()); }

constexpr auto answerTime = std::chrono::seconds(3);
constexpr std::uint64_t longestListBytes = 256 * 1024;

/// @throws Problem 503 `resource_catalog_unavailable`, 403 `permission_denied` where the service says so
RemotePage ask(HttpClient& http, const std::string& url, const std::string& token)
try
{
    HttpClient::Request wanted;
    wanted.url = url;
    wanted.headers = {{"Accept", "application/json"}, {"Authorization", "Bearer " + token}};
    wanted.maxResponseBytes = longestListBytes;
    wanted.timeout = answerTime;
    const auto answer = http.send(wanted);
    if (answer.status == 403) throw Problem::forbidden();
    if (answer.status != 200) throw resourcesUnavailable();
    return fromStoredJson<RemotePage>(answer.body);
}
catch (const Problem& problem)
{
    if (problem.status() == 403) throw;
    throw resourcesUnavailable();
}

} // namespace

void BindableRoutes::declare(Routes& routes)
{
    routes.get("/api/services/{service_id}/bindable-resources/{type}", access::bearer(), &BindableRoutes::list, this,
               {.summary = "List resources of a type that a key can be bound to",
                .execution = Execution::Long,
                .problems = {"503 resource_catalog_unavailable"}});
}

std::optional<Caller> BindableRoutes::callerIn(const Caller& caller, const CatalogService& service) const
{
    auto session = _core.database.snapshot();
    const auto user = users::find(session, caller.principalId);
    if (!user) return std::nullopt;
    auto standing = access_facts::standing(session, *user, OrganizationId::parse(caller.organizationId), std::nullopt);
    // The token was validated with these rights.
    standing.platformBypass = standing.platformBypass && caller.platformBypass;
    const auto input = access_facts::input(session, standing, service.serviceId);
    if (!mayEnter(service, input)) return std::nullopt;
    auto there = caller;
    there.serviceId = service.serviceId;
    there.permissions = effectivePermissions(service, input, _core.clock.now());
    return there;
}

Page<BindableView> BindableRoutes::list(const Caller& caller, const Path<std::string>& serviceId, const Path<std::string>& type,
                                        const Query<BindableQuery>& query, const Paging& paging) const
{
    if (query->organizationId.value_or(caller.organizationId) != caller.organizationId) throw Problem::notFound();
    const auto catalog = _core.catalog.snapshot();
    const auto& service = requireService(*catalog, *serviceId);
    const auto& kind = requireType(service, *type);
    const auto there = callerIn(caller, service);
    if (!there) throw Problem::forbidden("service_access_denied");
    if (service.remote && !kind.listUrl.empty()) return listRemote(caller, service, kind, *query, paging);
    const auto owner = providerOf(_core.context.services(), service.serviceId);
    if (!owner) throw resourcesUnavailable();
    const auto limit = static_cast<std::size_t>(paging.limit);
    Page<BindableView> page;
    try
    {
        for (const auto& resource : owner->list(*there, *type, query->q, paging.cursor, limit + 1))
            page.items.push_back({*type, resource.id, resource.label});
    }
    catch (const DatabaseError&)
    {
        throw resourcesUnavailable();
    }
    if (page.items.size() <= limit) return page;
    page.items.resize(limit);
    page.nextCursor = page.items.back().id;
    return page;
}

Page<BindableView> BindableRoutes::listRemote(const Caller& caller, const CatalogService& service, const BindableType& type,
                                              const BindableQuery& query, const Paging& paging) const
{
    const auto [signIn, user] = [&]
    {
        auto session = _core.database.snapshot();
        return std::pair(sign_ins::find(session, caller.sessionId), users::find(session, caller.principalId));
    }();
    if (!signIn || !user) throw Problem::forbidden("service_access_denied");
    UrlParameters parameters{{"limit", std::to_string(paging.limit)}};
    if (!query.q.empty()) parameters.emplace_back("q", query.q);
    if (!paging.cursor.empty()) parameters.emplace_back("cursor", paging.cursor);
    auto answer = ask(_core.context.http(), withQuery(service.origin + type.listUrl, parameters),
                      _core.tokens.issueFor(*signIn, *user, service.serviceId));
    const auto pattern = IdPattern::parse(type.idPattern);
    Page<BindableView> page;
    for (auto& resource : answer.items)
    {
        if (page.items.size() == static_cast<std::size_t>(paging.limit)) break;
        // Leaves out resources to which a key cannot be bound.
        if (pattern ? pattern->matches(resource.id) : !resource.id.empty())
            page.items.push_back({type.type, std::move(resource.id), std::move(resource.label)});
    }
    page.nextCursor = std::move(answer.nextCursor);
    return page;
}

std::optional<Problem> BindableRoutes::missing(const Caller& caller, const std::vector<Grant>& grants) const
{
    const auto catalog = _core.catalog.snapshot();
    for (std::size_t i = 0; i < grants.size() && caller.credential != CredentialKind::ApiKey; ++i)
    {
        const auto* service = catalog->find(grants[i].serviceId);
        if (!service || grants[i].resources.empty()) continue;
        const auto owner = providerOf(_core.context.services(), service->serviceId);
        if (!owner) continue;
        for (std::size_t k = 0; k < grants[i].resources.size(); ++k)
        {
            if (isThere(*owner, callerIn(caller, *service), grants[i].resources[k])) continue;
            const auto place = "grants[" + std::to_string(i) + "].resources[" + std::to_string(k) + ']';
            return Problem::badRequest("resource_not_found", "There is no such resource.")
                .with({place, "resource_not_found", "There is no such resource."});
        }
    }
    return std::nullopt;
}

} // namespace portico::identity
