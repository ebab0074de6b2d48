#include "accounts/EmailProofs.h"

#include "audit/Audit.h"
#include "organizations/DomainRoutes.h"

#include "portico/Json.h"
#include "portico/Text.h"

namespace portico::identity::email_proofs
{

namespace
{

/// Deletes organizations that other registrations with this address have created. They were never used, because the address was not
/// verified.
void dropOrganizations(Transaction& transaction, const User& user, const std::optional<OrganizationId>& keep)
{
    const auto registrations = transaction.values<std::string>("SELECT data FROM one_time_tokens WHERE subject = $1 AND purpose = $2",
                                                               user.emailKey, token_purpose::registration);
    for (const auto& text : registrations)
    {
        const auto made = fromStoredJson<PendingRegistration>(text).organizationId;
        if (!made || made == keep) continue;
        for (const auto* table : {"memberships", "service_access"})
            transaction.execute("DELETE FROM " + std::string(table) + " WHERE organization_id = $1", *made);
        transaction.execute("DELETE FROM organizations WHERE id = $1", *made);
    }
}

} // namespace

PendingRegistration registrationOf(const User& user)
{
    PendingRegistration registration;
    registration.userId = user.id;
    registration.passwordHash = user.passwordHash.value_or("");
    registration.displayName = user.displayName;
    registration.locale = user.locale;
    return registration;
}

PendingRegistration newestRegistration(Session& session, const User& user)
{
    const auto newest = one_time_tokens::newestWithCode(session, token_purpose::registration, user.emailKey);
    auto said = newest ? newest->dataAs<PendingRegistration>() : registrationOf(user);
    // Ignores a registration of an account that was removed in the meantime.
    return said.userId == user.id ? said : registrationOf(user);
}

IssuedToken issueRegistration(Transaction& transaction, const Core& core, std::string_view email, const PendingRegistration& registration)
{
    const auto& settings = core.settings.accounts;
    const auto codeLife = domains::joins(transaction, email) ? std::chrono::seconds(0) : settings.codeLife;
    return one_time_tokens::issue(transaction,
                                  {token_purpose::registration, emailKey(email), settings.verificationLife, codeLife, toJson(registration)},
                                  core.clock.now());
}

std::optional<User> confirmRegistration(Transaction& transaction, const PendingRegistration& registration, const Client& client,
                                        Instant now)
{
    const auto& hash = registration.passwordHash;
    const auto changed =
        userTable.select()
            .where(&User::id, registration.userId)
            .where(&User::status, UserStatus::PendingVerification)
            .set(transaction, {now}, &User::status, UserStatus::Active, &User::emailVerified, true, &User::passwordHash,
                 hash.empty() ? std::nullopt : std::optional(hash), &User::passwordSetAt, now, &User::displayName, registration.displayName,
                 &User::foldedName, fold(registration.displayName), &User::locale, registration.locale, &User::revision, increment);
    if (changed == 0) return std::nullopt;
    auto user = users::find(transaction, registration.userId.text());
    dropOrganizations(transaction, *user, registration.organizationId);
    one_time_tokens::revoke(transaction, token_purpose::registration, user->emailKey, now);
    AuditLog::ofUser(client, user->id, now).in(registration.organizationId).record(transaction, "user.verified", user->id);
    return user;
}

User takeOver(Transaction& transaction, const User& pending, std::string_view displayName, std::string_view locale, const Client& client,
              Instant now)
{
    PendingRegistration registration;
    registration.userId = pending.id;
    registration.displayName = displayName;
    registration.locale = locale;
    return confirmRegistration(transaction, registration, client, now).value();
}

std::vector<UserId> unconfirmed(Session& session, const Core& core)
{
    constexpr std::chrono::hours spare{24};
    const auto now = core.clock.now();
    return session.values<UserId>("SELECT u.id FROM users u WHERE u.status = 'pending_verification' AND u.password_hash IS NOT NULL "
                                  "AND u.created_at < $1 AND NOT EXISTS (SELECT 1 FROM one_time_tokens t WHERE t.subject = u.email_key "
                                  "AND t.purpose = $2 AND t.used_at IS NULL AND t.expires_at > $3) ORDER BY u.id LIMIT 200",
                                  now - core.settings.accounts.verificationLife - spare, token_purpose::registration, now);
}

void drop(Transaction& transaction, const UserId& user, Instant now)
{
    const auto own = transaction.values<OrganizationId>(
        "SELECT m.organization_id FROM memberships m WHERE m.user_id = $1 AND m.role = 'owner' AND NOT EXISTS "
        "(SELECT 1 FROM memberships other WHERE other.organization_id = m.organization_id AND other.user_id <> $1)",
        user);
    transaction.execute("DELETE FROM memberships WHERE user_id = $1 AND EXISTS (SELECT 1 FROM users u WHERE u.id = $1 "
                        "AND u.status = 'pending_verification')",
                        user);
    if (transaction.execute("DELETE FROM users WHERE id = $1 AND status = 'pending_verification'", user) == 0) return;
    for (const auto& organization : own)
    {
        transaction.execute("DELETE FROM service_access WHERE organization_id = $1", organization);
        transaction.execute("DELETE FROM organizations WHERE id = $1", organization);
    }
    AuditLog::anonymous({}, now).record(transaction, "user.registration_expired", user);
}

} // namespace portico::identity::email_proofs
