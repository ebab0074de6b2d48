#include "accounts/AccountMails.h"

namespace portico::identity
{

AccountMails::AccountMails(Core& core)
    : _core(core),
      _verification(core.mails.bind<ProofMail>("verify-email")),
      _accountExists(core.mails.bind<NoticeMail>("account-exists")),
      _reset(core.mails.bind<ResetMail>("password-reset")),
      _passwordChanged(core.mails.bind<PasswordChangedMail>("password-changed")),
      _recoveryCode(core.mails.bind<ProofMail>("recovery-email")),
      _emailChanged(core.mails.bind<NoticeMail>("email-changed")),
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

void AccountMails::sendPasswordChanged(Session& session, const User& user, bool recoveryRemoved) const
{
    _passwordChanged.send(session, mailRecipient(user), {_core.origin + std::string(account_pages::forgotPassword), recoveryRemoved});
}

void AccountMails::sendSecurityChanged(Session& session, const User& user, SecurityChangedMail mail) const
{
    if (!mail.factorsRemoved && !mail.passwordDemanded && !mail.unlocked) return;
    mail.link = _core.origin + std::string(account_pages::forgotPassword);
    _securityChanged.send(session, mailRecipient(user), mail);
}

} // namespace portico::identity
