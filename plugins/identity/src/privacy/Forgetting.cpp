#include "privacy/Forgetting.h"

#include "accounts/AccountCredentials.h"
#include "audit/Audit.h"
#include "organizations/Memberships.h"
#include "records/ApiKey.h"
#include "records/Application.h"
#include "records/Household.h"
#include "sessions/SignIn.h"
#include "users/User.h"

namespace portico::identity::forgetting
{

namespace
{

/// Removes the membership. Agents get another owner if there is one.
void leaveOrganization(Transaction& transaction, const OrganizationId& organization, const UserId& user, Instant now)
{
    memberships::cleanUp(transaction, organization, user, now);
    membershipTable.set(transaction, organization, user, {now}, &Membership::status, MembershipStatus::Removed, &Membership::role,
                        Role::Guest);
    transaction.execute("UPDATE users SET version = version + 1, updated_at = $3 WHERE id IN (SELECT user_id FROM agents "
                        "WHERE organization_id = $1 AND owner_user_id = $2)",
                        organization, user, now);
    transaction.execute("UPDATE agents SET owner_user_id = COALESCE((SELECT m.user_id FROM memberships m WHERE m.organization_id = $1 "
                        "AND m.role = 'owner' AND m.status = 'active' ORDER BY m.joined_at, m.id LIMIT 1), owner_user_id) "
                        "WHERE organization_id = $1 AND owner_user_id = $2",
                        organization, user);
}

/// If there is no other manager, the adult with the longest membership becomes one. Without an adult, the household is deleted.
void leaveHousehold(Transaction& transaction, const HouseholdId& id, const UserId& user, Instant now)
{
    households::removeMember(transaction, id, user, now);
    const auto heir = transaction.value<UserId>("SELECT user_id FROM household_members WHERE household_id = $1 AND status = 'active' "
                                                "AND role IN ('manager', 'adult') ORDER BY CASE role WHEN 'manager' THEN 0 ELSE 1 END, "
                                                "joined_at, user_id LIMIT 1",
                                                id);
    if (heir)
    {
        householdMemberTable.select(households::tenantOf(id))
            .where(&HouseholdMember::userId, *heir)
            .where("role <> 'manager'")
            .set(transaction, {now}, &HouseholdMember::role, HouseholdRole::Manager);
        householdTable.select()
            .where(&Household::id, id)
            .where(&Household::ownerUserId, user)
            .set(transaction, {now}, &Household::ownerUserId, *heir);
        return;
    }
    households::dissolve(transaction, id, now);
    // The launchpad cancels the household's subscription on this event.
    AuditLog::ofUser({}, user.text(), now).record(transaction, "household.deleted", id);
}

/// Deletes records that belong to the user only.
void forgetBelongings(Transaction& transaction, const UserId& user)
{
    for (const auto* table : {"refresh_families", "logout_notices"})
        transaction.execute("DELETE FROM " + std::string(table) + " WHERE session_id IN (SELECT id FROM sessions WHERE user_id = $1)",
                            user);
    for (const auto* table : {"sessions", "browser_sessions", "used_codes", "known_devices", "preferences", "oauth_subjects",
                              "scim_group_members", "scim_users", "last_contexts", "permission_overrides"})
        transaction.execute("DELETE FROM " + std::string(table) + " WHERE user_id = $1", user);
    transaction.execute("DELETE FROM service_onboarding WHERE owner_id = $1", user);
}

void forgetKeys(Transaction& transaction, const UserId& user)
{
    for (const auto* table : {"api_key_uses", "api_key_days"})
        transaction.execute("DELETE FROM " + std::string(table) +
                                " WHERE api_key_id IN (SELECT id FROM api_keys WHERE owner_type = 'user' AND owner_id = $1)",
                            user);
    transaction.execute("DELETE FROM api_keys WHERE owner_type = 'user' AND owner_id = $1", user);
}

/// Erases the user's address from invitations, tokens and applications. The records stay without it.
void forgetAddress(Transaction& transaction, const UserId& user, const std::string& key, const std::string& nobody, Instant now)
{
    transaction.execute("DELETE FROM one_time_tokens WHERE user_id = $1 OR subject = $1 OR subject = $2", user, key);
    for (const auto* table : {"invitations", "household_invitations"})
        transaction.execute("UPDATE " + std::string(table) +
                                " SET email = '', email_key = $3, status = CASE WHEN status = 'pending' THEN 'revoked' ELSE status END, "
                                "version = version + 1, updated_at = $4 WHERE email_key = $2 OR user_id = $1",
                            user, key, nobody, now);
    developerTable.select()
        .where(&Developer::emailKey, key)
        .set(transaction, {now}, &Developer::applicantName, "", &Developer::email, "", &Developer::emailKey, nobody, &Developer::company,
             "", &Developer::website, "", &Developer::useCase, "", &Developer::country, "");
    appSubmissionTable.select()
        .where(&AppSubmission::emailKey, key)
        .set(transaction, {now}, &AppSubmission::developerEmail, "", &AppSubmission::emailKey, nobody, &AppSubmission::contact, "");
}

} // namespace

std::vector<std::string> run(Transaction& transaction, const interfaces::Person& person, Instant now)
{
    const auto user = users::find(transaction, person.userId);
    const auto nobody = "deleted:" + person.userId;
    if (!user || user->emailKey == nobody) return {};
    // Recorded first, while subscribers of the event can still be determined.
    AuditLog::ofUser({}, person.userId, now).record(transaction, "user.deleted", person.userId);
    auto ended = sign_ins::endAll(transaction, user->id, end_reason::userDisabled, now);
    for (const auto& organization : person.organizationIds)
        if (const auto id = OrganizationId::parse(organization)) leaveOrganization(transaction, *id, user->id, now);
    for (const auto& household : households::ofUser(transaction, user->id)) leaveHousehold(transaction, household.id, user->id, now);
    // Keys of organizations stay, and agents that have another owner.
    const auto removed = account_credentials::remove(transaction, user->id,
                                                     {.kinds = account_credentials::allBut({AccountCredentialKind::OrganizationKey}),
                                                      .keyReason = "user_deleted",
                                                      .signInReason = end_reason::userDisabled},
                                                     now);
    AuditLog::ofUser({}, person.userId, now).record(transaction, "user.credentials_removed", person.userId, removed.auditDetails());
    ended.insert(ended.end(), removed.endedSignIns.begin(), removed.endedSignIns.end());
    forgetBelongings(transaction, user->id);
    forgetKeys(transaction, user->id);
    // Records by an unverified address may belong to another person and are kept.
    forgetAddress(transaction, user->id, user->emailVerified ? user->emailKey : nobody, nobody, now);
    userTable.set(transaction, user->id, {now}, &User::email, "", &User::emailKey, nobody, &User::emailVerified, false, &User::displayName,
                  "", &User::foldedName, "", &User::givenName, "", &User::familyName, "", &User::avatarUrl, std::nullopt, &User::locale, "",
                  &User::timezone, "", &User::status, UserStatus::Deleted, &User::platformRole, std::nullopt, &User::passwordHash,
                  std::nullopt, &User::passwordExpiredFor, std::nullopt, &User::lastLoginAt, std::nullopt, &User::selectedHouseholdId,
                  std::nullopt, &User::revision, increment);
    return ended;
}

} // namespace portico::identity::forgetting
