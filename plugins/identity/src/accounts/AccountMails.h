#pragma once

#include "accounts/AccountCredentials.h"
#include "common/Core.h"
#include "mails/Mails.h"
#include "users/OneTimeTokens.h"
#include "users/User.h"

#include <string>
#include <string_view>

namespace portico::identity
{

/// A link and perhaps a code that open something for a while.
struct ProofMail
{
    std::string link;
    /// Empty: there is none.
    std::string code;
    std::int64_t codeMinutes = 0;
};

constexpr auto schemaOf(const ProofMail*) { return describe(members<&ProofMail::link, &ProofMail::code, &ProofMail::codeMinutes>()); }

/// Mail that reports a change, with a link to react.
struct NoticeMail
{
    std::string link;
};

constexpr auto schemaOf(const NoticeMail*) { return describe(field<&NoticeMail::link>()); }

/// Removed credential in a mail: one of the kinds is true. Names that users have entered are left out.
struct RemovedItem
{
    bool passkey = false;
    bool totp = false;
    bool recoveryCodes = false;
    bool linkedAccount = false;
    bool recoveryEmail = false;
    bool apiKey = false;
    bool consent = false;
    bool agent = false;
    /// When it was created: `2026-01-01 10:30 UTC`.
    std::string at;
};

constexpr auto schemaOf(const RemovedItem*)
{
    return describe(
        members<&RemovedItem::passkey, &RemovedItem::totp, &RemovedItem::recoveryCodes, &RemovedItem::linkedAccount,
                &RemovedItem::recoveryEmail, &RemovedItem::apiKey, &RemovedItem::consent, &RemovedItem::agent, &RemovedItem::at>());
}

/// Returns the items that the mail lists. Leaves out passwords and sign-ins, which its text covers.
std::vector<RemovedItem> removedItems(const RemovedCredentials& removed);

struct PasswordChangedMail
{
    std::string link;
    /// True if the recovery address was removed with the password.
    bool recoveryRemoved = false;
    std::vector<RemovedItem> removed = {};
    bool anyRemoved = false;
};

constexpr auto schemaOf(const PasswordChangedMail*)
{
    return describe(members<&PasswordChangedMail::link, &PasswordChangedMail::recoveryRemoved, &PasswordChangedMail::removed,
                            &PasswordChangedMail::anyRemoved>());
}

/// The old address is back.
struct EmailRevertedMail
{
    std::string link;
    std::vector<RemovedItem> removed = {};
    bool anyRemoved = false;
};

constexpr auto schemaOf(const EmailRevertedMail*)
{
    return describe(members<&EmailRevertedMail::link, &EmailRevertedMail::removed, &EmailRevertedMail::anyRemoved>());
}

struct ResetMail
{
    std::string link;
    std::int64_t minutes = 0;
};

constexpr auto schemaOf(const ResetMail*) { return describe(members<&ResetMail::link, &ResetMail::minutes>()); }

/// Mail about an administrator's change of an account's security.
struct SecurityChangedMail
{
    bool factorsRemoved = false;
    bool passwordDemanded = false;
    bool unlocked = false;
    std::vector<RemovedItem> removed = {};
    // Filled in where it is sent.
    bool anyRemoved = false;
    std::string link = {};
};

constexpr auto schemaOf(const SecurityChangedMail*)
{
    return describe(members<&SecurityChangedMail::factorsRemoved, &SecurityChangedMail::passwordDemanded, &SecurityChangedMail::unlocked,
                            &SecurityChangedMail::removed, &SecurityChangedMail::anyRemoved, &SecurityChangedMail::link>());
}

/// Sends mails about accounts to their owners. Every function queues the mail in the given session. Thread-safe.
class AccountMails
{
public:
    explicit AccountMails(Core& core);

    void sendVerification(Session& session, const MailRecipient& to, const IssuedToken& token) const;
    /// Sent if the address of an existing account was used to register.
    void sendAccountExists(Session& session, const MailRecipient& to) const;
    void sendReset(Session& session, const MailRecipient& to, const IssuedToken& token) const;
    void sendRecoveryCode(Session& session, const MailRecipient& to, const IssuedToken& token) const;
    /// Sent to the old address, with a link that restores it.
    void sendEmailChanged(Session& session, const MailRecipient& to, const IssuedToken& token) const;
    /// Sent to the restored address.
    void sendEmailReverted(Session& session, const User& user, const RemovedCredentials& removed) const;
    void sendPasswordChanged(Session& session, const User& user, bool recoveryRemoved, const RemovedCredentials& removed) const;
    /// Nothing where nothing was changed.
    void sendSecurityChanged(Session& session, const User& user, SecurityChangedMail mail) const;

private:
    Core& _core;
    MailTemplate<ProofMail> _verification;
    MailTemplate<NoticeMail> _accountExists;
    MailTemplate<ResetMail> _reset;
    MailTemplate<PasswordChangedMail> _passwordChanged;
    MailTemplate<ProofMail> _recoveryCode;
    MailTemplate<NoticeMail> _emailChanged;
    MailTemplate<EmailRevertedMail> _emailReverted;
    MailTemplate<SecurityChangedMail> _securityChanged;
};

} // namespace portico::identity
