#include "accounts/AccountJobs.h"

#include "accounts/EmailProofs.h"
#include "audit/Audit.h"
#include "users/RecoveryEmail.h"

namespace portico::identity
{

namespace
{
constexpr std::string_view accountMailJob = "identity.account-mail";
}

void AccountJobs::start() { _core.context.jobs().handle(accountMailJob, &AccountJobs::run, this); }

void AccountJobs::enqueue(const AccountMailWish& wish)
{
    _core.database.transact([&](Transaction& transaction) { _core.context.jobs().enqueue(transaction, accountMailJob, wish); });
}

void AccountJobs::sweep()
{
    const auto old = _core.read([&](Session& session) { return email_proofs::unconfirmed(session, _core); });
    for (const auto& id : old)
    {
        try
        {
            _core.database.transact([&](Transaction& transaction) { email_proofs::drop(transaction, id, _core.clock.now()); });
        }
        catch (const DatabaseError& error)
        {
            // Keeps an account that another record has referred to in the meantime.
            if (error.kind() != DatabaseError::Kind::ForeignKeyViolation) throw;
        }
    }
}

void AccountJobs::run(const AccountMailWish& wish)
{
    _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto user = users::findByEmail(transaction, wish.email);
            if (!user) return wish.kind == AccountMailKind::PasswordReset ? sendRecovery(transaction, wish) : void();
            // A user who resets the password of an unverified account needs the verification mail again.
            if (user->status == UserStatus::PendingVerification)
                _mails.sendVerification(
                    transaction, mailRecipient(*user),
                    email_proofs::issueRegistration(transaction, _core, user->email, email_proofs::newestRegistration(transaction, *user)));
            else if (user->maySignIn() && wish.kind == AccountMailKind::PasswordReset)
                sendReset(transaction, *user, mailRecipient(*user), wish.link, wish.client);
        });
}

void AccountJobs::sendRecovery(Transaction& transaction, const AccountMailWish& wish)
{
    for (const auto& id : recovery_emails::usersOf(transaction, wish.email))
    {
        const auto user = users::find(transaction, id);
        if (!user || !user->maySignIn()) continue;
        auto link = wish.link;
        link.toRecovery = true;
        sendReset(transaction, *user, {wish.email, user->displayName, user->locale}, link, wish.client);
    }
}

void AccountJobs::sendReset(Transaction& transaction, const User& user, const MailRecipient& to, const ResetLink& link,
                            const Client& client)
{
    const auto now = _core.clock.now();
    const auto token = one_time_tokens::issue(transaction,
                                              {.purpose = token_purpose::passwordReset,
                                               .subject = user.id.text(),
                                               .linkLife = _core.settings.accounts.resetLife,
                                               .data = toJson(link)},
                                              now);
    _mails.sendReset(transaction, to, token);
    AuditLog::anonymous(client, now).record(transaction, "user.password_reset_requested", user.id);
}

} // namespace portico::identity
