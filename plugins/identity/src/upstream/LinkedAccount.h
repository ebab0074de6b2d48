#pragma once

#include "upstream/IdentityProvider.h"
#include "upstream/Upstream.h"

#include "portico/Table.h"

namespace portico::identity
{

class AuditLog;

using LinkedAccountId = Id<"lnk">;

/// An account at a provider that opens one of ours: a row of `linked_accounts`, and how its owner sees it.
struct LinkedAccount
{
    LinkedAccountId id;
    IdentityProviderId providerId;
    /// Name of the provider.
    std::string name;
    /// Enough of the subject to distinguish two accounts.
    std::string subjectMasked;
    Instant linkedAt{};
    std::optional<Instant> lastUsedAt;

    UserId userId;
    std::string issuer;
    std::string subject;
};

constexpr auto schemaOf(const LinkedAccount*)
{
    return describe(members<&LinkedAccount::id, &LinkedAccount::providerId>(), field<&LinkedAccount::name>().transient(),
                    field<&LinkedAccount::subjectMasked>().transient(), members<&LinkedAccount::linkedAt, &LinkedAccount::lastUsedAt>(),
                    field<&LinkedAccount::userId>().columnOnly(), field<&LinkedAccount::issuer>().columnOnly(),
                    field<&LinkedAccount::subject>().columnOnly());
}

inline constexpr Table linkedAccountTable{"linked_accounts", {.tenant = "user_id"}, &LinkedAccount::id};

/// Selects sign-ins that came from a provider.
struct SignInsFrom
{
    IdentityProviderId provider;
    UpstreamSession session = {};
    /// Includes those with the scope `offline_access`.
    bool offline = true;
};

/// Rows of links. Only issuer and subject identify one.
namespace linked_accounts
{
std::optional<LinkedAccount> find(Session& session, std::string_view issuer, std::string_view subject);
bool any(Session& session, const UserId& user);
/// Returns true if the user has another account of the same provider. A new subject is treated as another person until the old link is
/// removed.
bool anyAt(Session& session, const UserId& user, std::string_view issuer);
void insert(Transaction& transaction, const UserId& user, const IdentityProvider& provider, std::string_view subject, Instant now);
/// Returns true if the user can sign in without that link. @param without the link to be removed
bool hasOtherWay(Session& session, const UserId& user, const LinkedAccountId& without);
/// Ends browser sessions that came from a provider, and sign-ins from there, also those of native apps. @param by like `sign_ins::end`
/// @return the sign-ins that ended
std::vector<std::string> endSignIns(Transaction& transaction, const SignInsFrom& from, std::string_view reason, Instant now,
                                    const AuditLog* by = nullptr);
/// Removes a leaving member's links to the organization's providers, and ends their sessions from there. @param by like `sign_ins::end`
/// @return like `endSignIns`
std::vector<std::string> leave(Transaction& transaction, const OrganizationId& organization, const UserId& user, std::string_view reason,
                               Instant now, const AuditLog* by);
struct EndedLinks
{
    std::int64_t removed = 0;
    std::vector<std::string> ended = {};
};
/// Removes a user's links to providers of organizations, and ends all sign-ins from there. Called when the user gets a platform role.
/// @param by like `sign_ins::end`
EndedLinks endOfOrganizations(Transaction& transaction, const UserId& user, std::string_view reason, Instant now,
                              const AuditLog* by = nullptr);
/// Returns the users whose sign-ins `endSignIns` would end.
std::vector<UserId> holders(Session& session, const SignInsFrom& from);
/// Records a use of the link.
void touch(Transaction& transaction, const LinkedAccount& link, Instant now);
/// Returns `ab…yz`; empty for a short subject.
std::string masked(std::string_view subject);
} // namespace linked_accounts

} // namespace portico::identity
