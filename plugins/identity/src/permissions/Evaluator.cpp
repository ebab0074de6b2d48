#include "permissions/Evaluator.h"

#include "common/Requests.h"

#include "portico/Json.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

std::vector<std::string> bundlePermissions(const CatalogService& service, const EvaluationInput& input)
{
    if (input.bundleOverrides.empty()) return service.ofRole(input.role);
    return expandBundles(bundlesIn(service, input), input.role, service.all());
}

/// Patterns of one effect that hold now.
std::vector<std::string_view> patterns(const EvaluationInput& input, Effect effect, Instant now)
{
    std::vector<std::string_view> found;
    for (const auto& entry : input.userOverrides)
        if (entry.effect == effect && entry.holds(now)) found.push_back(entry.permission);
    return found;
}

bool anyCovers(const std::vector<std::string_view>& patterns, std::string_view permission)
{
    return std::ranges::any_of(patterns, [&](std::string_view pattern) { return covers(pattern, permission); });
}

} // namespace

Obstacle obstacle(const CatalogService& service, const EvaluationInput& input)
{
    if (!service.active()) return Obstacle::ServiceNotActive;
    if (!service.servesContext(input.context)) return Obstacle::ContextNotServed;
    if (input.keptOut) return Obstacle::NoServiceAccess;
    const bool inOrganization = input.context == ContextKind::Organization;
    if (inOrganization && !input.inGoodStanding) return Obstacle::MembershipInactive;
    // Operators need no access of the organization to the service, but a place in the organization as everybody.
    if (input.platformBypass) return Obstacle::None;
    if (inOrganization) return input.organizationAccess ? Obstacle::None : Obstacle::NoServiceAccess;
    return service.personalAccess ? Obstacle::None : Obstacle::PersonalAccessOff;
}

std::vector<RoleBundle> bundlesIn(const CatalogService& service, const EvaluationInput& input)
{
    auto bundles = service.bundles;
    for (auto& bundle : bundles)
    {
        const auto changed = std::ranges::find(input.bundleOverrides, bundle.id, &RoleBundle::id);
        if (changed != input.bundleOverrides.end()) bundle = *changed;
    }
    return bundles;
}

std::vector<std::string> effectivePermissions(const CatalogService& service, const EvaluationInput& input, Instant now)
{
    if (!mayEnter(service, input)) return {};
    if (input.platformBypass) return service.all();
    auto held = bundlePermissions(service, input);
    if (input.userOverrides.empty()) return held;
    const auto allows = patterns(input, Effect::Allow, now);
    const auto denies = patterns(input, Effect::Deny, now);
    std::vector<std::string> result;
    for (const auto& permission : service.all())
        if ((std::ranges::binary_search(held, permission) || anyCovers(allows, permission)) && !anyCovers(denies, permission))
            result.push_back(permission);
    return result;
}

namespace access_facts
{

namespace
{

void readMembership(Session& session, ActiveStanding& standing)
{
    standing.inGoodStanding = false;
    auto rows = session.query(
        "SELECT o.name, o.status, m.role, m.status, o.security_policy FROM memberships m JOIN organizations o ON o.id = m.organization_id "
        "WHERE m.organization_id = $1 AND m.user_id = $2",
        *standing.organizationId, standing.userId);
    const auto row = rows.next();
    if (!row) return;
    standing.organizationName = row->get<std::string>(0);
    standing.organizationSuspended = row->text(1) != "active";
    standing.role = parseEnum<Role>(row->text(2)).value_or(Role::Guest);
    standing.inGoodStanding = !standing.organizationSuspended && row->text(3) == "active";
    auto policy = fromStoredJson<SecurityPolicy>(row->text(4));
    standing.ipAllowList = std::move(policy.ipAllowList);
    standing.mfaRequired = policy.mfaRequired;
}

} // namespace

ActiveStanding standing(Session& session, const UserId& userId, const std::optional<OrganizationId>& organizationId,
                        std::optional<PlatformRole> platformRole)
{
    ActiveStanding standing;
    standing.userId = userId;
    standing.organizationId = organizationId;
    if (organizationId)
        readMembership(session, standing);
    else
        standing.household = households::selectedBy(session, userId);
    standing.platformRole = platformRole;
    standing.platformBypass = platformRole && organizations::isOperator(session, userId);
    return standing;
}

ActiveStanding organizationStanding(Session& session, const OrganizationId& organizationId)
{
    ActiveStanding standing;
    standing.organizationId = organizationId;
    standing.role = Role::Owner;
    const auto organization = organizations::find(session, organizationId);
    standing.organizationSuspended = !organization || organization->status != OrganizationStatus::Active;
    standing.inGoodStanding = !standing.organizationSuspended;
    if (!organization) return standing;
    standing.organizationName = organization->name;
    standing.ipAllowList = organization->securityPolicy.ipAllowList;
    return standing;
}

namespace
{

/// External people belong to no organization, so that this is asked in personal context. Their own account is open to them.
bool isKeptOut(Session& session, const UserId& user, std::string_view serviceId)
{
    if (serviceId == identityServiceId) return false;
    const auto services =
        session.value<std::string>("SELECT principal_services FROM users WHERE id = $1 AND principal_type = 'external'", user);
    return services && std::ranges::count(fromStoredJson<std::vector<std::string>>(*services), serviceId) == 0;
}

} // namespace

EvaluationInput input(Session& session, const ActiveStanding& standing, std::string_view serviceId)
{
    EvaluationInput input;
    input.context = standing.kind();
    input.role = standing.role;
    input.platformBypass = standing.platformBypass;
    if (!standing.organizationId)
    {
        input.keptOut = isKeptOut(session, standing.userId, serviceId);
        return input;
    }
    const OrganizationId& organization = *standing.organizationId;
    input.inGoodStanding = standing.inGoodStanding;
    input.organizationAccess = organizations::hasService(session, organization, serviceId);
    // Named as in a manifest: the organization's version takes the place of the whole bundle.
    input.bundleOverrides = session.all<RoleBundle>("SELECT bundle_id AS id, roles, permissions FROM role_bundle_overrides "
                                                    "WHERE organization_id = $1 AND service_id = $2",
                                                    organization, serviceId);
    input.userOverrides = permissionOverrideTable.select(organization).where("user_id = ?", standing.userId).all(session);
    return input;
}

} // namespace access_facts

} // namespace portico::identity
