#include "keys/KeyService.h"

#include "keys/KeyRules.h"
#include "keys/KeyStore.h"
#include "organizations/OrganizationStore.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

std::string contextOfKey(const ApiKey& key) { return key.organizationId ? key.organizationId->text() : std::string(); }

bool fits(const ApiKey& key, const KeyFilterQuery& filter)
{
    return (!filter.ownerType || key.ownerType == *filter.ownerType) && (!filter.ownerId || key.ownerId == *filter.ownerId) &&
           (!filter.serviceId || key.grantFor(*filter.serviceId)) &&
           (filter.status.empty() || std::ranges::find(filter.status, key.status) != filter.status.end());
}

void requireTransition(const ApiKey& old, KeyStatus wanted, Instant now)
{
    const auto status = old.statusAt(now);
    if (wanted == old.status) return;
    const auto switches = [](KeyStatus value) { return value == KeyStatus::Active || value == KeyStatus::Disabled; };
    if (!switches(wanted)) throw Problem::invalid("status", "invalid_choice", "Use active or disabled.");
    if (!switches(status)) throw Problem::conflict("conflict", "This key has ended.");
}

} // namespace

std::vector<ApiKey> KeyService::list(const Caller& caller, const KeyFilterQuery& filter)
{
    const auto now = _parts.clock.now();
    const auto catalog = _parts.catalog.snapshot();
    auto session = _parts.database.snapshot();
    const auto actor = actorOf(session, *catalog, caller);
    auto keys = api_keys::ofOwners(session, actor.visibleOwners(), now);
    std::erase_if(keys,
                  [&](ApiKey& key)
                  {
                      key.status = key.statusAt(now);
                      return !actor.sees(key) || !fits(key, filter);
                  });
    std::ranges::sort(keys, std::greater(), [](const ApiKey& key) { return key.id.text(); });
    return keys;
}

ApiKey KeyService::show(const Caller& caller, const ApiKeyId& id)
{
    const auto now = _parts.clock.now();
    const auto catalog = _parts.catalog.snapshot();
    auto session = _parts.database.snapshot();
    auto key = api_keys::find(session, id.text());
    if (!key || !actorOf(session, *catalog, caller).sees(*key)) throw Problem::notFound();
    api_keys::addUses(session, *key, now);
    key->status = key->statusAt(now);
    return *std::move(key);
}

void KeyService::countNewKey(std::string_view ownerId)
{
    constexpr auto window = std::chrono::hours(1);
    const auto limit = _parts.settings.newKeysPerHour;
    if (limit > 0 && _parts.state.add("new-keys:" + std::string(ownerId), 1, window) > limit)
        throw Problem::rateLimited(std::chrono::seconds(window).count());
}

std::optional<Instant> KeyService::expiry(Session& session, const Caller& caller, const KeyActor& actor, const KeyInput& input,
                                          bool neverExpires) const
{
    const auto now = _parts.clock.now();
    const auto refusal = Problem::badRequest("expiry_exceeds_policy", "The organization's keys do not live that long.");
    const auto organization = caller.organization.empty() ? std::nullopt : organizations::find(session, caller.organization);
    if (neverExpires)
    {
        if (organization && caller.role != toString(Role::Owner)) throw refusal;
        return std::nullopt;
    }
    std::chrono::hours longest =
        organization ? std::chrono::hours(24) * organization->securityPolicy.apiKeyMaxDays : std::chrono::hours::max();
    if (!input.expiresAt) return actor.withinOwnLife(now + std::min(longest, _parts.settings.keyLife));
    if (*input.expiresAt <= now) throw Problem::invalid("expiresAt", "in_the_past", "A key expires later than now.");
    if (organization && *input.expiresAt > now + longest) throw refusal;
    return input.expiresAt;
}

NewKey KeyService::store(Transaction& transaction, ApiKey key)
{
    const auto text = KeyText::make(key.environment);
    const auto now = _parts.clock.now();
    key.id = ApiKeyId::make(now);
    key.keyId = text.keyId;
    key.prefix = text.prefix();
    key.secretHash = _sha256.hex(text.secret);
    const auto whole = text.text();
    key.last4 = whole.substr(whole.size() - 4);
    key.status = KeyStatus::Active;
    key.version = 1;
    key.createdAt = key.updatedAt = now;
    api_keys::insert(transaction, key);
    return {std::move(key), whole};
}

NewKey KeyService::create(const Caller& caller, const KeyInput& input, bool neverExpires, const Client& client)
{
    const auto catalog = _parts.catalog.snapshot();
    // As a change, one after the other, so that the limit holds.
    return _parts.changes.run(
        [&](Transaction& transaction)
        {
            const auto now = _parts.clock.now();
            const auto actor = actorOf(transaction, *catalog, caller);
            requireOpenWorkspace(transaction, caller.organization);
            actor.requireOwner(input.ownerType, input.ownerId);
            key_rules::checkGrants(*catalog, input.grants);
            const auto addresses = input.ipAllowList.value_or(actor.usualAddresses());
            key_rules::checkDetails(addresses, input.metadata);
            actor.requireRights(input.grants, input.ownerType);
            actor.requireElevation(input.grants);
            ApiKey key;
            key.name = input.name;
            key.environment = input.environment;
            key.ownerType = input.ownerType;
            key.ownerId = input.ownerId;
            key.createdBy = actor.isKey() ? caller.apiKeyId : caller.principalId;
            key.organizationId = OrganizationId::parse(caller.organization);
            key.grants = input.grants;
            key.ipAllowList = addresses;
            key.rateLimit = input.rateLimit ? input.rateLimit : actor.usualRate();
            key.metadata = input.metadata;
            key.expiresAt = expiry(transaction, caller, actor, input, neverExpires);
            actor.requireNoWider(key);
            if (api_keys::countLive(transaction, key.ownerId, now) >= _parts.settings.keysPerOwner)
                throw Problem::conflict("key_limit_reached", "This owner has as many keys as it may have.");
            countNewKey(key.ownerId);
            auto made = store(transaction, std::move(key));
            audit(transaction, "api_key.created", caller, made.key, client);
            return made;
        });
}

void KeyService::change(const Caller& caller, const ApiKeyId& id, const std::function<void(Transaction&, const KeyActor&, ApiKey&)>& work)
{
    const auto catalog = _parts.catalog.snapshot();
    _parts.changes.run(
        [&](Transaction& transaction)
        {
            auto key = api_keys::find(transaction, id.text());
            if (!key) throw Problem::notFound();
            const auto actor = actorOf(transaction, *catalog, caller);
            actor.requireControl(*key);
            requireOpenWorkspace(transaction, contextOfKey(*key));
            work(transaction, actor, *key);
        });
}

ApiKey KeyService::update(const Caller& caller, const ApiKeyId& id, const Patch<ApiKey>& patch, const IfMatch& match, const Client& client)
{
    ApiKey updated;
    change(caller, id,
           [&](Transaction& transaction, const KeyActor& actor, ApiKey& key)
           {
               const auto now = _parts.clock.now();
               match.require(key.version);
               const ApiKey old = key;
               patch.applyTo(key);
               requireTransition(old, key.status, now);
               key_rules::checkDetails(key.ipAllowList, key.metadata);
               if (!key_rules::isNarrower(key.grants, old.grants))
                   throw Problem::forbidden("scope_exceeds_own_rights", "The grants of a key can only be narrowed.");
               actor.requireNarrowing(old, key);
               api_keys::update(transaction, key, now);
               audit(transaction, "api_key.updated", caller, key, client);
               api_keys::addUses(transaction, key, now);
               key.status = key.statusAt(now);
               updated = key;
           });
    return updated;
}

NewKey KeyService::rotate(const Caller& caller, const ApiKeyId& id, std::chrono::seconds overlap, const Client& client, ApiKey& previous)
{
    NewKey made;
    change(caller, id,
           [&](Transaction& transaction, const KeyActor& actor, ApiKey& key)
           {
               const auto now = _parts.clock.now();
               if (key.statusAt(now) != KeyStatus::Active) throw Problem::conflict("conflict", "Only an active key can be rotated.");
               ApiKey successor = key;
               successor.grants = key_rules::liveGrants(actor.catalog(), key.grants);
               if (successor.grants.empty()) throw Problem::badRequest("unknown_scope", "No service has a scope of this key any more.");
               actor.requireRights(successor.grants, key.ownerType);
               actor.requireElevation(successor.grants);
               successor.createdBy = actor.isKey() ? caller.apiKeyId : caller.principalId;
               successor.rotatedFromId = key.id;
               if (key.expiresAt) successor.expiresAt = now + (*key.expiresAt - key.createdAt);
               successor.expiresAt = actor.withinOwnLife(successor.expiresAt);
               actor.requireNoWider(successor);
               countNewKey(key.ownerId);
               key.status = KeyStatus::Rotating;
               key.overlapEndsAt = now + overlap;
               api_keys::update(transaction, key, now);
               made = store(transaction, std::move(successor));
               audit(transaction, "api_key.rotated", caller, key, client);
               previous = key;
           });
    return made;
}

void KeyService::revoke(const Caller& caller, const ApiKeyId& id, std::string_view reason, const Client& client)
{
    change(caller, id,
           [&](Transaction& transaction, const KeyActor&, ApiKey& key)
           {
               if (key.status == KeyStatus::Revoked) return;
               key.status = KeyStatus::Revoked;
               key.revokedAt = _parts.clock.now();
               if (!reason.empty()) key.revokeReason = reason;
               api_keys::update(transaction, key, *key.revokedAt);
               audit(transaction, "api_key.revoked", caller, key, client);
           });
}

void KeyService::audit(Transaction& transaction, std::string_view type, const Caller& caller, const ApiKey& key, const Client& client) const
{
    const bool byKey = caller.credential == CredentialKind::ApiKey;
    AuditEntry entry;
    entry.type = type;
    entry.actorType = byKey ? "api_key" : "user";
    entry.actorId = byKey ? caller.apiKeyId : caller.principalId;
    entry.client = client;
    entry.target = key.id.text();
    if (key.organizationId) entry.organizationId = key.organizationId->text();
    entry.serviceId = caller.serviceId;
    _parts.audit.record(transaction, entry, _parts.clock.now());
}

} // namespace portico::identity
