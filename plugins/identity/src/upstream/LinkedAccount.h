#pragma once

#include "upstream/IdentityProvider.h"
#include "upstream/Upstream.h"

#include "portico/Table.h"

namespace portico::identity
{

using LinkedAccountId = Id<"lnk">;

/// An account at a provider that opens one of ours: a row of `linked_accounts`, and how its owner sees it.
struct LinkedAccount
{
    LinkedAccountId id;
    IdentityProviderId providerId;
    /// Of the provider.
    std::string name;
    /// Enough of the subject to tell two apart.
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

/// Rows of links. The key is issuer and subject, whatever else a provider says.
namespace linked_accounts
{
std::optional<LinkedAccount> find(Session& session, std::string_view issuer, std::string_view subject);
bool any(Session& session, const UserId& user);
/// Another account of the same provider: who comes with a new subject is somebody else until the old link is gone.
bool anyAt(Session& session, const UserId& user, std::string_view issuer);
void insert(Transaction& transaction, const UserId& user, const IdentityProvider& provider, std::string_view subject, Instant now);
/// Whether somebody can sign in without that link. @param without the one that goes
bool hasOtherWay(Session& session, const UserId& user, const LinkedAccountId& without);
/// Ends browsers' sign-ins that came from a provider, with all that came of them. @return the sign-ins that ended
std::vector<std::string> endSignIns(Transaction& transaction, const IdentityProviderId& provider, const UpstreamSession& which,
                                    std::string_view reason, Instant now);
/// Forgets the links of somebody who leaves an organization to its own providers, and ends what came from there. @return as `endSignIns`
std::vector<std::string> leave(Transaction& transaction, const OrganizationId& organization, const UserId& user, std::string_view reason,
                               Instant now);
struct EndedLinks
{
    std::int64_t removed = 0;
    std::vector<std::string> ended = {};
};
/// Removes the links of somebody to the providers of organizations, and ends what came from there: for who gets a platform role.
EndedLinks endOfOrganizations(Transaction& transaction, const UserId& user, std::string_view reason, Instant now);
/// Whose sign-ins those are.
std::vector<UserId> holders(Session& session, const IdentityProviderId& provider, const UpstreamSession& which);
/// Writes down that the link was used.
void touch(Session& session, const LinkedAccount& link, Instant now);
/// `ab…yz`, or nothing of a short one.
std::string masked(std::string_view subject);
} // namespace linked_accounts

} // namespace portico::identity
