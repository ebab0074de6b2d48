#include "permissions/Evaluator.h"

#include "catalog/ServiceAccess.h"
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

/// Overrides of one effect that hold now.
std::vector<const PermissionOverride*> current(const EvaluationInput& input, Effect effect, Instant now)
{
    std::vector<const PermissionOverride*> found;
    for (const auto& entry : input.userOverrides)
        if (entry.effect == effect && entry.holds(now)) found.push_back(&entry);
    return found;
}

bool anyConcerns(const std::vector<const PermissionOverride*>& overrides, std::string_view permission)
{
    return std::ranges::any_of(overrides, [&](const auto* entry) { return entry->concerns(permission); });
}

} // namespace

bool PermissionOverride::concerns(std::string_view wanted) const
{
    if (effect == Effect::Allow && !covered.empty()) return std::ranges::find(covered, wanted) != covered.end();
    return covers(permission, wanted);
}

Obstacle obstacle(const CatalogService& service, const EvaluationInput& input)
{
    if (!service.active()) return Obstacle::ServiceNotActive;
    if (!service.servesContext(input.context)) return Obstacle::ContextNotServed;
    if (input.keptOut) return Obstacle::NoServiceAccess;
    const bool inOrganization = input.context == ContextKind::Organization;
    if (inOrganization && !input.inGoodStanding) return Obstacle::MembershipInactive;
    // Operators need a membership in the organization, but not its access to the service.
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
    const auto allows = current(input, Effect::Allow, now);
    const auto denies = current(input, Effect::Deny, now);
    std::vector<std::string> result;
    for (const auto& permission : service.all())
        if ((std::ranges::binary_search(held, permission) || anyConcerns(allows, permission)) && !anyConcerns(denies, permission))
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

ActiveStanding standing(Session& session, const User& user, const std::optional<OrganizationId>& organizationId,
                        const std::optional<SignInProof>& proof)
{
    ActiveStanding standing;
    standing.userId = user.id;
    standing.organizationId = organizationId;
    if (organizationId)
        readMembership(session, standing);
    else
        standing.household = households::selectedBy(session, user.id);
    standing.platformRole = user.platformRole;
    standing.power = platform_power::judge(session, user, proof);
    standing.platformBypass = standing.power.effective();
    if (user.principalType == PrincipalType::External) standing.onlyServices = user.principalServices;
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

void readCovered(Session& session, const OrganizationId& organization, const UserId& user, std::vector<PermissionOverride>& overrides)
{
    const auto isGrantByPattern = [](const PermissionOverride& entry)
    { return entry.effect == Effect::Allow && entry.permission.find('*') != std::string::npos; };
    if (std::ranges::none_of(overrides, isGrantByPattern)) return;
    for (Row row :
         session.query("SELECT g.override_id, g.covered FROM override_grants g JOIN permission_overrides p ON p.id = g.override_id "
                       "WHERE p.organization_id = $1 AND p.user_id = $2",
                       organization, user))
        for (auto& entry : overrides)
            if (entry.id.text() == row.text(0)) entry.covered = fromStoredJson<std::vector<std::string>>(row.text(1));
}

EvaluationInput input(const ActiveStanding& standing, std::string_view serviceId, ServiceRows rows)
{
    EvaluationInput input;
    // A closed account has no personal context: it is treated like an organization that the user has left.
    input.context = standing.accountClosed ? ContextKind::Organization : standing.kind();
    input.role = standing.role;
    input.platformBypass = standing.platformBypass && !standing.accountClosed;
    // Identity itself stays accessible, so that external users can manage their account.
    input.keptOut = standing.onlyServices && serviceId != identityServiceId && !std::ranges::count(*standing.onlyServices, serviceId);
    if (!standing.organizationId) return input;
    input.inGoodStanding = standing.inGoodStanding && !standing.accountClosed;
    input.organizationAccess = rows.organizationAccess;
    input.bundleOverrides = std::move(rows.bundleOverrides);
    input.userOverrides = std::move(rows.userOverrides);
    return input;
}

EvaluationInput input(Session& session, const ActiveStanding& standing, std::string_view serviceId)
{
    ServiceRows rows;
    if (standing.organizationId)
    {
        const OrganizationId& organization = *standing.organizationId;
        rows.organizationAccess = service_access::has(session, organization, serviceId);
        // Named like in a manifest, because the organization's version replaces the whole bundle.
        rows.bundleOverrides = session.all<RoleBundle>("SELECT bundle_id AS id, roles, " + std::string(givenPermissions) +
                                                           " FROM role_bundle_overrides "
                                                           "WHERE organization_id = $1 AND service_id = $2",
                                                       organization, serviceId);
        rows.userOverrides = permissionOverrideTable.select(organization).where("user_id = ?", standing.userId).all(session);
        readCovered(session, organization, standing.userId, rows.userOverrides);
    }
    return input(standing, serviceId, std::move(rows));
}

} // namespace access_facts

} // namespace portico::identity
