#pragma once

#include "catalog/Catalog.h"
#include "common/Settings.h"
#include "records/ApiKey.h"
#include "records/Organization.h"

#include "portico/Caller.h"
#include "portico/Database.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// What a key may be, whoever makes it.
namespace key_rules
{
/// Every scope and resource type exists, each service is named once, and resources look like what they are said to be.
/// @throws Problem 400 `unknown_scope`, `unknown_resource_type`, `resource_not_found`, `validation_failed` with the places
void checkGrants(const Catalog& catalog, const std::vector<Grant>& grants);
/// Addresses are networks, and what is noted on the key is an object of reasonable size. @throws Problem 400 `validation_failed`
void checkDetails(const std::vector<std::string>& ipAllowList, const Json& metadata);
/// What the catalog still has of the grants: a scope that a manifest dropped is no part of a key any more.
std::vector<Grant> liveGrants(const Catalog& catalog, std::vector<Grant> grants);
/// @throws Problem 401 `invalid_token` (key_disabled, key_expired, key_revoked, workspace_suspended)
void requireUsable(const ApiKey& key, Instant now);
/// True if a scope of the grants is of high risk.
bool isHighRisk(const Catalog& catalog, const std::vector<Grant>& grants);
/// Whether every right of `narrow` is one of `wide`, too.
bool isNarrower(const std::vector<Grant>& narrow, const std::vector<Grant>& wide);
/// Whether neither the rate nor the burst of `slow` exceeds that of `fast`.
bool isSlower(const KeyRateLimit& slow, const KeyRateLimit& fast) noexcept;
} // namespace key_rules

/// Someone who lists, makes or changes keys: a user, or a key that holds `api_keys.write`. Says what they may, by the rows of one session.
/// What a key makes is in nothing wider than itself (scopes, resources, addresses, rate, end, environment), and what it changes of another
/// becomes narrower only: else who gets hold of one would own what its maker has limited. Made for one request.
class KeyActor
{
public:
    /// @throws Problem 401 `invalid_token` when the acting key has ended since the request was let in.
    KeyActor(Session& session, const Catalog& catalog, const Settings& settings, const Caller& caller, Instant now);

    bool isKey() const noexcept { return _caller.credential == CredentialKind::ApiKey; }
    /// May see, or change, the keys that the active organization owns.
    bool readsOrganizationKeys() const;
    bool managesOrganizationKeys() const;

    /// Owners whose keys this actor may list; an operator names others.
    std::vector<Tenant> visibleOwners(const std::optional<std::string>& named = {}) const;
    bool sees(const ApiKey& key) const;
    /// @throws Problem 404 for a key that is not the actor's to see, 403 `permission_denied`, `scope_exceeds_own_rights`
    void requireControl(const ApiKey& key) const;
    /// Who a new key may belong to. @throws Problem 403 `permission_denied`, 404
    void requireOwner(const KeyInput& input) const;
    /// Nobody gives a key more than they have. @throws Problem 403 `scope_exceeds_own_rights`
    void requireRights(const std::vector<Grant>& grants, KeyOwner owner) const;
    /// High-risk scopes ask users for a fresh proof. @throws Problem 403 `step_up_required`
    void requireElevation(const std::vector<Grant>& grants) const;

    /// What a new key has of that which was not asked for: for a key's, its own limits where the usual ones are wider.
    std::vector<std::string> usualAddresses() const;
    std::optional<KeyRateLimit> usualRate() const;
    std::optional<Instant> withinOwnLife(std::optional<Instant> end) const;
    /// Of a new key, when a key makes it. @throws Problem 403 `scope_exceeds_own_rights`
    void requireNoWider(const ApiKey& made) const;
    /// Of a change, when a key makes it; of grants see `key_rules::isNarrower`. @throws Problem 403 `scope_exceeds_own_rights`
    void requireNarrowing(const ApiKey& old, const ApiKey& changed) const;

    const Catalog& catalog() const noexcept { return _catalog; }

private:
    std::vector<std::string> permissionsIn(std::string_view serviceId) const;
    std::vector<Grant> ownGrants() const;
    /// Whether the acting key covers what that key is for.
    bool covers(const ApiKey& key) const;
    KeyRateLimit rateOf(const std::optional<KeyRateLimit>& own) const;
    bool inActiveContext(const ApiKey& key) const;
    /// Keys of a closed developer workspace, whose people can look after them no more, are an operator's to end.
    bool clearsUp(const ApiKey& key) const;

    Session& _session;
    const Catalog& _catalog;
    const Settings& _settings;
    const Caller& _caller;
    Instant _now;
    /// The acting key, as its row is now.
    std::optional<ApiKey> _self;
};

} // namespace portico::identity
