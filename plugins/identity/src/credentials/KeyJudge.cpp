#include "credentials/KeyJudge.h"

#include "common/Problems.h"
#include "keys/KeyRules.h"
#include "users/UserStore.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

constexpr auto neverWithoutChange = std::chrono::hours(24 * 365);

/// Scopes that the catalog still has: one that a manifest dropped opens nothing.
std::vector<std::string> liveScopes(const CatalogService& service, const Grant& grant)
{
    std::vector<std::string> scopes;
    for (const auto& scope : grant.scopes)
        if (service.scope(scope)) scopes.push_back(scope);
    std::ranges::sort(scopes);
    return scopes;
}

/// Resources narrow only the scopes that name their type.
void bindResources(const CatalogService& service, const Grant& grant, Caller& caller)
{
    for (const auto& resource : grant.resources)
    {
        const auto names = [&](const std::string& scope)
        {
            const auto& bindable = service.scope(scope)->bindable;
            return std::ranges::find(bindable, resource.type) != bindable.end();
        };
        if (std::ranges::any_of(caller.scopes, names)) caller.boundResources[resource.type].push_back(resource.id);
    }
}

void describeKey(const ApiKey& key, const ActiveStanding& standing, std::string_view serviceId, Caller& caller)
{
    if (standing.organizationId) caller.organization = standing.organizationId->text();
    caller.organizationName = standing.organizationName;
    caller.role = toString(standing.role);
    caller.platformBypass = standing.platformBypass;
    caller.apiKeyId = key.id.text();
    caller.apiKeyPublicId = key.keyId;
    caller.apiKeyName = key.name;
    caller.serviceId = serviceId;
    if (key.expiresAt) caller.expiresAt = *key.expiresAt;
    if (!key.rateLimit) return;
    caller.rateLimit = key.rateLimit->limit;
    caller.rateWindowSeconds = key.rateLimit->windowSeconds;
}

/// What the owner may do now, but for what no key may, and the scopes that are granted here.
void giveRights(const CatalogService& service, const EvaluationInput& input, const ApiKey& key, Instant now, Caller& caller)
{
    caller.permissions = effectivePermissions(service, input, now);
    std::erase_if(caller.permissions, [&](const std::string& permission) { return service.exempt(permission); });
    const auto* grant = key.grantFor(service.serviceId);
    if (!grant) return;
    caller.scopes = liveScopes(service, *grant);
    bindResources(service, *grant, caller);
}

Instant nextTurn(const ApiKey& key, const EvaluationInput& input, Instant now)
{
    Instant until = now + neverWithoutChange;
    if (const auto end = key.endsAt()) until = std::min(until, *end);
    for (const auto& entry : input.userOverrides)
        if (entry.expiresAt && *entry.expiresAt > now) until = std::min(until, *entry.expiresAt);
    return until;
}

} // namespace

ActiveStanding KeyJudge::owner(const ApiKey& key, Caller& caller)
{
    caller.principalId = key.ownerId;
    if (key.ownerType == KeyOwner::Organization)
    {
        auto standing = access_facts::organizationStanding(_session, key.organizationId.value_or(OrganizationId()));
        caller.principalType = toString(PrincipalType::Service);
        caller.displayName = standing.organizationName;
        return standing;
    }
    const auto user = users::find(_session, key.ownerId);
    if (!user || user->status != UserStatus::Active) throw invalidToken("user_suspended");
    caller.principalType = toString(user->principalType);
    caller.displayName = user->displayName;
    caller.email = user->email;
    caller.revision = user->revision;
    return access_facts::standing(_session, key.ownerId, key.organizationId, user->platformRole);
}

RememberedCredential KeyJudge::judge(const ApiKey& key, std::string_view serviceId, bool requireAccess)
{
    key_rules::requireUsable(key, _now);
    Caller caller;
    caller.credential = CredentialKind::ApiKey;
    const auto standing = owner(key, caller);
    if (standing.organizationSuspended) throw invalidToken("workspace_suspended");
    // On routes about the caller's own things, too: outside of its context a key has none.
    if (!standing.inGoodStanding) throw Problem::forbidden("service_access_denied");
    const auto input = access_facts::input(_session, standing, key.ownerId, serviceId);
    const auto* service = _catalog.find(serviceId);
    if (requireAccess && (!service || !mayEnter(*service, input))) throw Problem::forbidden("service_access_denied");

    describeKey(key, standing, serviceId, caller);
    if (service) giveRights(*service, input, key, _now, caller);
    RememberedCredential judged;
    judged.callerUntil = judged.expiresAt = nextTurn(key, input, _now);
    if (!key.ipAllowList.empty()) judged.addresses = std::make_shared<const AddressList>(key.ipAllowList);
    judged.caller = Caller::share(std::move(caller));
    return judged;
}

} // namespace portico::identity
