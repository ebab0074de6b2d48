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

void AccountJobs::enqueue(const MailRequest& request)
{
    _core.database.transact([&](Transaction& transaction) { _core.context.jobs().enqueue(transaction, accountMailJob, request); });
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

void AccountJobs::run(const MailRequest& request)
{
    _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto user = users::findByEmail(transaction, request.email);
            if (request.kind == AccountMailKind::PasswordReset) sendRecovery(transaction, request, user ? user->id : UserId());
            if (!user) return;
            // A user who resets the password of an unverified account needs the verification mail again.
            if (user->status == UserStatus::PendingVerification)
                _mails.sendVerification(
                    transaction, mailRecipient(*user),
                    email_proofs::issueRegistration(transaction, _core, user->email, email_proofs::newestRegistration(transaction, *user)));
            else if (user->maySignIn() && request.kind == AccountMailKind::PasswordReset)
                sendReset(transaction, *user, mailRecipient(*user), request.link, request.client);
        });
}

void AccountJobs::sendRecovery(Transaction& transaction, const MailRequest& request, const UserId& owner)
{
    for (const auto& id : recovery_emails::usersOf(transaction, request.email))
    {
        const auto user = users::find(transaction, id);
        if (!user || user->id == owner || !user->maySignIn()) continue;
        auto link = request.link;
        link.toRecovery = true;
        sendReset(transaction, *user, {request.email, user->displayName, user->locale}, link, request.client);
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
