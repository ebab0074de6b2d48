#pragma once

#include "accounts/AccountMails.h"
#include "common/Requests.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

/// What somebody has registered with, kept with the token of the mail: whoever opens that mail gets the password that was typed for it, and
/// not one that a stranger has registered the address with before or since.
struct PendingRegistration
{
    UserId userId;
    /// Empty: none.
    std::string passwordHash;
    std::string displayName;
    std::string locale;
    /// Made with it.
    std::optional<OrganizationId> organizationId;
    /// Where it was begun.
    std::string serviceId = "identity";
    /// Where it leads on; empty: nowhere.
    std::string returnTo = {};
    /// Hash of the pre-login cookie of the browser, which is signed in when it opens the mail; empty: it is not.
    std::string browserMark;
};

constexpr auto schemaOf(const PendingRegistration*)
{
    return describe(members<&PendingRegistration::userId, &PendingRegistration::passwordHash, &PendingRegistration::displayName,
                            &PendingRegistration::locale, &PendingRegistration::organizationId, &PendingRegistration::serviceId,
                            &PendingRegistration::returnTo, &PendingRegistration::browserMark>());
}

/// Addresses that people have shown to be theirs. Every function works in the transaction that it is given.
namespace email_proofs
{
/// What the mail that makes the account of a registration usable is sent with.
IssuedToken issueRegistration(Transaction& transaction, const Core& core, std::string_view email, const PendingRegistration& registration);
/// A registration as its user's row has it.
PendingRegistration registrationOf(const User& user);
/// What was said last, with the organization that was made: for sending the mail once more.
PendingRegistration newestRegistration(Session& session, const User& user);

/// Makes the account usable, with what this registration said; what others have registered with the address goes.
/// @return the user as they are now; empty when there is no account that waits for it
std::optional<User> confirmRegistration(Transaction& transaction, const PendingRegistration& registration, const Client& client,
                                        Instant now);

/// The same on the word of somebody who may give it, a provider or a directory: who registered has not shown that the address is theirs, so
/// that nothing of what they chose stays, least of all the password.
User takeOver(Transaction& transaction, const User& pending, std::string_view displayName, std::string_view locale, const Client& client,
              Instant now);

/// Registrations that nobody has confirmed in time, some of them: their accounts have a password and no mail that still opens them.
std::vector<UserId> unconfirmed(Session& session, const Core& core);
/// Removes such an account and the organization that was made with it, as if it had never been; not one that was confirmed meanwhile.
void drop(Transaction& transaction, const UserId& user, Instant now);
} // namespace email_proofs

} // namespace portico::identity
