#include "keys/KeyActor.h"

#include "common/Networks.h"
#include "common/Problems.h"
#include "common/Requests.h"
#include "keys/KeyRules.h"
#include "keys/KeyStore.h"
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

Problem wider(std::string_view message) { return Problem::forbidden("scope_exceeds_own_rights", message); }

bool isWithin(const std::vector<std::string>& narrow, const std::vector<std::string>& wide)
{
    return AddressList(narrow).isWithin(AddressList(wide));
}
} // namespace

KeyActor::KeyActor(Session& session, const Catalog& catalog, const Settings& settings, const Caller& caller, Instant now)
    : _session(session), _catalog(catalog), _settings(settings), _caller(caller), _now(now)
{
    if (!isKey()) return;
    _self = api_keys::find(session, caller.apiKeyId);
    if (!_self) throw invalidToken("key_revoked");
    key_rules::requireUsable(*_self, now);
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
    const auto* grant = _self->grantFor(_caller.serviceId);
    return grant ? std::vector{*grant} : std::vector<Grant>();
}

bool KeyActor::covers(const ApiKey& key) const
{
    return (_self->environment == KeyEnvironment::Live || key.environment == _self->environment) &&
           key_rules::isNarrower(key.grants, ownGrants());
}

/// A key without a rate of its own has the host's.
KeyRateLimit KeyActor::rateOf(const std::optional<KeyRateLimit>& own) const
{
    return own.value_or(KeyRateLimit{_settings.requestsPerMinute, 60});
}

bool KeyActor::inActiveContext(const ApiKey& key) const
{
    return (key.organizationId ? key.organizationId->text() : std::string()) == _caller.organization;
}

bool KeyActor::sees(const ApiKey& key) const
{
    if (!inActiveContext(key)) return false;
    if (key.ownerId == _caller.principalId) return !isKey() || covers(key);
    return !isKey() && key.ownerType == KeyOwner::Organization && readsOrganizationKeys();
}

void KeyActor::requireControl(const ApiKey& key) const
{
    if (isKey() && key.ownerId == _caller.principalId && inActiveContext(key) && !covers(key))
        throw wider("That key may do more than this one.");
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
    const auto refusal = wider("A key cannot do more than who makes it.");
    if (isKey())
    {
        if (!key_rules::isNarrower(grants, ownGrants())) throw refusal;
        return;
    }
    for (const auto& grant : grants)
    {
        const auto* service = _catalog.find(grant.serviceId);
        if (!service) throw refusal;
        const auto held = permissionsIn(grant.serviceId);
        const auto isHeld = [&](const std::string& permission) { return holds(held, permission); };
        for (const auto& name : grant.scopes)
        {
            const auto* scope = service->scope(name);
            if (!scope) throw refusal;
            const auto& opened = scope->permissions;
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

std::vector<std::string> KeyActor::usualAddresses() const { return _self ? _self->ipAllowList : std::vector<std::string>(); }

std::optional<KeyRateLimit> KeyActor::usualRate() const
{
    return _self && !key_rules::isSlower(rateOf({}), rateOf(_self->rateLimit)) ? _self->rateLimit : std::nullopt;
}

std::optional<Instant> KeyActor::withinOwnLife(std::optional<Instant> end) const
{
    const auto own = _self ? _self->endsAt() : std::nullopt;
    return own && (!end || *end > *own) ? own : end;
}

void KeyActor::requireNoWider(const ApiKey& made) const
{
    if (!_self) return;
    if (!covers(made)) throw wider("A key cannot do more than the one that makes it.");
    if (!isWithin(made.ipAllowList, _self->ipAllowList))
        throw wider("A key cannot be used from more addresses than the one that makes it.");
    if (!key_rules::isSlower(rateOf(made.rateLimit), rateOf(_self->rateLimit)))
        throw wider("A key cannot have a higher rate than the one that makes it.");
    if (withinOwnLife(made.expiresAt) != made.expiresAt) throw wider("A key cannot live longer than the one that makes it.");
}

void KeyActor::requireNarrowing(const ApiKey& old, const ApiKey& changed) const
{
    if (!_self) return;
    if (old.status == KeyStatus::Disabled && changed.status != old.status) throw wider("Only people enable a key that was disabled.");
    const auto& addresses = changed.ipAllowList;
    if (addresses != old.ipAllowList && !(isWithin(addresses, old.ipAllowList) && isWithin(addresses, _self->ipAllowList)))
        throw wider("A key can only narrow the addresses of another, and to such as it may be used from itself.");
    const auto rate = rateOf(changed.rateLimit);
    if (rate != rateOf(old.rateLimit) &&
        !(key_rules::isSlower(rate, rateOf(old.rateLimit)) && key_rules::isSlower(rate, rateOf(_self->rateLimit))))
        throw wider("A key can only lower the rate of another, and to no more than its own.");
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
