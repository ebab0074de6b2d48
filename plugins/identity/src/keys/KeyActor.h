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

/// Rules for keys, independent of the actor.
namespace key_rules
{
/// Checks that every scope and resource type exists, each service is named once, and resource ids have the declared form.
/// @throws Problem 400 `unknown_scope`, `unknown_resource_type`, `resource_not_found`, `validation_failed` with the places
void checkGrants(const Catalog& catalog, const std::vector<Grant>& grants);
/// Checks that addresses are networks, and that the metadata is an object of limited size. @throws Problem 400 `validation_failed`
void checkDetails(const std::vector<std::string>& ipAllowList, const Json& metadata);
/// Returns the grants without scopes that the catalog no longer has.
std::vector<Grant> liveGrants(const Catalog& catalog, std::vector<Grant> grants);
/// @throws Problem 401 `invalid_token` (key_disabled, key_expired, key_revoked, workspace_suspended)
void requireUsable(const ApiKey& key, Instant now);
/// Returns true if a scope of the grants has a high risk.
bool isHighRisk(const Catalog& catalog, const std::vector<Grant>& grants);
/// Returns true if `wide` includes every right of `narrow`.
bool isNarrower(const std::vector<Grant>& narrow, const std::vector<Grant>& wide);
/// Returns true if neither the rate nor the burst of `slow` exceeds that of `fast`.
bool isSlower(const KeyRateLimit& slow, const KeyRateLimit& fast) noexcept;
} // namespace key_rules

/// Actor that lists, creates or changes keys: a user, or a key with `api_keys.write`. Answers what it may do, by the rows of one session. A
/// key can only create keys that are in no respect wider than itself (scopes, resources, addresses, rate, expiry, environment), and can
/// only restrict others. Otherwise a stolen key could escape its limits. Created for one request.
class KeyActor
{
public:
    /// @throws Problem 401 `invalid_token` if the acting key has ended since the request was authenticated
    KeyActor(Session& session, const Catalog& catalog, const Settings& settings, const Caller& caller, Instant now);

    bool isKey() const noexcept { return _caller.credential == CredentialKind::ApiKey; }
    /// Return true if the actor may see, or change, the keys of the active organization.
    bool readsOrganizationKeys() const;
    bool managesOrganizationKeys() const;

    /// Returns the owners whose keys this actor may list; an operator may name others.
    std::vector<Tenant> visibleOwners(const std::optional<std::string>& named = {}) const;
    bool sees(const ApiKey& key) const;
    /// @throws Problem 404 for a key that the actor cannot see, 403 `permission_denied`, `scope_exceeds_own_rights`
    void requireControl(const ApiKey& key) const;
    /// Checks the owner of a new key. @throws Problem 403 `permission_denied`, 404
    void requireOwner(const KeyInput& input) const;
    /// Checks that the grants do not exceed the actor's rights. @throws Problem 403 `scope_exceeds_own_rights`
    void requireRights(const std::vector<Grant>& grants, KeyOwner owner) const;
    /// Requires a recent step-up of users for scopes of high risk. @throws Problem 403 `step_up_required`
    void requireElevation(const std::vector<Grant>& grants) const;

    /// Return defaults of a new key. If a key creates it, its limits apply where they are stricter.
    std::vector<std::string> usualAddresses() const;
    std::optional<KeyRateLimit> usualRate() const;
    std::optional<Instant> withinOwnLife(std::optional<Instant> end) const;
    /// Checks a new key that a key creates. @throws Problem 403 `scope_exceeds_own_rights`
    void requireNoWider(const ApiKey& made) const;
    /// Checks a change by a key; for grants see `key_rules::isNarrower`. @throws Problem 403 `scope_exceeds_own_rights`
    void requireNarrowing(const ApiKey& old, const ApiKey& changed) const;

    const Catalog& catalog() const noexcept { return _catalog; }

private:
    std::vector<std::string> permissionsIn(std::string_view serviceId) const;
    std::vector<Grant> ownGrants() const;
    /// Returns true if the acting key includes the rights of the other key.
    bool covers(const ApiKey& key) const;
    KeyRateLimit rateOf(const std::optional<KeyRateLimit>& own) const;
    bool inActiveContext(const ApiKey& key) const;
    /// Returns true if an operator may end the key, because it belongs to a closed developer workspace, whose members can no longer do so.
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
