#include "keys/KeyActor.h"

#include "catalog/IdPattern.h"
#include "common/Networks.h"
#include "common/Requests.h"
#include "permissions/Actor.h"
#include "permissions/Evaluator.h"
#include "users/User.h"

#include "portico/Problem.h"

#include <algorithm>
#include <set>

namespace portico::identity
{

namespace key_rules
{

namespace
{

std::string place(std::size_t grant, std::string_view list, std::size_t index)
{
    return "grants[" + std::to_string(grant) + "]." + std::string(list) + '[' + std::to_string(index) + ']';
}

[[noreturn]] void refuse(std::string_view code, std::string field, std::string_view message)
{
    throw Problem::badRequest(code, message).with({std::move(field), std::string(code), std::string(message)});
}

/// A type that none of the grant's scopes can be bound to would narrow nothing.
bool isBindable(const CatalogService& service, const Grant& grant, std::string_view type)
{
    return std::ranges::any_of(grant.scopes,
                               [&](const std::string& name)
                               {
                                   const auto* scope = service.scope(name);
                                   return scope && std::ranges::find(scope->bindable, type) != scope->bindable.end();
                               });
}

void checkResources(const CatalogService& service, const Grant& grant, std::size_t index)
{
    for (std::size_t i = 0; i < grant.resources.size(); ++i)
    {
        const auto& resource = grant.resources[i];
        const auto type = std::ranges::find(service.bindableTypes, resource.type, &BindableType::type);
        if (type == service.bindableTypes.end() || !isBindable(service, grant, resource.type))
            refuse("unknown_resource_type", place(index, "resources", i), "No scope of this grant can be bound to that type.");
        const auto pattern = IdPattern::parse(type->idPattern);
        if (!pattern || !pattern->matches(resource.id))
            refuse("resource_not_found", place(index, "resources", i), "There is no such resource.");
    }
}

bool covers(const Grant& wide, const Grant& narrow)
{
    const auto isHeld = [&](const std::string& scope) { return std::ranges::find(wide.scopes, scope) != wide.scopes.end(); };
    if (!std::ranges::all_of(narrow.scopes, isHeld)) return false;
    if (wide.resources.empty()) return true;
    const auto isReached = [&](const BoundResource& resource)
    { return std::ranges::find(wide.resources, resource) != wide.resources.end(); };
    return !narrow.resources.empty() && std::ranges::all_of(narrow.resources, isReached) &&
           // A type that is no longer named would be reached without bounds.
           std::ranges::all_of(wide.resources, [&](const BoundResource& bound)
                               { return std::ranges::find(narrow.resources, bound.type, &BoundResource::type) != narrow.resources.end(); });
}

} // namespace

void checkGrants(const Catalog& catalog, const std::vector<Grant>& grants)
{
    std::set<std::string_view> named;
    for (std::size_t i = 0; i < grants.size(); ++i)
    {
        const auto& grant = grants[i];
        if (!named.insert(grant.serviceId).second)
            throw Problem::invalid("grants[" + std::to_string(i) + "].service_id", "duplicate", "Each service is named once.");
        const auto* service = catalog.find(grant.serviceId);
        for (std::size_t k = 0; k < grant.scopes.size(); ++k)
            if (!service || !service->active() || !service->scope(grant.scopes[k]))
                refuse("unknown_scope", place(i, "scopes", k), "The service has no such scope.");
        checkResources(*service, grant, i);
    }
}

void checkDetails(const std::vector<std::string>& ipAllowList, const Json& metadata)
{
    constexpr std::size_t longestMetadata = 4096;
    for (std::size_t i = 0; i < ipAllowList.size(); ++i)
        if (!Network::parse(ipAllowList[i]))
            throw Problem::invalid("ipAllowList[" + std::to_string(i) + ']', "invalid_network",
                                   "An address, or a network as 198.51.100.0/24.");
    if (!metadata.text.starts_with('{')) throw Problem::invalid("metadata", "invalid_type", "Expected an object.");
    if (metadata.text.size() > longestMetadata) throw Problem::invalid("metadata", "too_long", "At most 4096 bytes.");
}

std::vector<Grant> liveGrants(const Catalog& catalog, std::vector<Grant> grants)
{
    for (auto& grant : grants)
    {
        const auto* service = catalog.find(grant.serviceId);
        std::erase_if(grant.scopes, [&](const std::string& name) { return !service || !service->scope(name); });
    }
    std::erase_if(grants, [](const Grant& grant) { return grant.scopes.empty(); });
    return grants;
}

void requireUsable(const ApiKey& key, Instant now)
{
    switch (key.statusAt(now))
    {
    case KeyStatus::Active:
    case KeyStatus::Rotating:
        return;
    case KeyStatus::Disabled:
        throw invalidToken("key_disabled");
    case KeyStatus::Expired:
        throw invalidToken("key_expired");
    case KeyStatus::Blocked:
        throw invalidToken("workspace_suspended");
    case KeyStatus::Revoked:
        break;
    }
    throw invalidToken("key_revoked");
}

bool isHighRisk(const Catalog& catalog, const std::vector<Grant>& grants)
{
    return std::ranges::any_of(grants,
                               [&](const Grant& grant)
                               {
                                   const auto* service = catalog.find(grant.serviceId);
                                   const auto isHigh = [&](const std::string& name)
                                   {
                                       const auto* scope = service->scope(name);
                                       return scope && service->risk(*scope) == Risk::High;
                                   };
                                   return service && std::ranges::any_of(grant.scopes, isHigh);
                               });
}

bool isNarrower(const std::vector<Grant>& narrow, const std::vector<Grant>& wide)
{
    return std::ranges::all_of(narrow,
                               [&](const Grant& grant)
                               {
                                   const auto found = std::ranges::find(wide, grant.serviceId, &Grant::serviceId);
                                   return found != wide.end() && covers(*found, grant);
                               });
}

bool isSlower(const KeyRateLimit& slow, const KeyRateLimit& fast) noexcept
{
    return slow.limit <= fast.limit && slow.limit * fast.windowSeconds <= fast.limit * slow.windowSeconds;
}

} // namespace key_rules

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

/// The caller's permissions apply to the service of the request's origin; keys apply to all services.
std::vector<std::string> KeyActor::permissionsIn(std::string_view serviceId) const
{
    const auto* service = _catalog.find(serviceId);
    if (!service) return {};
    const auto user = users::find(_session, _caller.principalId);
    if (!user) return {};
    auto standing = access_facts::standing(_session, *user, OrganizationId::parse(_caller.organizationId), std::nullopt);
    // The token was validated with these rights.
    standing.platformBypass = standing.platformBypass && _caller.platformBypass;
    return effectivePermissions(*service, access_facts::input(_session, standing, serviceId), _now);
}

bool KeyActor::readsOrganizationKeys() const
{
    return !_caller.organizationId.empty() && holds(permissionsIn(identityServiceId), readPermission);
}

bool KeyActor::managesOrganizationKeys() const
{
    return !_caller.organizationId.empty() && holds(permissionsIn(identityServiceId), managePermission);
}

std::vector<Tenant> KeyActor::visibleOwners(const std::optional<std::string>& named) const
{
    std::vector<Tenant> owners = {Tenant::fromStored(_caller.principalId)};
    if (!isKey() && readsOrganizationKeys()) owners.push_back(_caller.tenant());
    if (!isKey() && _caller.platformBypass && named && std::ranges::find(owners, Tenant::fromStored(*named)) == owners.end())
        owners.push_back(Tenant::fromStored(*named));
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

/// Returns the key's rate limit; the host's by default.
KeyRateLimit KeyActor::rateOf(const std::optional<KeyRateLimit>& own) const
{
    return own.value_or(KeyRateLimit{_settings.requestsPerMinute, 60});
}

bool KeyActor::inActiveContext(const ApiKey& key) const
{
    return (key.organizationId ? key.organizationId->text() : std::string()) == _caller.organizationId;
}

bool KeyActor::clearsUp(const ApiKey& key) const
{
    if (isKey() || !_caller.platformBypass || !key.organizationId) return false;
    const auto organization = organizations::find(_session, *key.organizationId);
    return organization && organization->kind == OrganizationKind::DeveloperWorkspace && organization->status != OrganizationStatus::Active;
}

bool KeyActor::sees(const ApiKey& key) const
{
    if (clearsUp(key)) return true;
    if (!inActiveContext(key)) return false;
    if (key.ownerId == _caller.principalId) return !isKey() || covers(key);
    return !isKey() && key.ownerType == KeyOwner::Organization && readsOrganizationKeys();
}

void KeyActor::requireControl(const ApiKey& key) const
{
    if (isKey() && key.ownerId == _caller.principalId && inActiveContext(key) && !covers(key))
        throw wider("That key may do more than this one.");
    if (!sees(key)) throw Problem::notFound();
    if (clearsUp(key)) return;
    if (!isKey() && key.ownerType == KeyOwner::Organization && !managesOrganizationKeys()) throw Problem::forbidden();
}

void KeyActor::requireOwner(const KeyInput& input) const
{
    const auto& id = input.ownerId;
    if (id == _caller.principalId && (input.ownerType == KeyOwner::Organization) == id.starts_with("org_")) return;
    if (isKey() || input.ownerType == KeyOwner::User)
        throw Problem::forbidden("permission_denied", "Keys are made for oneself, or for the active organization.");
    if (id != _caller.organizationId) throw Problem::notFound();
    if (!managesOrganizationKeys()) throw Problem::forbidden();
}

void KeyActor::requireRights(const std::vector<Grant>& grants, KeyOwner owner) const
{
    const auto refusal = wider("A key cannot exceed the rights of its creator.");
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
            // A user's key is limited by the user's rights at each request. An organization's key has the owners' rights, so its creator
            // must have all of them.
            if (owner == KeyOwner::User ? std::ranges::none_of(opened, isHeld) : !std::ranges::all_of(opened, isHeld)) throw refusal;
        }
    }
}

void KeyActor::requireElevation(const std::vector<Grant>& grants) const
{
    // An acting key cannot step up, and cannot grant more than it has.
    if (isKey() || !key_rules::isHighRisk(_catalog, grants)) return;
    identity::requireElevation(_session, _caller, _now);
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

} // namespace portico::identity
