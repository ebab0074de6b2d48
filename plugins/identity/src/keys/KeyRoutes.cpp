#include "keys/KeyRoutes.h"

#include "audit/Audit.h"
#include "catalog/CatalogStore.h"
#include "records/Organization.h"

#include "portico/Crypto.h"
#include "portico/Problem.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

constexpr EventName revocation = "api_key.revoked";

/// Access for the caller's keys, and for the organization's with a permission of identity. The handler checks the permission, because the
/// origin may belong to another service.
Access keyAccess() { return Access{.bearer = true, .apiKey = true, .scope = "api_keys.write"}.inOrganization(); }

RouteOptions row(std::string_view summary, std::vector<std::string_view> problems = {})
{
    return {.summary = summary, .onEveryOrigin = true, .problems = std::move(problems)};
}

Problem keyLimitReached() { return Problem::conflict("key_limit_reached", "This owner has as many keys as it may have."); }

/// Returns the owners whose keys the caller may change.
std::vector<Tenant> ownersOf(const Caller& caller)
{
    std::vector<Tenant> owners = {Tenant::fromStored(caller.principalId)};
    if (!caller.organizationId.empty()) owners.push_back(Tenant::fromStored(caller.organizationId));
    return owners;
}

/// Returns whether a key has a grant in the service of a page, or belongs to the active context. Any other filter replaces this one.
bool isForPage(const ApiKey& key, const KeyFilterQuery& filter, const Caller& caller)
{
    if (!filter.forService || filter.ownerType || filter.ownerId || filter.serviceId) return true;
    return key.grantFor(*filter.forService) || key.ownerId == (caller.organizationId.empty() ? caller.principalId : caller.organizationId);
}

bool fits(const ApiKey& key, const KeyFilterQuery& filter)
{
    return (!filter.ownerType || key.ownerType == *filter.ownerType) && (!filter.ownerId || key.ownerId == *filter.ownerId) &&
           (!filter.serviceId || key.grantFor(*filter.serviceId)) &&
           (filter.status.empty() || std::ranges::find(filter.status, key.status) != filter.status.end());
}

/// How long keys live there at most.
std::chrono::hours longestLife(const std::optional<Organization>& organization)
{
    return organization ? std::chrono::hours(24) * organization->securityPolicy.apiKeyMaxDays : std::chrono::hours::max();
}

std::optional<Organization> organizationOf(Session& session, const std::optional<OrganizationId>& id)
{
    return id ? organizations::find(session, *id) : std::nullopt;
}

/// Returns the expiry of a replacement key: the lifetime of the old one, limited by the organization's policy. Only owners create keys of
/// an organization without expiry.
std::optional<Instant> endOfSuccessor(const ApiKey& key, const std::optional<Organization>& organization, const Caller& caller, Instant now)
{
    if (!organization) return key.expiresAt ? std::optional(now + (*key.expiresAt - key.createdAt)) : std::nullopt;
    const auto longest = now + longestLife(organization);
    if (key.expiresAt) return std::min(now + (*key.expiresAt - key.createdAt), longest);
    return caller.role == toString(Role::Owner) ? std::nullopt : std::optional(longest);
}

void requireTransition(const ApiKey& old, KeyStatus wanted, Instant now)
{
    const auto status = old.statusAt(now);
    if (wanted == old.status) return;
    const auto switches = [](KeyStatus value) { return value == KeyStatus::Active || value == KeyStatus::Disabled; };
    if (!switches(wanted)) throw Problem::invalid("status", "invalid_choice", "Use active or disabled.");
    if (status == KeyStatus::Rotating)
        throw Problem::conflict("conflict", "This key was replaced: it expires automatically, or can be revoked.");
    if (!switches(status)) throw Problem::conflict("conflict", "This key has ended.");
}

} // namespace

void KeyRoutes::declare(Routes& routes)
{
    const std::vector<std::string_view> refusals = {"403 scope_exceeds_own_rights", "403 developer_workspace_suspended",
                                                    "403 developer_workspace_revoked"};
    auto rotation = refusals;
    rotation.insert(rotation.end(), {"400 unknown_scope", "409 key_limit_reached"});
    auto creation = refusals;
    creation.insert(creation.end(), {"400 unknown_scope", "400 unknown_resource_type", "400 resource_not_found",
                                     "400 expiry_exceeds_policy", "409 key_limit_reached"});
    _bindable.declare(routes);
    routes.get("/api/api-keys", keyAccess(), &KeyRoutes::list, this, row("List API keys"))
        .post("/api/api-keys", keyAccess().inPerson(), &KeyRoutes::create, this, row("Create an API key", creation))
        .get("/api/api-keys/{id}", keyAccess(), &KeyRoutes::show, this, row("Read an API key"))
        .patch("/api/api-keys/{id}", keyAccess().inPerson(), &KeyRoutes::update, this, row("Update an API key", refusals))
        .post("/api/api-keys/{id}/rotate", keyAccess().inPerson(), &KeyRoutes::rotate, this, row("Rotate an API key", rotation))
        .del("/api/api-keys/{id}", keyAccess().inPerson(), &KeyRoutes::revoke, this, row("Revoke an API key", refusals));
}

Page<ApiKey> KeyRoutes::list(const Caller& caller, const Query<KeyFilterQuery>& filter, const Paging& paging) const
{
    const auto catalog = _core.catalog.snapshot();
    auto session = _core.database.snapshot();
    const auto actor = actorOf(session, *catalog, caller);
    // Visibility is checked in code, so pages are cut here and not in the database.
    auto keys = api_keys::ofOwners(session, actor.visibleOwners(filter->ownerId));
    for (auto& key : keys) api_keys::complete(session, key, _core.clock.now());
    std::erase_if(keys, [&](const ApiKey& key) { return !actor.sees(key) || !fits(key, *filter) || !isForPage(key, *filter, caller); });
    std::ranges::sort(keys, std::greater(), &ApiKey::id);
    Page<ApiKey> page;
    if (paging.includeTotal) page.total = static_cast<std::int64_t>(keys.size());
    // Newest first: the next page begins below the last id of this one.
    if (!paging.cursor.empty()) std::erase_if(keys, [&](const ApiKey& key) { return key.id.text() >= paging.cursor; });
    if (const auto limit = static_cast<std::size_t>(paging.limit); keys.size() > limit)
    {
        keys.resize(limit);
        page.nextCursor = keys.back().id.text();
    }
    page.items = std::move(keys);
    return page;
}

ApiKey KeyRoutes::show(const Caller& caller, const Path<ApiKeyId>& id) const
{
    const auto catalog = _core.catalog.snapshot();
    auto session = _core.database.snapshot();
    auto key = api_keys::find(session, id->text());
    if (!key || !actorOf(session, *catalog, caller).sees(*key)) throw Problem::notFound();
    api_keys::complete(session, *key, _core.clock.now());
    return *std::move(key);
}

std::optional<Instant> KeyRoutes::expiry(Session& session, const Caller& caller, const KeyActor& actor, const Body<KeyInput>& input) const
{
    const auto now = _core.clock.now();
    const auto refusal = Problem::badRequest("expiry_exceeds_policy", "The organization's keys do not live that long.");
    const auto organization = organizationOf(session, OrganizationId::parse(caller.organizationId));
    const auto& wanted = input->expiresAt;
    // Null, not absent: it never expires.
    if (input.has("expiresAt") && !wanted)
    {
        if (organization && caller.role != toString(Role::Owner)) throw refusal;
        return std::nullopt;
    }
    const auto longest = longestLife(organization);
    if (!wanted) return actor.withinOwnLife(now + std::min<std::chrono::hours>(longest, _core.settings.keyLife));
    if (*wanted <= now) throw Problem::invalid("expiresAt", "in_the_past", "A key expires later than now.");
    if (organization && *wanted > now + longest) throw refusal;
    return wanted;
}

NewKeyAnswer KeyRoutes::store(Transaction& transaction, ApiKey key)
{
    const auto text = KeyText::make(key.environment);
    const auto now = _core.clock.now();
    key.id = ApiKeyId::make(now);
    key.keyId = text.keyId;
    key.prefix = text.prefix();
    key.secretHash = sha256(text.secret).hex();
    const auto whole = text.text();
    key.last4 = whole.substr(whole.size() - 4);
    key.status = KeyStatus::Active;
    key.version = 1;
    key.createdAt = key.updatedAt = now;
    api_keys::insert(transaction, key);
    return {std::move(key), whole};
}

Created<NewKeyAnswer> KeyRoutes::create(const Caller& caller, const Request& request, const Body<KeyInput>& input)
{
    const auto catalog = _core.catalog.snapshot();
    // Asks the service first, because it opens sessions. Reports the result only after the caller's right to create this key was checked.
    const auto missing = _bindable.missing(caller, input->grants);
    // Runs as a change, which serializes creations, so that the limit is exact.
    auto made = _core.changes.run(ownersOf(caller),
                                  [&](Transaction& transaction)
                                  {
                                      const auto actor = actorOf(transaction, *catalog, caller);
                                      ApiKey key;
                                      key.organizationId = OrganizationId::parse(caller.organizationId);
                                      organizations::requireOpenWorkspace(transaction, key.organizationId);
                                      actor.requireOwner(*input);
                                      key_rules::checkGrants(*catalog, input->grants);
                                      key.ipAllowList = input->ipAllowList.value_or(actor.usualAddresses());
                                      key_rules::checkDetails(key.ipAllowList, input->metadata);
                                      actor.requireRights(input->grants, input->ownerType);
                                      if (missing) throw *missing;
                                      actor.requireElevation(input->grants);
                                      key.name = input->name;
                                      key.environment = input->environment;
                                      key.ownerType = input->ownerType;
                                      key.ownerId = input->ownerId;
                                      key.createdBy = actor.isKey() ? caller.apiKeyId : caller.principalId;
                                      key.grants = input->grants;
                                      key.rateLimit = input->rateLimit ? input->rateLimit : actor.usualRate();
                                      key.metadata = input->metadata;
                                      key.expiresAt = expiry(transaction, caller, actor, input);
                                      actor.requireNoWider(key);
                                      if (api_keys::countLive(transaction, Tenant::fromStored(key.ownerId), _core.clock.now()) >=
                                          _core.settings.keysPerOwner)
                                          throw keyLimitReached();
                                      _newKeys.require(key.ownerId);
                                      auto stored = store(transaction, std::move(key));
                                      AuditLog::personal(request, _core.clock.now(), stored.apiKey.organizationId)
                                          .record(transaction, "api_key.created", stored.apiKey.id);
                                      return stored;
                                  });
    auto location = "/api/api-keys/" + made.apiKey.id.text();
    return {std::move(made), std::move(location)};
}

ApiKey KeyRoutes::change(const Caller& caller, const Request& request, const ApiKeyId& id, const IfMatch& match, EventName event,
                         const std::function<bool(Transaction&, const KeyActor&, ApiKey&)>& work)
{
    const auto catalog = _core.catalog.snapshot();
    auto concerned = ownersOf(caller);
    const auto others = [&]() -> std::optional<ApiKey>
    {
        if (!caller.platformBypass) return std::nullopt;
        auto session = _core.database.session();
        return api_keys::find(session, id.text());
    }();
    if (others) concerned.push_back(Tenant::fromStored(others->ownerId));
    return _core.changes.run(concerned,
                             [&](Transaction& transaction)
                             {
                                 // Checked before the key is examined: in a closed workspace all rights are void.
                                 organizations::requireOpenWorkspace(transaction, OrganizationId::parse(caller.organizationId));
                                 auto key = api_keys::find(transaction, id.text());
                                 if (!key) throw Problem::notFound();
                                 const auto actor = actorOf(transaction, *catalog, caller);
                                 actor.requireControl(*key);
                                 match.require(key->version);
                                 const auto now = _core.clock.now();
                                 if (work(transaction, actor, *key))
                                 {
                                     // To end one is open in a closed workspace, too, for operators.
                                     if (event == revocation)
                                         api_keys::narrow(transaction, *key, now);
                                     else
                                         api_keys::update(transaction, *key, now);
                                     AuditLog::personal(request, now, key->organizationId).record(transaction, event, key->id);
                                 }
                                 api_keys::complete(transaction, *key, now);
                                 return *std::move(key);
                             });
}

ApiKey KeyRoutes::update(const Caller& caller, const Request& request, const Path<ApiKeyId>& id, const Body<Patch<ApiKey>>& patch,
                         const IfMatch& match)
{
    return change(caller, request, *id, match, "api_key.updated",
                  [&](Transaction&, const KeyActor& actor, ApiKey& key)
                  {
                      const ApiKey old = key;
                      patch->applyTo(key);
                      requireTransition(old, key.status, _core.clock.now());
                      key_rules::checkDetails(key.ipAllowList, key.metadata);
                      if (!key_rules::isNarrower(key.grants, old.grants))
                          throw Problem::forbidden("scope_exceeds_own_rights", "The grants of a key can only be narrowed.");
                      actor.requireNarrowing(old, key);
                      return true;
                  });
}

Created<RotatedKeyAnswer> KeyRoutes::rotate(const Caller& caller, const Request& request, const Path<ApiKeyId>& id,
                                            const Body<RotateInput>& input, const IfMatch& match)
{
    RotatedKeyAnswer answer;
    const auto rotated = [&](Transaction& transaction, const KeyActor& actor, ApiKey& key)
    {
        const auto now = _core.clock.now();
        if (key.statusAt(now) != KeyStatus::Active) throw Problem::conflict("conflict", "Only an active key can be rotated.");
        ApiKey successor = key;
        successor.grants = key_rules::liveGrants(actor.catalog(), key.grants);
        if (successor.grants.empty()) throw Problem::badRequest("unknown_scope", "None of the key's scopes exists any more.");
        actor.requireRights(successor.grants, key.ownerType);
        actor.requireElevation(successor.grants);
        successor.createdBy = actor.isKey() ? caller.apiKeyId : caller.principalId;
        successor.rotatedFromId = key.id;
        successor.expiresAt = actor.withinOwnLife(endOfSuccessor(key, organizationOf(transaction, key.organizationId), caller, now));
        actor.requireNoWider(successor);
        const auto overlap = input->overlapSeconds ? std::chrono::seconds(*input->overlapSeconds) : _core.settings.lifetimes.keyOverlap;
        // Both count while both work.
        const auto live = api_keys::countLive(transaction, Tenant::fromStored(key.ownerId), now) + (overlap > overlap.zero() ? 1 : 0);
        if (live > _core.settings.keysPerOwner) throw keyLimitReached();
        _newKeys.require(key.ownerId);
        key.status = KeyStatus::Rotating;
        key.overlapEndsAt = now + overlap;
        answer.previous = {key.id, *key.overlapEndsAt};
        static_cast<NewKeyAnswer&>(answer) = store(transaction, std::move(successor));
        return true;
    };
    change(caller, request, *id, match, "api_key.rotated", rotated);
    auto location = "/api/api-keys/" + answer.apiKey.id.text();
    return {std::move(answer), std::move(location)};
}

NoContent KeyRoutes::revoke(const Caller& caller, const Request& request, const Path<ApiKeyId>& id, const Body<RevokeInput>& input,
                            const IfMatch& match)
{
    change(caller, request, *id, match, revocation,
           [&](Transaction&, const KeyActor&, ApiKey& key)
           {
               if (std::exchange(key.status, KeyStatus::Revoked) == KeyStatus::Revoked) return false;
               key.revokedAt = _core.clock.now();
               if (!input->reason.empty()) key.revokeReason = input->reason;
               return true;
           });
    return {};
}

} // namespace portico::identity
