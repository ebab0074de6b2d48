#include "records/Household.h"

#include "users/User.h"

#include "portico/Problem.h"

namespace portico::identity::households
{

namespace
{
/// Revokes the open invitations of a member: only managers may invite.
void revokeInvitations(Transaction& transaction, const HouseholdId& id, const UserId& sender, Instant now)
{
    householdInvitationTable.select(tenantOf(id))
        .where(&HouseholdInvitation::invitedBy, sender)
        .where(&HouseholdInvitation::status, "pending")
        .set(transaction, {now}, &HouseholdInvitation::status, "revoked");
}

constexpr std::string_view mine = "SELECT h.id, h.name, m.role AS my_role FROM household_members m JOIN households h ON h.id = "
                                  "m.household_id WHERE m.user_id = $1 AND m.status = 'active' AND h.status = 'active'";
} // namespace

std::vector<MyHousehold> ofUser(Session& session, const UserId& userId)
{
    return session.all<MyHousehold>(std::string(mine) + " ORDER BY h.id", userId);
}

std::optional<MyHousehold> selectedBy(Session& session, const UserId& userId)
{
    return session.one<MyHousehold>(std::string(mine) + " AND h.id = (SELECT selected_household_id FROM users WHERE id = $1)", userId);
}

Household show(Session& session, const HouseholdId& id, const UserId& userId)
{
    auto found = householdTable.require(session, id);
    bool member = false;
    for (Row row : session.query("SELECT u.display_name, m.user_id, m.role, m.status, m.joined_at, m.version, m.created_at, m.updated_at "
                                 "FROM household_members m JOIN users u ON u.id = m.user_id WHERE m.household_id = $1 "
                                 "ORDER BY m.joined_at, m.user_id",
                                 id))
    {
        auto& one = found.members.emplace_back(row.as<HouseholdMember>());
        one.displayName = row.get<std::string>(0);
        if (one.userId != userId) continue;
        member = true;
        found.myRole = one.role;
    }
    if (!member) throw Problem::notFound();
    found.memberCount = static_cast<std::int64_t>(found.members.size());
    return found;
}

bool mayInvite(Session& session, const HouseholdId& id, const UserId& sender)
{
    return session
        .value<std::int64_t>(
            "SELECT 1 FROM household_members m JOIN users u ON u.id = m.user_id WHERE m.household_id = $1 AND m.user_id = $2 "
            "AND m.role = 'manager' AND m.status = 'active' AND u.status = 'active'",
            id, sender)
        .has_value();
}

HouseholdMember changeMember(Transaction& transaction, const HouseholdId& id, const UserId& userId, const IfMatch& match,
                             const Patch<HouseholdMember>& patch, Instant now)
{
    HouseholdMember changed = householdMemberTable.change(transaction, tenantOf(id), userId, match, {now}, patch);
    if (changed.role == HouseholdRole::Manager) return changed;
    requireAnotherManager(transaction, id, userId);
    revokeInvitations(transaction, id, userId, now);
    return changed;
}

void removeMember(Transaction& transaction, const HouseholdId& id, const UserId& userId, Instant now)
{
    householdMemberTable.erase(transaction, tenantOf(id), userId);
    revokeInvitations(transaction, id, userId, now);
    userTable.select()
        .where(&User::id, userId)
        .where(&User::selectedHouseholdId, id)
        .set(transaction, &User::selectedHouseholdId, std::nullopt);
}

void dissolve(Transaction& transaction, const HouseholdId& id, Instant now)
{
    userTable.select().where(&User::selectedHouseholdId, id).set(transaction, &User::selectedHouseholdId, std::nullopt);
    householdInvitationTable.select(tenantOf(id)).remove(transaction);
    householdMemberTable.select(tenantOf(id)).remove(transaction);
    householdTable.set(transaction, id, {now}, &Household::status, "deleted", &Household::name, "");
}

void requireAnotherManager(Session& session, const HouseholdId& id, const UserId& userId)
{
    const auto other = session.value<std::int64_t>(
        "SELECT 1 FROM household_members WHERE household_id = $1 AND user_id <> $2 AND role = 'manager' AND status = 'active' LIMIT 1", id,
        userId);
    if (!other) throw Problem::conflict("last_manager", "The household would have no manager: make another member a manager first.");
}

void requireRoom(Session& session, const UserId& userId)
{
    if (ofUser(session, userId).size() >= maxOfOnePerson)
        throw Problem::conflict("household_limit_reached", "A user can be in at most 5 households.");
}

} // namespace portico::identity::households
