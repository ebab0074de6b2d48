#include "accounts/AccountMails.h"

#include "web/AccountPaths.h"

namespace portico::identity
{

std::vector<RemovedItem> removedItems(const RemovedCredentials& removed)
{
    using Credential = AccountCredentialKind;
    std::vector<RemovedItem> items;
    for (const auto& credential : removed.items)
    {
        const auto kind = credential.kind;
        if (kind == Credential::Password || kind == Credential::SignIn || kind == Credential::RefreshFamily) continue;
        // `2026-01-01T10:30:00.000Z`
        const auto text = toString(credential.createdAt);
        items.push_back({.passkey = kind == Credential::Passkey,
                         .totp = kind == Credential::Totp,
                         .recoveryCodes = kind == Credential::RecoveryCode,
                         .linkedAccount = kind == Credential::LinkedAccount,
                         .recoveryEmail = kind == Credential::RecoveryEmail,
                         .apiKey = kind == Credential::ApiKey || kind == Credential::OrganizationKey,
                         .consent = kind == Credential::Consent,
                         .agent = kind == Credential::Agent,
                         .at = text.substr(0, 10) + ' ' + text.substr(11, 5) + " UTC"});
    }
    return items;
}

AccountMails::AccountMails(Core& core)
    : _core(core),
      _verification(core.mails.bind<ProofMail>("verify-email")),
      _accountExists(core.mails.bind<NoticeMail>("account-exists")),
      _reset(core.mails.bind<ResetMail>("password-reset")),
      _passwordChanged(core.mails.bind<PasswordChangedMail>("password-changed")),
      _recoveryCode(core.mails.bind<ProofMail>("recovery-email")),
      _emailChanged(core.mails.bind<NoticeMail>("email-changed")),
      _emailReverted(core.mails.bind<EmailRevertedMail>("email-reverted")),
      _securityChanged(core.mails.bind<SecurityChangedMail>("security-changed"))
{
}

void AccountMails::sendVerification(Session& session, const MailRecipient& to, const IssuedToken& token) const
{
    const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(_core.settings.accounts.codeLife).count();
    _verification.send(session, to, {_core.origin + std::string(account_pages::verifyEmail) + token.secret, token.code, minutes});
}

void AccountMails::sendAccountExists(Session& session, const MailRecipient& to) const
{
    _accountExists.send(session, to, {_core.origin + std::string(account_pages::forgotPassword)});
}

void AccountMails::sendReset(Session& session, const MailRecipient& to, const IssuedToken& token) const
{
    const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(_core.settings.accounts.resetLife).count();
    _reset.send(session, to, {_core.origin + std::string(account_pages::resetPassword) + token.secret, minutes});
}

void AccountMails::sendRecoveryCode(Session& session, const MailRecipient& to, const IssuedToken& token) const
{
    const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(_core.settings.accounts.codeLife).count();
    _recoveryCode.send(session, to, {{}, token.code, minutes});
}

void AccountMails::sendEmailChanged(Session& session, const MailRecipient& to, const IssuedToken& token) const
{
    _emailChanged.send(session, to, {_core.origin + std::string(account_pages::verifyEmail) + token.secret});
}

void AccountMails::sendEmailReverted(Session& session, const User& user, const RemovedCredentials& removed) const
{
    auto items = removedItems(removed);
    const bool any = !items.empty();
    _emailReverted.send(session, mailRecipient(user), {_core.origin + std::string(account_pages::forgotPassword), std::move(items), any});
}

void AccountMails::sendPasswordChanged(Session& session, const User& user, bool recoveryRemoved, const RemovedCredentials& removed) const
{
    auto items = removedItems(removed);
    const bool any = !items.empty();
    _passwordChanged.send(session, mailRecipient(user),
                          {_core.origin + std::string(account_pages::forgotPassword), recoveryRemoved, std::move(items), any});
}

void AccountMails::sendSecurityChanged(Session& session, const User& user, SecurityChangedMail mail) const
{
    if (!mail.factorsRemoved && !mail.passwordDemanded && !mail.unlocked) return;
    mail.anyRemoved = !mail.removed.empty();
    mail.link = _core.origin + std::string(account_pages::forgotPassword);
    _securityChanged.send(session, mailRecipient(user), mail);
}

} // namespace portico::identity
