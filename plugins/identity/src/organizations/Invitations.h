#pragma once

#include "common/OneTimeRows.h"
#include "common/Requests.h"
#include "organizations/Memberships.h"

#include "portico/Events.h"

namespace portico::identity
{

struct Catalog;

enum class InvitationStatus : std::uint8_t
{
    Pending,
    Accepted,
    Declined,
    Revoked,
    Expired
};

constexpr auto schemaOf(const InvitationStatus*)
{
    using enum InvitationStatus;
    return portico::choices<InvitationStatus>(
        {{"pending", Pending}, {"accepted", Accepted}, {"declined", Declined}, {"revoked", Revoked}, {"expired", Expired}});
}

/// Invitation to an organization. Stores only the hash of the link's token.
struct Invitation : Versioned
{
    InvitationId id;
    std::string email;
    Role role = Role::Member;
    /// Services that the invitation suggests.
    std::vector<std::string> serviceIds;
    std::string message;
    InvitationStatus status = InvitationStatus::Pending;
    UserId invitedBy;
    Instant expiresAt{};

    OrganizationId organizationId;
    std::string emailKey;
    std::string tokenHash;
    /// User who has accepted it.
    std::optional<UserId> userId;

    InvitationStatus statusAt(Instant now) const noexcept
    {
        return status == InvitationStatus::Pending && expiresAt <= now ? InvitationStatus::Expired : status;
    }
};

constexpr auto schemaOf(const Invitation*)
{
    return describe(field<&Invitation::id>(), field<&Invitation::organizationId>().transient(),
                    members<&Invitation::email, &Invitation::role, &Invitation::serviceIds, &Invitation::message, &Invitation::status,
                            &Invitation::invitedBy, &Invitation::expiresAt>(),
                    versioned<Invitation>(), field<&Invitation::emailKey>().columnOnly(), field<&Invitation::tokenHash>().columnOnly(),
                    field<&Invitation::userId>().columnOnly());
}

inline constexpr Table invitationTable{"invitations", &Invitation::id};
inline constexpr OneTimeRows invitationSecrets("invitations", "token_hash", &Invitation::status, InvitationStatus::Pending,
                                               "organization_id", &Invitation::organizationId);

/// Rows of invitations, and what becomes of them.
namespace invitations
{
/// Publishes the pending invitations of the account with this address to other services. Does nothing without such an account.
void announce(Transaction& transaction, Events& events, std::string_view email, Instant now);

/// Makes the user a member with the role of the invitation with this token or ID, records it, and uses it up. Accepting again returns the
/// same result.
/// @throws Problem 404 for an unknown token; 403 `invitation_email_mismatch` unless the user has verified that address; 410
/// `invitation_expired`, also for one that was revoked, declined or used by another user; 409 `already_member`
Membership accept(Transaction& transaction, const Catalog& catalog, const Client& client, std::string_view token, std::string_view userId,
                  Instant now);
/// @throws Problem like `accept`
Invitation decline(Transaction& transaction, std::string_view token, std::string_view userId, Instant now);

/// Revokes a member's invitations to roles above their new one, and all of them if the membership is not active. `accept` checks the
/// sender's permission.
void revokeBeyond(Transaction& transaction, const OrganizationId& organization, const UserId& sender, const Membership& standing,
                  Instant now);
/// Revokes a user's invitations in all organizations.
void revokeAll(Transaction& transaction, const UserId& sender, Instant now);
} // namespace invitations

} // namespace portico::identity
