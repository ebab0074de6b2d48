#include "interfaces/InProcessCatalog.h"

#include "permissions/Evaluator.h"
#include "permissions/PersonAccess.h"
#include "users/User.h"

#include "portico/Json.h"

#include <map>

namespace portico::identity
{

namespace
{

/// With the page that an administrator has set in the place of its own.
std::string withLanding(const std::string& manifest, std::string config)
{
    auto members = fromStoredJson<std::map<std::string, Json>>(manifest);
    members["landing"] = Json{std::move(config)};
    return toJson(members);
}

interfaces::CatalogEntry entryOf(Session& session, const CatalogService& service)
{
    const auto& view = *service.view;
    interfaces::CatalogEntry entry;
    entry.serviceId = service.serviceId;
    entry.name = view.name;
    entry.description = view.description;
    entry.status = view.status;
    entry.active = service.active();
    entry.surfaceKind = view.surfaceKind;
    entry.surfaceGroup = view.surfaceGroup;
    entry.launchable = view.launchable;
    entry.householdCapable = view.householdCapable;
    entry.iconUrl = view.iconUrl;
    entry.launchUrl = view.launchUrl;
    for (const auto kind : service.contexts) entry.contexts.emplace_back(toString(kind));
    // The catalog in memory has it no more: it is long.
    entry.manifest =
        session.value<std::string>("SELECT manifest FROM services WHERE service_id = $1", service.serviceId).value_or(std::string());
    if (auto page = session.value<std::string>("SELECT config FROM landing_configs WHERE service_id = $1", service.serviceId))
        entry.manifest = withLanding(entry.manifest, *std::move(page));
    return entry;
}

std::string_view openingReason(const ActiveStanding& standing)
{
    if (standing.platformBypass) return "platform_bypass";
    return standing.organizationId ? "organization_access" : "personal_access";
}

} // namespace

std::vector<interfaces::CatalogEntry> InProcessCatalog::services()
{
    const auto catalog = _core.catalog.snapshot();
    auto session = _core.database.snapshot();
    std::vector<interfaces::CatalogEntry> entries;
    for (const auto& [id, service] : catalog->services) entries.push_back(entryOf(session, service));
    return entries;
}

std::optional<interfaces::CatalogEntry> InProcessCatalog::service(std::string_view serviceId)
{
    const auto catalog = _core.catalog.snapshot();
    const auto* found = catalog->find(serviceId);
    if (!found) return std::nullopt;
    auto session = _core.database.session();
    return entryOf(session, *found);
}

std::vector<interfaces::CatalogAccess> InProcessCatalog::accessOf(const Caller& caller)
{
    const auto catalog = _core.catalog.snapshot();
    auto snapshot = _core.database.snapshot();
    auto user = users::find(snapshot, caller.principalId);
    if (!user) return {};
    const auto signIn = caller.sessionId.empty() ? std::nullopt : sign_ins::find(snapshot, caller.sessionId);
    const auto proof = signIn ? std::optional(SignInProof::of(*signIn, _core.clock.now())) : std::nullopt;
    const PersonAccess person(snapshot, *std::move(user), OrganizationId::parse(caller.organizationId), proof);
    std::vector<interfaces::CatalogAccess> answer;
    for (const auto& [id, service] : catalog->services)
    {
        if (!service.active()) continue;
        const auto closes = obstacle(service, person.input(id));
        const bool open = closes == Obstacle::None;
        answer.push_back({id, open, std::string(open ? openingReason(person.standing()) : toString(closes))});
    }
    return answer;
}

} // namespace portico::identity
