#pragma once

#include "accounts/AccountMails.h"
#include "common/Requests.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

/// Data of a registration, stored with the token of its mail. Opening the mail activates the account with this password. A password from
/// another registration with the same address is discarded.
struct PendingRegistration
{
    UserId userId;
    /// Empty: none.
    std::string passwordHash;
    std::string displayName;
    std::string locale;
    /// Organization that the registration has created.
    std::optional<OrganizationId> organizationId;
    /// Service at which the registration began.
    std::string serviceId = "identity";
    /// Address to continue at; empty: none.
    std::string returnTo = {};
    /// Hash of the browser's pre-login cookie. This browser is signed in when it opens the mail; empty: no sign-in.
    std::string browserMark;
};

constexpr auto schemaOf(const PendingRegistration*)
{
    return describe(members<&PendingRegistration::userId, &PendingRegistration::passwordHash, &PendingRegistration::displayName,
                            &PendingRegistration::locale, &PendingRegistration::organizationId, &PendingRegistration::serviceId,
                            &PendingRegistration::returnTo, &PendingRegistration::browserMark>());
}

/// Verifies e-mail addresses. Every function works in the given transaction.
namespace email_proofs
{
/// Issues the token for the mail that activates a registered account.
IssuedToken issueRegistration(Transaction& transaction, const Core& core, std::string_view email, const PendingRegistration& registration);
/// Builds a registration from its user's row.
PendingRegistration registrationOf(const User& user);
/// Returns the newest registration, with the organization that was created, for sending the mail again.
PendingRegistration newestRegistration(Session& session, const User& user);

/// Activates the account with this registration's data, and discards other registrations with the address. Callers add
/// memberships by invitation, provider or directory before they call `domains::joinByAddress`.
/// @return the user after the change; none if no account waits for it
std::optional<User> confirmRegistration(Transaction& transaction, const PendingRegistration& registration, const Client& client,
                                        Instant now);

/// Does the same by the claim of a trusted provider or directory. Discards everything from the registration, especially the password,
/// because its author has not verified the address.
User takeOver(Transaction& transaction, const User& pending, std::string_view displayName, std::string_view locale, const Client& client,
              Instant now);

/// Returns some registrations whose confirmation period has expired: accounts with a password and without a valid mail.
std::vector<UserId> unconfirmed(Session& session, const Core& core);
/// Removes such an account and its organization. Keeps one that was confirmed in the meantime.
void drop(Transaction& transaction, const UserId& user, Instant now);
} // namespace email_proofs

} // namespace portico::identity
