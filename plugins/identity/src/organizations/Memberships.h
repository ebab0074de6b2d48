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

/// Who belongs to an organization, and what goes when they leave.
namespace memberships
{
/// Makes somebody an active member in that role, whatever they were there before. @return the row as it is now
/// @throws Problem 403 `permission_denied` for external people, who belong to no organization
Membership join(Transaction& transaction, const OrganizationId& organization, const UserId& user, Role role, Instant now);

/// The role that somebody has set for people who join later: what they may still grant themselves, else no more than a member's.
Role grantedBy(Session& session, const OrganizationId& organization, const std::optional<UserId>& grantor, Role role);

/// Writes a changed status under its next version; the role stays. @throws Problem 412 for another version
void update(Transaction& transaction, const OrganizationId& organization, Membership& membership, Instant now);

/// Writes the role and status that an actor gives a member, and takes back invitations that go beyond them. Every route that changes a
/// role writes it here: it asks whether the actor outranks the member and may grant the role. The caller holds the organization's lock.
/// @throws Problem 403 `outranked`, `role_above_own`, `step_up_required`; 409 `last_owner`; 412; 400 `validation_failed` where an agent
/// would be more than a member
void change(Transaction& transaction, const Actor& actor, const OrganizationId& organization, Membership& membership, Instant now);
/// The same of the actor's own membership, which only becomes lower. @throws as `change`
void stepDown(Transaction& transaction, const Actor& actor, const OrganizationId& organization, Membership& membership, Instant now);
/// The same for a program that acts with that rank. @throws as `change`
void changeAs(Transaction& transaction, int rank, const OrganizationId& organization, Membership& membership, Instant now);

/// Ends what somebody has in an organization that they leave: their sign-ins in its context, their keys for it, what was allowed or
/// denied to them there, and what its directory says of them. @return the sign-ins that ended
std::vector<std::string> cleanUp(Transaction& transaction, const OrganizationId& organization, const UserId& user, Instant now);
/// Ends a user's sign-ins in the context of an organization. @return which
std::vector<std::string> endSignIns(Transaction& transaction, const OrganizationId& organization, const UserId& user,
                                    std::string_view reason, Instant now);

/// Nobody leaves an organization without an active owner who is a person. The caller holds the organization's lock (`organizations::lock`).
/// @throws Problem 409 `last_owner` when this user is the only one
void requireAnotherOwner(Session& session, const OrganizationId& organization, const UserId& user);
/// The same for all organizations that the user is in; locks those that they own. @throws Problem 409 `last_owner`
void requireAnotherOwnerEverywhere(Transaction& transaction, const UserId& user);

/// The highest that somebody has in any organization, suspended there or not; 0 in none.
int highestRank(Session& session, const UserId& user);

/// Reads what is shown beside the rows. `whole`: with addresses and pictures, else names alone.
void complete(Session& session, const OrganizationId& organization, std::vector<Membership>& items, bool whole);
} // namespace memberships

} // namespace portico::identity
