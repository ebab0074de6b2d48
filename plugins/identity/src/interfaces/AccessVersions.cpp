#include "interfaces/AccessVersions.h"

#include "catalog/CatalogStore.h"
#include "records/ApiKey.h"
#include "sessions/SignIn.h"
#include "users/User.h"

#include "portico/Crypto.h"
#include "portico/Json.h"

#include <algorithm>
#include <utility>

namespace portico::identity
{

namespace
{

constexpr std::chrono::milliseconds rememberedFor = std::chrono::minutes(10);

/// Facts that decide about the rights in one service. They are hashed.
struct AccessFacts
{
    std::string context;
    std::string household;
    std::string role;
    bool bypass = false;
    std::string obstacle;
    std::vector<std::string> permissions;
    std::vector<std::string> networks;
    bool mfaRequired = false;
    std::optional<Grant> grant;
};

constexpr auto schemaOf(const AccessFacts*)
{
    return describe(
        members<&AccessFacts::context, &AccessFacts::household, &AccessFacts::role, &AccessFacts::bypass, &AccessFacts::obstacle,
                &AccessFacts::permissions, &AccessFacts::networks, &AccessFacts::mfaRequired, &AccessFacts::grant>());
}

AccessFacts factsOf(const PersonAccess& access, const CatalogService& service, const std::optional<ApiKey>& key, Instant now)
{
    const auto& standing = access.standing();
    const auto input = access.input(service.serviceId);
    const auto closes = obstacle(service, input);
    AccessFacts facts;
    if (standing.organizationId) facts.context = standing.organizationId->text();
    if (standing.household) facts.household = standing.household->id.text() + ' ' + std::string(toString(standing.household->myRole));
    facts.role = toString(standing.role);
    facts.bypass = standing.platformBypass;
    facts.obstacle = toString(closes);
    if (closes == Obstacle::None) facts.permissions = effectivePermissions(service, input, now);
    facts.networks = standing.ipAllowList;
    facts.mfaRequired = standing.mfaRequired;
    if (const auto* grant = key ? key->grantFor(service.serviceId) : nullptr) facts.grant = *grant;
    return facts;
}

/// One entry per caller and context. It contains no credential.
CredentialKey keyOf(const Caller& caller)
{
    const auto text = caller.principalId + ' ' + caller.organizationId + ' ' + caller.sessionId + ' ' + caller.apiKeyId +
                      (caller.platformBypass ? " bypass" : "");
    return {sha256(text), {}, caller.credential};
}

Instant nextTurn(const PersonAccess& access, Instant now)
{
    auto until = now + rememberedFor;
    for (const auto& entry : access.overrides())
        if (entry.expiresAt && *entry.expiresAt > now) until = std::min(until, *entry.expiresAt);
    if (const auto power = access.standing().power.until; power && *power > now) until = std::min(until, *power);
    return until;
}

} // namespace

std::optional<PersonAccess> callerAccess(Session& session, const Caller& caller, Instant now)
{
    const auto organization = OrganizationId::parse(caller.organizationId);
    if (auto user = users::find(session, caller.principalId))
    {
        const auto signIn = caller.sessionId.empty() ? std::nullopt : sign_ins::find(session, caller.sessionId);
        const auto proof = signIn ? std::optional(SignInProof::of(*signIn, now)) : std::nullopt;
        return PersonAccess(session, *std::move(user), organization, proof);
    }
    if (caller.credential != CredentialKind::ApiKey || !organization) return std::nullopt;
    return PersonAccess(session, *organization);
}

AccessVersions::Remembered AccessVersions::read(const Caller& caller, const std::vector<std::string>& serviceIds, CallerRevision revision,
                                                ByService known, Instant now)
{
    const auto catalog = _core.catalog.snapshot(revision.common);
    auto session = _core.database.snapshot();
    const auto access = callerAccess(session, caller, now);
    const auto key = caller.apiKeyId.empty() ? std::nullopt : api_keys::find(session, caller.apiKeyId);
    for (const auto& id : serviceIds)
    {
        const auto* service = catalog->find(id);
        known[id] = access && service ? sha256(toJson(factsOf(*access, *service, key, now))).hex().substr(0, 32) : std::string();
    }
    const auto until = access ? nextTurn(*access, now) : now;
    return {std::make_shared<const ByService>(std::move(known)), std::move(revision), until, now + rememberedFor};
}

std::vector<std::string> AccessVersions::of(const Caller& caller, const std::vector<std::string>& serviceIds)
{
    const auto now = _core.clock.now();
    const auto key = keyOf(caller);
    // Before the rows are read: a change in between makes the result look older than it is, never newer.
    auto revision = _core.changes.current(caller.principalId, caller.organizationId);
    auto found = _cache.find(key);
    const bool current = found && found->revision == revision && now < found->until;
    const auto missing = [&](const std::string& id) { return !current || !found->versions->contains(id); };
    if (std::ranges::any_of(serviceIds, missing))
    {
        found = read(caller, serviceIds, std::move(revision), current ? *found->versions : ByService(), now);
        _cache.store(key, *found, now);
    }
    std::vector<std::string> versions;
    versions.reserve(serviceIds.size());
    for (const auto& id : serviceIds) versions.push_back(found->versions->at(id));
    return versions;
}

} // namespace portico::identity
