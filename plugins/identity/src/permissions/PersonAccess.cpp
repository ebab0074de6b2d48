#include "permissions/PersonAccess.h"

#include <algorithm>

namespace portico::identity
{

PersonAccess::PersonAccess(Session& session, User user, const std::optional<OrganizationId>& organization)
    : _user(std::move(user)), _standing(access_facts::standing(session, _user.id, organization, _user.platformRole))
{
    if (_user.status != UserStatus::Active) _standing.inGoodStanding = _standing.platformBypass = false;
    if (!organization) return;
    _access = serviceAccessTable.select(*organization).orderBy(&ServiceAccess::serviceId).all(session);
    for (Row row : session.query("SELECT service_id, bundle_id AS id, roles, permissions FROM role_bundle_overrides "
                                 "WHERE organization_id = $1",
                                 *organization))
        _bundles.push_back({row.get<std::string>(0), row.as<RoleBundle>()});
    _overrides = userOverrideTable.select(*organization).where(&UserOverride::userId, _user.id).all(session);
    for (auto& entry : _overrides) entry.organizationId = *organization;
}

EvaluationInput PersonAccess::input(std::string_view serviceId) const
{
    EvaluationInput input;
    // Nobody signs in with an account that is not active: its own context is as closed as an organization's.
    input.context = _user.status == UserStatus::Active ? _standing.kind() : ContextKind::Organization;
    input.role = _standing.role;
    input.platformBypass = _standing.platformBypass;
    input.inGoodStanding = _standing.inGoodStanding;
    const auto access = std::ranges::find(_access, serviceId, &ServiceAccess::serviceId);
    input.organizationAccess = access != _access.end() && access->status == "active";
    for (const auto& changed : _bundles)
        if (changed.serviceId == serviceId) input.bundleOverrides.push_back(changed.bundle);
    for (const auto& entry : _overrides) input.userOverrides.push_back({entry.permission, entry.effect, entry.expiresAt, entry.id});
    return input;
}

} // namespace portico::identity
