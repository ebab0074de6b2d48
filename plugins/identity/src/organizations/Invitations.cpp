#include "organizations/Invitations.h"

#include "audit/Audit.h"
#include "catalog/Catalog.h"
#include "outbox/InvitationNews.h"
#include "permissions/Evaluation.h"
#include "users/User.h"

#include "portico/Json.h"
#include "portico/Problem.h"

namespace portico::identity
{

namespace
{

Problem invitationExpired() { return Problem::gone("invitation_expired", "This invitation is no longer open: ask for a new one."); }

/// Ends a pending invitation. @return whether it was pending
bool settle(Transaction& transaction, const OrganizationId& organization, const InvitationId& id, InvitationStatus status,
            const std::optional<UserId>& user, Instant now)
{
    return invitationSecrets.redeem(transaction, invitationTable.select(organization).where(&Invitation::id, id), {now},
                                    &Invitation::status, status, &Invitation::userId, user);
}

/// Returns true for the invitation of an approved developer to own the workspace. The platform sends it, so a reviewer needs no role there.
bool isOfReview(Session& session, const Invitation& invitation)
{
    return invitation.role == Role::Owner &&
           session
               .value<std::int64_t>("SELECT 1 FROM developers WHERE workspace_organization_id = $1 AND email_key = $2 "
                                    "AND status = 'approved'",
                                    invitation.organizationId, invitation.emailKey)
               .has_value();
}

/// Returns true if the sender may still invite people to that role: an active account with the permission and the rank, or an operator's.
bool mayStillSend(Session& session, const Catalog& catalog, const Invitation& invitation, Instant now)
{
    if (isOfReview(session, invitation)) return true;
    const auto sender = users::find(session, invitation.invitedBy.text());
    if (!sender || sender->status != UserStatus::Active) return false;
    if (sender->platformRole && organizations::isOperator(session, sender->id)) return true;
    const auto standing = access_facts::standing(session, *sender, invitation.organizationId, std::nullopt);
    const auto facts = access_facts::input(session, standing, identityServiceId);
    const auto* service = catalog.find(identityServiceId);
    return service && mayGrant(rank(standing.role), invitation.role) &&
           Evaluation(*service, facts, now).of("identity.invitations:manage").allowed;
}

struct Answer
{
    Invitation invitation;
    User user;
};

/// Finds an invitation by the token of its link, or by its ID. The ID is no secret, so callers compare the address of the account.
std::optional<Invitation> findByTokenOrId(Session& session, std::string_view key)
{
    return InvitationId::parse(key) ? invitationSecrets.find(session, key) : invitationSecrets.look(session, key);
}

/// The invitation for that user, kept from others.
Answer requireOwn(Transaction& transaction, std::string_view key, std::string_view userId)
{
    auto invitation = findByTokenOrId(transaction, key);
    if (!invitation) throw Problem::notFound();
    organizations::lock(transaction, invitation->organizationId);
    // Read again: the answer of another may have come in between.
    invitation = findByTokenOrId(transaction, key);
    auto user = users::find(transaction, userId);
    if (!invitation || !user) throw Problem::notFound();
    if (!user->emailVerified || user->emailKey != invitation->emailKey)
        throw Problem::forbidden("invitation_email_mismatch", "The invitation was sent to another address than that of your account.");
    return {*std::move(invitation), *std::move(user)};
}

} // namespace

namespace invitations
{

void announce(Transaction& transaction, Events& events, std::string_view email, Instant now)
{
    if (const auto user = users::findByEmail(transaction, email)) webhooks::announceInvitations(transaction, events, user->id.text(), now);
}

Membership accept(Transaction& transaction, const Catalog& catalog, const Client& client, std::string_view token, std::string_view userId,
                  Instant now)
{
    const auto [invitation, user] = requireOwn(transaction, token, userId);
    const auto& organization = invitation.organizationId;
    const auto known = membershipTable.find(transaction, organization, user.id);
    const bool active = known && known->status == MembershipStatus::Active;
    std::vector<Membership> shown;
    if (active && invitation.status == InvitationStatus::Accepted && invitation.userId == user.id)
        shown.push_back(*known);
    else
    {
        if (invitation.statusAt(now) != InvitationStatus::Pending) throw invitationExpired();
        if (organizations::find(transaction, organization)->status != OrganizationStatus::Active) throw invitationExpired();
        if (!mayStillSend(transaction, catalog, invitation, now)) throw invitationExpired();
        // An old invitation does not end a suspension.
        if (known) throw Problem::conflict("already_member", "You belong to this organization already.");
        if (!settle(transaction, organization, invitation.id, InvitationStatus::Accepted, user.id, now)) throw invitationExpired();
        shown.push_back(memberships::join(transaction, organization, user.id, invitation.role, now));
        // Lists the services in the audit entry for subscribers that assign apps.
        AuditLog::ofUser(client, user.id, now)
            .in(organization)
            .record(transaction, "invitation.accepted", shown.back().id, {{"serviceIds", invitation.serviceIds}});
    }
    memberships::complete(transaction, organization, shown, true);
    return std::move(shown.front());
}

Invitation decline(Transaction& transaction, std::string_view token, std::string_view userId, Instant now)
{
    auto [invitation, user] = requireOwn(transaction, token, userId);
    if (invitation.statusAt(now) != InvitationStatus::Pending ||
        !settle(transaction, invitation.organizationId, invitation.id, InvitationStatus::Declined, {}, now))
        throw invitationExpired();
    return std::move(invitation);
}

void revokeBeyond(Transaction& transaction, const OrganizationId& organization, const UserId& sender, const Membership& standing,
                  Instant now)
{
    const bool active = standing.status == MembershipStatus::Active;
    for (const auto& sent : invitationTable.select(organization)
                                .where(&Invitation::invitedBy, sender)
                                .where(&Invitation::status, InvitationStatus::Pending)
                                .all(transaction))
        if (!active || rank(sent.role) > rank(standing.role))
            settle(transaction, organization, sent.id, InvitationStatus::Revoked, {}, now);
}

void revokeAll(Transaction& transaction, const UserId& sender, Instant now)
{
    transaction.execute("UPDATE invitations SET status = 'revoked', version = version + 1, updated_at = $2 "
                        "WHERE invited_by = $1 AND status = 'pending'",
                        sender, now);
}

} // namespace invitations

} // namespace portico::identity
