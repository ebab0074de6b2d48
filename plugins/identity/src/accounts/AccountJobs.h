#pragma once

#include "accounts/AccountMails.h"
#include "common/Requests.h"
#include "mails/Mails.h"

#include "portico/Jobs.h"

namespace portico::identity
{

enum class AccountMailKind : std::uint8_t
{
    EmailVerification,
    PasswordReset
};

constexpr auto schemaOf(const AccountMailKind*)
{
    using enum AccountMailKind;
    return portico::choices<AccountMailKind>({{"email_verification", EmailVerification}, {"password_reset", PasswordReset}});
}

/// A link with which a new password is chosen.
struct ResetLink
{
    /// It went to the recovery address, and says nothing of the account's own.
    bool toRecovery = false;
    /// From which sign-in it was asked for; empty: from none.
    std::string serviceId = {};
    std::string returnTo = {};
};

constexpr auto schemaOf(const ResetLink*)
{
    return describe(members<&ResetLink::toRecovery, &ResetLink::serviceId, &ResetLink::returnTo>());
}

/// Request for a mail to an address.
struct MailRequest
{
    AccountMailKind kind = AccountMailKind::PasswordReset;
    std::string email;
    Client client;
    /// Content of the link for a new password.
    ResetLink link = {};
};

constexpr auto schemaOf(const MailRequest*)
{
    return describe(members<&MailRequest::kind, &MailRequest::email, &MailRequest::client, &MailRequest::link>());
}

/// Checks after the answer whether an address has an account, so that answers and response times do not reveal it. Thread-safe.
class AccountJobs
{
public:
    AccountJobs(Core& core, const AccountMails& mails) : _core(core), _mails(mails) {}
    void start();
    void enqueue(const MailRequest& request);
    /// Removes registrations that were not confirmed in time.
    void sweep();

private:
    void run(const MailRequest& request);
    /// Sends reset mails for the accounts with this verified recovery address. @param owner user with this primary address, who is skipped
    void sendRecovery(Transaction& transaction, const MailRequest& request, const UserId& owner);
    void sendReset(Transaction& transaction, const User& user, const MailRecipient& to, const ResetLink& link, const Client& client);

    Core& _core;
    const AccountMails& _mails;
};

} // namespace portico::identity
