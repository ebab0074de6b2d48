#pragma once

#include "accounts/AccountCredentials.h"
#include "accounts/AccountLimits.h"
#include "accounts/AccountMails.h"
#include "accounts/EmailChange.h"
#include "common/Requests.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct EmailChangeInput
{
    std::string newEmail;
};

constexpr auto schemaOf(const EmailChangeInput*) { return describe(field<&EmailChangeInput::newEmail>().required().trimmed().email()); }

struct EmailChangeAccepted
{
    std::string status = "verification_sent";
};

constexpr auto schemaOf(const EmailChangeAccepted*) { return describe(field<&EmailChangeAccepted::status>()); }

/// An address that waits to be confirmed.
struct PendingEmail
{
    std::string newEmail;
    Instant requestedAt{};
    /// Until when the mail to it is good.
    Instant expiresAt{};
};

constexpr auto schemaOf(const PendingEmail*)
{
    return describe(members<&PendingEmail::newEmail, &PendingEmail::requestedAt, &PendingEmail::expiresAt>());
}

struct EmailView
{
    std::string email;
    std::optional<PendingEmail> pending;
};

constexpr auto schemaOf(const EmailView*) { return describe(members<&EmailView::email, &EmailView::pending>()); }

/// Changes the address of an account. The change takes effect when the mail to the new address is opened. The old address is notified of
/// the request and of the change, and can be restored for seven days. Restoring ends all sign-ins, requires a new password, and removes
/// every credential created since the request. Thread-safe.
class EmailChangeRoutes
{
public:
    EmailChangeRoutes(Core& core, const AccountLimits& limits, const AccountMails& mails) : _core(core), _limits(limits), _mails(mails) {}
    void declare(Routes& routes);

    /// Returns the account's address and the pending one. Like `change`, does not reveal whether the pending one belongs to another
    /// account.
    EmailView show(const Caller& caller) const;
    /// The answer is the same if the address belongs to another account, whose owner is notified by mail.
    Reply<EmailChangeAccepted> change(const Caller& caller, const Request& request, const Body<EmailChangeInput>& input);
    /// Cancels the pending change.
    NoContent cancel(const Caller& caller, const Request& request);
    /// Changes the address, or restores the old one. False for a proof of another purpose, or of none.
    bool confirm(const MailProof& proof, const Client& client);

private:
    bool run(std::string_view purpose, const MailProof& proof, const Client& client);
    // Both throw if the account or the address has changed in the meantime.
    void put(Transaction& transaction, const EmailChange& change, Instant requestedAt, Instant now);
    /// Replaces the account's current address. An attacker who changed it is signed in, knows the password, and may have added credentials
    /// since the request.
    RemovedCredentials putBack(Transaction& transaction, const EmailChange& change, const OneTimeToken& used, Instant now);
    /// Returns the ids for `Changes::run` of the change by the link.
    std::vector<std::string> concernedBy(const EmailChange& change, bool reverts);
    static void write(Transaction& transaction, const User& user, const std::string& email, Instant now);

    Core& _core;
    const AccountLimits& _limits;
    const AccountMails& _mails;
};

} // namespace portico::identity
