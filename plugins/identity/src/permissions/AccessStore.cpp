#include "permissions/AccessStore.h"

#include "organizations/OrganizationStore.h"

namespace portico::identity::access_facts
{

namespace
{

void readMembership(Session& session, ActiveStanding& standing, std::string_view userId)
{
    standing.inGoodStanding = false;
    auto rows =
        session.query("SELECT o.name, o.status, m.role, m.status FROM memberships m JOIN organizations o ON o.id = m.organization_id "
                      "WHERE m.organization_id = $1 AND m.user_id = $2",
                      *standing.organizationId, userId);
    const auto row = rows.next();
    if (!row) return;
    standing.organizationName = row->get<std::string>(0);
    standing.organizationSuspended = row->text(1) != "active";
    standing.role = parseEnum<Role>(row->text(2)).value_or(Role::Guest);
    standing.inGoodStanding = !standing.organizationSuspended && row->text(3) == "active";
}

} // namespace

ActiveStanding standing(Session& session, std::string_view userId, const std::optional<OrganizationId>& organizationId,
                        std::optional<PlatformRole> platformRole)
{
    ActiveStanding standing;
    standing.organizationId = organizationId;
    if (organizationId) readMembership(session, standing, userId);
    standing.platformRole = platformRole;
    standing.platformBypass = platformRole && organizations::isOperator(session, userId);
    return standing;
}

ActiveStanding organizationStanding(Session& session, const OrganizationId& organizationId)
{
    ActiveStanding standing;
    standing.organizationId = organizationId;
    standing.role = Role::Owner;
    const auto organization = organizations::find(session, organizationId.text());
    standing.organizationSuspended = !organization || organization->status != OrganizationStatus::Active;
    standing.inGoodStanding = !standing.organizationSuspended;
    if (organization) standing.organizationName = organization->name;
    return standing;
}

EvaluationInput input(Session& session, const ActiveStanding& standing, std::string_view userId, std::string_view serviceId)
{
    EvaluationInput input;
    input.context = standing.kind();
    input.role = standing.role;
    input.platformBypass = standing.platformBypass;
    if (!standing.organizationId) return input;
    const auto& organization = standing.organizationId->text();
    input.inGoodStanding = standing.inGoodStanding;
    input.organizationAccess = organizations::hasService(session, organization, serviceId);
    // Named as in a manifest: the organization's version takes the place of the whole bundle.
    input.bundleOverrides = session.all<RoleBundle>("SELECT bundle_id AS id, roles, permissions FROM role_bundle_overrides "
                                                    "WHERE organization_id = $1 AND service_id = $2",
                                                    organization, serviceId);
    input.userOverrides = session.all<PermissionOverride>(
        "SELECT permission, effect, expires_at FROM permission_overrides WHERE user_id = $1 AND organization_id = $2", userId,
        organization);
    return input;
}

} // namespace portico::identity::access_facts
