#include "organizations/Memberships.h"

#include "organizations/Invitations.h"
#include "permissions/Actor.h"
#include "records/ApiKey.h"
#include "sessions/SignIn.h"
#include "upstream/LinkedAccount.h"

#include "portico/Problem.h"

#include <algorithm>
#include <iterator>
#include <map>

namespace portico::identity
{

namespace memberships
{

Membership join(Transaction& transaction, const OrganizationId& organization, const UserId& user, Role role, Instant now)
{
    if (users::find(transaction, user.text())->principalType == PrincipalType::External)
        throw Problem::forbidden("permission_denied", "External people belong to no organization.");
    // Reuses the row of a former member, because there is one row for each user.
    transaction.execute("INSERT INTO memberships (id, organization_id, user_id, role, status, joined_at, version, created_at, updated_at) "
                        "VALUES ($1, $2, $3, $4, 'active', $5, 1, $5, $5) ON CONFLICT (organization_id, user_id) DO UPDATE SET "
                        "joined_at = CASE WHEN memberships.status = 'removed' THEN excluded.joined_at ELSE memberships.joined_at END, "
                        "role = excluded.role, role_before_groups = NULL, status = 'active', version = memberships.version + 1, "
                        "updated_at = excluded.updated_at",
                        MembershipId::make(now), organization, user, toString(role), now);
    users::raiseRevision(transaction, user);
    auto membership = membershipTable.find(transaction, organization, user).value();
    membership.organizationId = organization;
    return membership;
}

Role grantedBy(Session& session, const OrganizationId& organization, const std::optional<UserId>& grantor, Role role)
{
    if (rank(role) <= rank(Role::Member)) return role;
    const auto user = grantor ? users::find(session, grantor->text()) : std::nullopt;
    if (!user || user->status != UserStatus::Active) return Role::Member;
    if (user->platformRole && organizations::isOperator(session, user->id)) return role;
    const auto membership = membershipTable.find(session, organization, user->id);
    const bool may = membership && membership->status == MembershipStatus::Active && hasAdminRoutes(membership->role) &&
                     mayGrant(rank(membership->role), role);
    return may ? role : Role::Member;
}

namespace
{

Membership storedOf(Session& session, const OrganizationId& organization, const UserId& user)
{
    auto membership = membershipTable.find(session, organization, user);
    if (!membership) throw Problem::notFound();
    return *std::move(membership);
}

bool losesOwner(const Membership& before, const Membership& after)
{
    const auto owns = [](const Membership& one) { return one.role == Role::Owner && one.status == MembershipStatus::Active; };
    return owns(before) && !owns(after);
}

void write(Transaction& transaction, const OrganizationId& organization, Membership& membership, Role role, Instant now)
{
    if (rank(role) > rank(Role::Member) && users::find(transaction, membership.userId.text())->principalType == PrincipalType::Agent)
        throw Problem::invalid("role", "invalid_choice", "Agents are members or guests.");
    const auto changed = membershipTable.select(organization)
                             .where(&Membership::userId, membership.userId)
                             .where(&Membership::version, membership.version++)
                             .set(transaction, {now}, &Membership::role, role, &Membership::status, membership.status);
    membership.updatedAt = now;
    if (changed == 0) throw Problem::versionConflict(membership.version);
    users::raiseRevision(transaction, membership.userId);
}

/// Clears the role that a member gets back after leaving the last group of a directory. Called when the membership ends or an
/// administrator changes the role.
void forgetRoleBeforeGroups(Transaction& transaction, const OrganizationId& organization, const UserId& user)
{
    transaction.execute("UPDATE memberships SET role_before_groups = NULL WHERE organization_id = $1 AND user_id = $2 "
                        "AND role_before_groups IS NOT NULL",
                        organization, user);
}

void writeRole(Transaction& transaction, const OrganizationId& organization, const Membership& before, Membership& membership, Instant now)
{
    if (losesOwner(before, membership)) requireAnotherOwner(transaction, organization, membership.userId);
    write(transaction, organization, membership, membership.role, now);
    invitations::revokeBeyond(transaction, organization, membership.userId, membership, now);
}

} // namespace

void update(Transaction& transaction, const OrganizationId& organization, Membership& membership, Instant now)
{
    membership.role = storedOf(transaction, organization, membership.userId).role;
    write(transaction, organization, membership, membership.role, now);
}

void change(Transaction& transaction, const Actor& actor, const OrganizationId& organization, Membership& membership, Instant now)
{
    const auto before = storedOf(transaction, organization, membership.userId);
    actor.requireMayChange(actor.rankOf(membership.userId, organization));
    const bool restored = membership.status == MembershipStatus::Active && before.status != MembershipStatus::Active;
    if (membership.role != before.role || restored) actor.requireMayGrant(organization, membership.role);
    writeRole(transaction, organization, before, membership, now);
    if (membership.role != before.role) forgetRoleBeforeGroups(transaction, organization, membership.userId);
}

void stepDown(Transaction& transaction, const Actor& actor, const OrganizationId& organization, Membership& membership, Instant now)
{
    const auto before = storedOf(transaction, organization, membership.userId);
    if (!actor.isSelf(membership.userId) || rank(membership.role) > rank(before.role))
        throw Problem::forbidden("role_above_own", "That role is above your own.");
    writeRole(transaction, organization, before, membership, now);
    if (membership.role != before.role) forgetRoleBeforeGroups(transaction, organization, membership.userId);
}

void changeAs(Transaction& transaction, int actorRank, const OrganizationId& organization, Membership& membership, Instant now)
{
    const auto before = storedOf(transaction, organization, membership.userId);
    if (!mayChange(actorRank, rank(before.role))) throw Problem::forbidden("outranked", "That person's role is not below yours.");
    if (!mayGrant(actorRank, membership.role)) throw Problem::forbidden("role_above_own", "That role is above your own.");
    writeRole(transaction, organization, before, membership, now);
}

std::vector<std::string> endSignIns(Transaction& transaction, const OrganizationId& organization, const UserId& user,
                                    std::string_view reason, Instant now, const AuditLog* by)
{
    auto signIns = sign_ins::ofUser(transaction, user, now);
    std::erase_if(signIns, [&](const SignIn& signIn) { return signIn.organizationId != organization; });
    return sign_ins::end(transaction, signIns, reason, now, by);
}

std::vector<std::string> cleanUp(Transaction& transaction, const OrganizationId& organization, const UserId& user, Instant now,
                                 const AuditLog* by)
{
    auto ended = endSignIns(transaction, organization, user, end_reason::revokedByAdmin, now, by);
    // Unlinks the user's accounts at the organization's providers.
    std::ranges::move(linked_accounts::leave(transaction, organization, user, end_reason::revokedByAdmin, now, by),
                      std::back_inserter(ended));
    transaction.execute("DELETE FROM permission_overrides WHERE organization_id = $1 AND user_id = $2", organization, user);
    for (const auto* table : {"scim_group_members", "scim_users"})
        transaction.execute("DELETE FROM " + std::string(table) + " WHERE organization_id = $1 AND user_id = $2", organization, user);
    forgetRoleBeforeGroups(transaction, organization, user);
    transaction.execute("DELETE FROM last_contexts WHERE organization_id = $1 AND user_id = $2", organization, user);
    auto keys = api_keys::ofOwners(transaction, {user});
    std::erase_if(keys, [&](const ApiKey& key) { return key.organizationId != organization; });
    api_keys::end(transaction, keys, "membership_removed", now);
    return ended;
}

void requireAnotherOwner(Session& session, const OrganizationId& organization, const UserId& user)
{
    const auto other = session.value<std::int64_t>("SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id "
                                                   "WHERE m.organization_id = $1 AND m.user_id <> $2 AND m.role = 'owner' "
                                                   "AND m.status = 'active' AND u.status = 'active' AND u.principal_type = 'user' LIMIT 1",
                                                   organization, user);
    if (!other) throw Problem::conflict("last_owner", "The organization would have no owner: make another member an owner first.");
}

void requireAnotherOwnerEverywhere(Transaction& transaction, const UserId& user)
{
    // Locks in one order, which prevents deadlocks.
    const auto owned = transaction.values<OrganizationId>(
        "SELECT organization_id FROM memberships WHERE user_id = $1 AND role = 'owner' AND status = 'active' ORDER BY organization_id",
        user);
    for (const auto& organization : owned)
    {
        organizations::lock(transaction, organization);
        requireAnotherOwner(transaction, organization, user);
    }
}

int highestRank(Session& session, const UserId& user)
{
    int highest = 0;
    for (const auto& role :
         session.values<std::string>("SELECT DISTINCT role FROM memberships WHERE user_id = $1 AND status <> 'removed'", user))
        highest = std::max(highest, rank(parseEnum<Role>(role).value()));
    return highest;
}

void complete(Session& session, const OrganizationId& organization, std::vector<Membership>& items, bool whole)
{
    if (items.empty()) return;
    std::map<std::string_view, Membership*> byUser;
    std::string places;
    std::vector<SqlValue> values{SqlValue(organization)};
    for (auto& item : items)
    {
        item.organizationId = organization;
        item.user.id = item.userId;
        byUser[item.userId.text()] = &item;
        values.push_back(SqlValue(item.userId));
        places += (places.empty() ? "$" : ", $") + std::to_string(values.size());
    }
    for (Row row : session.queryValues("SELECT u.id, u.display_name, u.email, u.avatar_url FROM users u "
                                       "JOIN memberships m ON m.user_id = u.id WHERE m.organization_id = $1 AND u.id IN (" +
                                           places + ')',
                                       values))
    {
        auto& profile = byUser.at(row.text(0))->user;
        profile.displayName = row.get<std::string>(1);
        if (!whole) continue;
        profile.email = row.get<std::string>(2);
        profile.avatarUrl = row.get<std::optional<std::string>>(3);
    }
}

} // namespace memberships

} // namespace portico::identity
