#include "permissions/PersonAccess.h"

#include <algorithm>

namespace portico::identity
{

PersonAccess::PersonAccess(Session& session, User user, const std::optional<OrganizationId>& organization,
                           const std::optional<SignInProof>& proof)
    : _user(std::move(user)), _standing(access_facts::standing(session, _user, organization, proof))
{
    _standing.accountClosed = _user.status != UserStatus::Active;
    if (_standing.accountClosed) _standing.inGoodStanding = _standing.platformBypass = false;
    if (!organization) return;
    readOrganization(session, *organization);
    _overrides = userOverrideTable.select(*organization).where(&UserOverride::userId, _user.id).all(session);
    for (auto& entry : _overrides)
    {
        entry.organizationId = *organization;
        _judged.push_back({entry.permission, entry.effect, entry.expiresAt, entry.id});
    }
    access_facts::readCovered(session, *organization, _user.id, _judged);
}

PersonAccess::PersonAccess(Session& session, const OrganizationId& organization)
    : _standing(access_facts::organizationStanding(session, organization))
{
    readOrganization(session, organization);
}

void PersonAccess::readOrganization(Session& session, const OrganizationId& organization)
{
    _access = serviceAccessTable.select(organization).orderBy(&ServiceAccess::serviceId).all(session);
    for (Row row : session.query("SELECT service_id, bundle_id AS id, roles, " + std::string(access_facts::givenPermissions) +
                                     " FROM role_bundle_overrides "
                                     "WHERE organization_id = $1",
                                 organization))
        _bundles.push_back({row.get<std::string>(0), row.as<RoleBundle>()});
}

EvaluationInput PersonAccess::input(std::string_view serviceId) const
{
    access_facts::ServiceRows rows;
    const auto access = std::ranges::find(_access, serviceId, &ServiceAccess::serviceId);
    rows.organizationAccess = access != _access.end() && access->status == "active";
    for (const auto& changed : _bundles)
        if (changed.serviceId == serviceId) rows.bundleOverrides.push_back(changed.bundle);
    rows.userOverrides = _judged;
    return access_facts::input(_standing, serviceId, std::move(rows));
}

} // namespace portico::identity
