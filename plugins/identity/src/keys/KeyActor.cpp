#include "keys/KeyActor.h"

#include "common/Requests.h"
#include "keys/KeyRules.h"
#include "organizations/OrganizationStore.h"
#include "permissions/AccessStore.h"
#include "sessions/SignInStore.h"
#include "users/UserStore.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::identity
{

namespace
{
constexpr std::string_view readPermission = "identity.api_keys:read";
constexpr std::string_view managePermission = "identity.api_keys:manage";

bool holds(const std::vector<std::string>& sorted, std::string_view permission) { return std::ranges::binary_search(sorted, permission); }
} // namespace

KeyActor::KeyActor(Session& session, const Catalog& catalog, const Caller& caller, Instant now)
    : _session(session), _catalog(catalog), _caller(caller), _now(now)
{
}

/// The caller's permissions are those of the service whose origin was called; keys reach into all.
std::vector<std::string> KeyActor::permissionsIn(std::string_view serviceId) const
{
    const auto* service = _catalog.find(serviceId);
    if (!service) return {};
    const auto user = users::find(_session, _caller.principalId);
    if (!user) return {};
    const auto standing =
        access_facts::standing(_session, _caller.principalId, OrganizationId::parse(_caller.organization), user->platformRole);
    return effectivePermissions(*service, access_facts::input(_session, standing, _caller.principalId, serviceId), _now);
}

bool KeyActor::readsOrganizationKeys() const
{
    return !_caller.organization.empty() && holds(permissionsIn(identityServiceId), readPermission);
}

bool KeyActor::managesOrganizationKeys() const
{
    return !_caller.organization.empty() && holds(permissionsIn(identityServiceId), managePermission);
}

std::vector<std::string> KeyActor::visibleOwners() const
{
    std::vector<std::string> owners = {_caller.principalId};
    if (!isKey() && readsOrganizationKeys()) owners.push_back(_caller.organization);
    return owners;
}

std::vector<Grant> KeyActor::ownGrants() const
{
    Grant grant{_caller.serviceId, _caller.scopes, {}};
    for (const auto& [type, ids] : _caller.boundResources)
        for (const auto& id : ids) grant.resources.push_back({type, id});
    return {grant};
}

bool KeyActor::inActiveContext(const ApiKey& key) const
{
    return (key.organizationId ? key.organizationId->text() : std::string()) == _caller.organization;
}

bool KeyActor::sees(const ApiKey& key) const
{
    if (!inActiveContext(key)) return false;
    if (key.ownerId == _caller.principalId) return !isKey() || key_rules::isNarrower(key.grants, ownGrants());
    return !isKey() && key.ownerType == KeyOwner::Organization && readsOrganizationKeys();
}

void KeyActor::requireControl(const ApiKey& key) const
{
    if (isKey() && key.ownerId == _caller.principalId && inActiveContext(key) && !key_rules::isNarrower(key.grants, ownGrants()))
        throw Problem::forbidden("scope_exceeds_own_rights", "That key may do more than this one.");
    if (!sees(key)) throw Problem::notFound();
    if (!isKey() && key.ownerType == KeyOwner::Organization && !managesOrganizationKeys()) throw Problem::forbidden();
}

void KeyActor::requireOwner(KeyOwner type, std::string_view id) const
{
    if (id == _caller.principalId && (type == KeyOwner::Organization) == id.starts_with("org_")) return;
    if (isKey() || type == KeyOwner::User)
        throw Problem::forbidden("permission_denied", "Keys are made for oneself, or for the active organization.");
    if (id != _caller.organization) throw Problem::notFound();
    if (!managesOrganizationKeys()) throw Problem::forbidden();
}

void KeyActor::requireRights(const std::vector<Grant>& grants, KeyOwner owner) const
{
    const auto refusal = Problem::forbidden("scope_exceeds_own_rights", "A key cannot do more than who makes it.");
    if (isKey())
    {
        if (!key_rules::isNarrower(grants, ownGrants())) throw refusal;
        return;
    }
    for (const auto& grant : grants)
    {
        const auto* service = _catalog.find(grant.serviceId);
        const auto held = permissionsIn(grant.serviceId);
        const auto isHeld = [&](const std::string& permission) { return holds(held, permission); };
        for (const auto& name : grant.scopes)
        {
            const auto& opened = service->scope(name)->permissions;
            // A user's key does only what the user may. An organization's does what its owners may: there the maker must have it all.
            if (owner == KeyOwner::User ? std::ranges::none_of(opened, isHeld) : !std::ranges::all_of(opened, isHeld)) throw refusal;
        }
    }
}

void KeyActor::requireElevation(const std::vector<Grant>& grants) const
{
    // Another key cannot prove anything; it gives away no more than it has.
    if (isKey() || !key_rules::isHighRisk(_catalog, grants)) return;
    const auto signIn = sign_ins::find(_session, _caller.sessionId);
    if (!signIn || !signIn->elevated(_now))
        throw Problem::forbidden("step_up_required", "Prove again who you are: POST /api/auth/step-up.");
}

void requireOpenWorkspace(Session& session, std::string_view organizationId)
{
    if (organizationId.empty()) return;
    const auto organization = organizations::find(session, organizationId);
    if (!organization || organization->kind != OrganizationKind::DeveloperWorkspace) return;
    if (organization->status == OrganizationStatus::Suspended) throw Problem::forbidden("developer_workspace_suspended");
    if (organization->status == OrganizationStatus::Revoked) throw Problem::forbidden("developer_workspace_revoked");
}

} // namespace portico::identity
