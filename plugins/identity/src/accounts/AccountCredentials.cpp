#include "accounts/AccountCredentials.h"

#include "organizations/Memberships.h"
#include "records/ApiKey.h"
#include "sessions/SignIn.h"
#include "signin/PendingSignIns.h"
#include "users/RecoveryEmail.h"

#include "portico/Json.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace portico::identity
{

namespace
{

using Kind = AccountCredentialKind;

struct RemovedDetails
{
    std::vector<AccountCredential> removed;
};

constexpr auto schemaOf(const RemovedDetails*) { return describe(field<&RemovedDetails::removed>()); }

/// One removal on its way.
struct Removing
{
    Transaction& transaction;
    const UserId& user;
    const CredentialRemoval& removal;
    Instant now;
    RemovedCredentials& result;

    Instant since() const { return removal.since.value_or(Instant{}); }
    void execute(std::string_view sql) const { transaction.execute(sql, user, since()); }
};

void removePassword(const Removing& removing)
{
    auto& transaction = removing.transaction;
    const auto user = users::find(transaction, removing.user.text());
    if (!user || !user->passwordHash) return;
    if (removing.removal.since)
        userTable.set(transaction, user->id, &User::passwordExpiredFor, PendingSignIns::markOf(*user));
    else
        userTable.set(transaction, user->id, &User::passwordHash, std::nullopt, &User::passwordExpiredFor, std::nullopt);
}

void removePasskeys(const Removing& removing) { removing.execute("DELETE FROM passkeys WHERE user_id = $1 AND created_at >= $2"); }

void removeApps(const Removing& removing) { removing.execute("DELETE FROM totp_factors WHERE user_id = $1 AND created_at >= $2"); }

void removeRecoveryCodes(const Removing& removing)
{
    removing.execute("DELETE FROM recovery_codes WHERE user_id = $1 AND created_at >= $2");
}

void removeLinks(const Removing& removing) { removing.execute("DELETE FROM linked_accounts WHERE user_id = $1 AND linked_at >= $2"); }

/// An older address stays when only one that waits for its code is younger.
void removeRecoveryEmail(const Removing& removing)
{
    if (!removing.removal.since)
    {
        recovery_emails::remove(removing.transaction, removing.user, removing.now);
        return;
    }
    recovery_emails::removeSince(removing.transaction, removing.user, removing.since(), removing.now);
}

/// Returns the active keys, by their ids.
std::vector<ApiKey> keysOf(const Removing& removing, Kind kind)
{
    std::vector<ApiKey> keys;
    for (const auto& item : removing.result.items)
        if (item.kind == kind)
            if (auto key = api_keys::find(removing.transaction, item.id)) keys.push_back(*std::move(key));
    return keys;
}

void endKeys(const Removing& removing)
{
    api_keys::end(removing.transaction, keysOf(removing, Kind::ApiKey), removing.removal.keyReason, removing.now);
}

void endOrganizationKeys(const Removing& removing)
{
    api_keys::end(removing.transaction, keysOf(removing, Kind::OrganizationKey), removing.removal.keyReason, removing.now);
}

void removeConsents(const Removing& removing) { removing.execute("DELETE FROM oauth_consents WHERE user_id = $1 AND updated_at >= $2"); }

void endSignInsOf(const Removing& removing)
{
    auto ended = sign_ins::endAll(removing.transaction, removing.user, removing.removal.signInReason, removing.now);
    std::ranges::move(ended, std::back_inserter(removing.result.endedSignIns));
}

/// Refresh families end with their sign-ins; this ends those whose sign-in has already expired.
void endFamilies(const Removing& removing)
{
    removing.transaction.execute("UPDATE refresh_families SET revoked_at = $2, revoke_reason = $3 WHERE revoked_at IS NULL "
                                 "AND session_id IN (SELECT id FROM sessions WHERE user_id = $1)",
                                 removing.user, removing.now, removing.removal.signInReason);
}

/// Removes agents like a manager's request does.
void removeAgents(const Removing& removing)
{
    auto& transaction = removing.transaction;
    for (const auto& item : removing.result.items)
    {
        const auto agent = item.kind == Kind::Agent ? UserId::parse(item.id) : std::nullopt;
        const auto organization =
            agent ? transaction.value<OrganizationId>("SELECT organization_id FROM agents WHERE user_id = $1", *agent) : std::nullopt;
        if (!organization) continue;
        membershipTable.set(transaction, *organization, *agent, {removing.now}, &Membership::status, MembershipStatus::Removed);
        auto ended = memberships::cleanUp(transaction, *organization, *agent, removing.now);
        std::ranges::move(ended, std::back_inserter(removing.result.endedSignIns));
        userTable.set(transaction, *agent, {removing.now}, &User::status, UserStatus::Deactivated, &User::revision, increment);
    }
}

/// Defines a kind: its query (`$1` the account, `$2` the start time), the tables that store it, and its removal.
struct Source
{
    Kind kind;
    std::array<std::string_view, 2> tables;
    std::string_view select;
    void (*remove)(const Removing&);
};

constexpr std::string_view keysOfAccount =
    "SELECT id, created_at FROM api_keys WHERE owner_type = 'user' AND status <> 'revoked' AND created_at >= $2 "
    "AND (owner_id = $1 OR owner_id IN (SELECT user_id FROM agents WHERE owner_user_id = $1)) ORDER BY created_at, id";

/// Follows keys that keys have made.
constexpr std::string_view keysForOrganizations =
    "WITH RECURSIVE made (id) AS (SELECT id FROM api_keys WHERE created_at >= $2 AND (created_by = $1 OR (owner_type = 'user' "
    "AND (owner_id = $1 OR owner_id IN (SELECT user_id FROM agents WHERE owner_user_id = $1)))) "
    "UNION SELECT k.id FROM api_keys k JOIN made m ON k.created_by = m.id) "
    "SELECT k.id, k.created_at FROM api_keys k JOIN made m ON m.id = k.id WHERE k.owner_type = 'organization' AND k.status <> 'revoked' "
    "ORDER BY k.created_at, k.id";

constexpr std::array<Source, 12> sources = {{
    {Kind::Password,
     {"users"},
     "SELECT '', COALESCE(password_set_at, created_at) FROM users WHERE id = $1 AND password_hash IS NOT NULL "
     "AND COALESCE(password_set_at, created_at) >= $2",
     removePassword},
    {Kind::Passkey,
     {"passkeys"},
     "SELECT id, created_at FROM passkeys WHERE user_id = $1 AND created_at >= $2 ORDER BY created_at, id",
     removePasskeys},
    {Kind::Totp,
     {"totp_factors"},
     "SELECT id, created_at FROM totp_factors WHERE user_id = $1 AND created_at >= $2 ORDER BY created_at, id",
     removeApps},
    {Kind::RecoveryCode,
     {"recovery_codes"},
     "SELECT '', MIN(created_at) FROM recovery_codes WHERE user_id = $1 AND used_at IS NULL AND created_at >= $2 HAVING COUNT(*) > 0",
     removeRecoveryCodes},
    {Kind::LinkedAccount,
     {"linked_accounts"},
     "SELECT id, linked_at FROM linked_accounts WHERE user_id = $1 AND linked_at >= $2 ORDER BY linked_at, id",
     removeLinks},
    {Kind::RecoveryEmail,
     {"recovery_emails"},
     "SELECT '', COALESCE(CASE WHEN pending_email IS NULL THEN verified_at END, updated_at) FROM recovery_emails WHERE user_id = $1 "
     "AND ((pending_email IS NOT NULL AND updated_at >= $2) OR verified_at >= $2)",
     removeRecoveryEmail},
    {Kind::ApiKey, {"api_keys"}, keysOfAccount, endKeys},
    {Kind::OrganizationKey, {"api_keys"}, keysForOrganizations, endOrganizationKeys},
    {Kind::Consent,
     {"oauth_consents"},
     "SELECT client_id, updated_at FROM oauth_consents WHERE user_id = $1 AND updated_at >= $2 ORDER BY updated_at, client_id",
     removeConsents},
    {Kind::Agent,
     {"agents"},
     "SELECT a.user_id, u.created_at FROM agents a JOIN users u ON u.id = a.user_id WHERE a.owner_user_id = $1 "
     "AND u.status NOT IN ('deactivated', 'deleted') AND u.created_at >= $2 ORDER BY u.created_at, a.user_id",
     removeAgents},
    {Kind::SignIn,
     {"sessions", "browser_sessions"},
     "SELECT id, created_at FROM sessions WHERE user_id = $1 AND ended_at IS NULL AND created_at >= $2 ORDER BY created_at, id",
     endSignInsOf},
    {Kind::RefreshFamily,
     {"refresh_families"},
     "SELECT f.id, f.created_at FROM refresh_families f JOIN sessions s ON s.id = f.session_id WHERE s.user_id = $1 "
     "AND f.revoked_at IS NULL AND f.created_at >= $2 ORDER BY f.created_at, f.id",
     endFamilies},
}};

bool isIn(const std::vector<Kind>& kinds, Kind kind) { return std::ranges::find(kinds, kind) != kinds.end(); }

/// Returns the start time for listing: kinds that are removed regardless of age are also listed so.
Instant listedSince(Kind kind, Instant since)
{
    return kind == Kind::Password || kind == Kind::SignIn || kind == Kind::RefreshFamily ? Instant{} : since;
}

void read(Session& session, const Source& source, const UserId& user, Instant since, std::vector<AccountCredential>& into)
{
    for (Row row : session.query(source.select, user, since)) into.push_back({source.kind, row.get<std::string>(0), row.get<Instant>(1)});
}

/// Recovery codes replace a second factor; without one they open nothing and are removed.
void dropStrayCodes(Transaction& transaction, const UserId& user)
{
    if (!factors::any(factors::summary(transaction, user))) transaction.execute("DELETE FROM recovery_codes WHERE user_id = $1", user);
}

} // namespace

bool RemovedCredentials::has(AccountCredentialKind kind) const noexcept
{
    return std::ranges::find(items, kind, &AccountCredential::kind) != items.end();
}

AuditDetails RemovedCredentials::auditDetails() const
{
    RemovedDetails details;
    // A family is its sign-in's.
    std::ranges::copy_if(items, std::back_inserter(details.removed),
                         [](const AccountCredential& item) { return item.kind != Kind::RefreshFamily; });
    return details;
}

namespace account_credentials
{

std::vector<AccountCredentialKind> all() { return allBut({}); }

std::vector<AccountCredentialKind> allBut(const std::vector<AccountCredentialKind>& excluded)
{
    std::vector<Kind> kinds;
    for (const auto& source : sources)
        if (!isIn(excluded, source.kind)) kinds.push_back(source.kind);
    return kinds;
}

std::vector<AccountCredentialKind> secondFactors() { return {Kind::Passkey, Kind::Totp, Kind::RecoveryCode}; }

std::vector<std::string_view> tablesOf(AccountCredentialKind kind)
{
    std::vector<std::string_view> tables;
    for (const auto& source : sources)
        if (source.kind == kind)
            std::ranges::copy_if(source.tables, std::back_inserter(tables), [](std::string_view table) { return !table.empty(); });
    return tables;
}

std::vector<AccountCredential> list(Session& session, const UserId& user, const std::vector<AccountCredentialKind>& kinds, Instant since)
{
    std::vector<AccountCredential> found;
    for (const auto& source : sources)
        if (isIn(kinds, source.kind)) read(session, source, user, since, found);
    return found;
}

std::vector<std::string> concerned(Session& session, const UserId& user)
{
    auto ids = session.values<std::string>("SELECT user_id FROM agents WHERE owner_user_id = $1", user);
    for (const auto& item : list(session, user, {Kind::OrganizationKey}))
        if (const auto key = api_keys::find(session, item.id)) ids.push_back(key->ownerId);
    ids.push_back(user.text());
    return ids;
}

std::vector<Tenant> tenants(const std::vector<std::string>& ids)
{
    std::vector<Tenant> found;
    for (const auto& id : ids) found.push_back(Tenant::fromStored(id));
    return found;
}

RemovedCredentials remove(Transaction& transaction, const UserId& user, const CredentialRemoval& removal, Instant now)
{
    RemovedCredentials result;
    const Removing removing{transaction, user, removal, now, result};
    for (const auto& source : sources)
        if (isIn(removal.kinds, source.kind)) read(transaction, source, user, listedSince(source.kind, removing.since()), result.items);
    for (const auto& source : sources)
        if (isIn(removal.kinds, source.kind)) source.remove(removing);
    if (isIn(removal.kinds, Kind::RecoveryCode)) dropStrayCodes(transaction, user);
    return result;
}

} // namespace account_credentials

} // namespace portico::identity
