#pragma once

#include "records/Membership.h"
#include "records/Organization.h"
#include "users/User.h"

#include "portico/Table.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

class Actor;
class AuditLog;

/// Memberships of organizations, and the cleanup when a member leaves.
namespace memberships
{
/// Makes a user an active member with that role, regardless of a former membership.
/// @return the row after the change
/// @throws Problem 403 `permission_denied` for external users, who cannot be members
Membership join(Transaction& transaction, const OrganizationId& organization, const UserId& user, Role role, Instant now);

/// Returns the role for users who join automatically. Limited to what its author may still grant, else to a member's.
Role grantedBy(Session& session, const OrganizationId& organization, const std::optional<UserId>& grantor, Role role);

/// Writes a changed status under its next version; the role stays. @throws Problem 412 for another version
void update(Transaction& transaction, const OrganizationId& organization, Membership& membership, Instant now);

/// Writes the role and status that an actor gives a member, and revokes invitations that exceed them. Every route that changes a role must
/// call it, because it checks the actor's rank. The caller must hold the organization's lock.
/// @throws Problem 403 `outranked`, `role_above_own`, `step_up_required`; 409 `last_owner`; 412; 400 `validation_failed` if an agent would
/// become more than a member
void change(Transaction& transaction, const Actor& actor, const OrganizationId& organization, Membership& membership, Instant now);
/// Does the same for the actor's membership, which can only be lowered. @throws like `change`
void stepDown(Transaction& transaction, const Actor& actor, const OrganizationId& organization, Membership& membership, Instant now);
/// Does the same for a program that acts with that rank. @throws like `change`
void changeAs(Transaction& transaction, int rank, const OrganizationId& organization, Membership& membership, Instant now);

/// Removes everything that a leaving member has in an organization: sign-ins in its context, keys, permission overrides, and data of its
/// directory.
/// @param by like `sign_ins::end` @return the sign-ins that ended
std::vector<std::string> cleanUp(Transaction& transaction, const OrganizationId& organization, const UserId& user, Instant now,
                                 const AuditLog* by = nullptr);
/// Ends a user's sign-ins in the context of an organization. @param by like `sign_ins::end` @return their ids
std::vector<std::string> endSignIns(Transaction& transaction, const OrganizationId& organization, const UserId& user,
                                    std::string_view reason, Instant now, const AuditLog* by = nullptr);

/// Requires another active owner who is a person. The caller must hold the organization's lock (`organizations::lock`).
/// @throws Problem 409 `last_owner` if this user is the only one
void requireAnotherOwner(Session& session, const OrganizationId& organization, const UserId& user);
/// Does the same for all organizations of the user, and locks those that they own. @throws Problem 409 `last_owner`
void requireAnotherOwnerEverywhere(Transaction& transaction, const UserId& user);

/// Returns the user's highest rank in any organization, including suspended memberships; 0 without one.
int highestRank(Session& session, const UserId& user);

/// Reads members for answers from other tables. @param whole true: with addresses and pictures; false: names only
void complete(Session& session, const OrganizationId& organization, std::vector<Membership>& items, bool whole);
} // namespace memberships

} // namespace portico::identity
