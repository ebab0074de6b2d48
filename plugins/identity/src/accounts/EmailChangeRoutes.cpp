#include "accounts/EmailChangeRoutes.h"

#include "accounts/EmailProofs.h"
#include "audit/Audit.h"
#include "organizations/DomainRoutes.h"
#include "permissions/Actor.h"
#include "sessions/SessionEvents.h"
#include "sessions/SignIn.h"
#include "users/AccountNotices.h"

#include "portico/Json.h"

namespace portico::identity
{

namespace
{
/// Thrown if the account or the address has changed. Nothing happens, and the mail's link stays valid.
struct NotNow
{
};
} // namespace

void EmailChangeRoutes::declare(Routes& routes)
{
    routes
        .post("/api/auth/me/email", access::bearer().inPerson().freshProof(), &EmailChangeRoutes::change, this,
              {.summary = "Request a change of the caller's e-mail address",
               .onEveryOrigin = true,
               .problems = {"400 same_as_primary", "403 step_up_required"},
               .statuses = {202}})
        .get("/api/auth/me/email", access::bearer(), &EmailChangeRoutes::show, this,
             {.summary = "Read the caller's e-mail address and its pending change", .onEveryOrigin = true})
        .del("/api/auth/me/email", access::bearer().inPerson(), &EmailChangeRoutes::cancel, this,
             {.summary = "Cancel the pending change of the e-mail address", .onEveryOrigin = true});
}

EmailView EmailChangeRoutes::show(const Caller& caller) const
{
    auto session = _core.database.session();
    EmailView view{caller.email, std::nullopt};
    if (const auto token = one_time_tokens::waiting(session, token_purpose::emailChange, caller.userId(), _core.clock.now()))
        view.pending = PendingEmail{token->dataAs<EmailChange>().to, token->createdAt, token->expiresAt};
    return view;
}

NoContent EmailChangeRoutes::cancel(const Caller& caller, const Request& request)
{
    _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            if (one_time_tokens::revoke(transaction, token_purpose::emailChange, caller.principalId, now) > 0)
                AuditLog::personal(request, now).record(transaction, "user.email_change_cancelled", caller.principalId);
        });
    return {};
}

Reply<EmailChangeAccepted> EmailChangeRoutes::change(const Caller& caller, const Request& request, const Body<EmailChangeInput>& input)
{
    const auto key = emailKey(input->newEmail);
    if (key == emailKey(caller.email)) throw Problem::badRequest("same_as_primary", "This is the address of the account already.");
    _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            Changes::waitFor(transaction, Tenant::fromStored(caller.principalId));
            requireElevation(transaction, caller, now);
            _limits.countMail(input->newEmail, request.clientAddress);
            const auto user = users::find(transaction, caller.principalId);
            if (!user) throw Problem::unauthorized("invalid_token");
            const auto holder = users::findByEmail(transaction, input->newEmail);
            const auto& settings = _core.settings.accounts;
            // Keeps one pending change at a time.
            one_time_tokens::revoke(transaction, token_purpose::emailChange, user->id.text(), now);
            // Issues no code if no mail is sent to the new address, because codes can be guessed.
            const bool byLinkOnly = holder || domains::joins(transaction, key);
            const auto token = one_time_tokens::issue(transaction,
                                                      {token_purpose::emailChange, key, settings.verificationLife,
                                                       byLinkOnly ? std::chrono::seconds(0) : settings.codeLife,
                                                       toJson(EmailChange{user->id, user->email, input->newEmail}), user->id},
                                                      now);
            _core.notices.tell(transaction, caller.principalId, &AccountChangeMail::emailChangeRequested, input->newEmail);
            // The answer does not reveal that the address belongs to another account; the mail informs its owner.
            if (holder)
                _mails.sendAccountExists(transaction, mailRecipient(*holder));
            else
                _mails.sendVerification(transaction, {input->newEmail, user->displayName, user->locale}, token);
            AuditLog::personal(request, now).record(transaction, "user.email_change_requested", caller.principalId);
        });
    return {.record = {}, .status = 202};
}

bool EmailChangeRoutes::confirm(const MailProof& proof, const Client& client)
{
    return run(token_purpose::emailChange, proof, client) || run(token_purpose::emailRevert, proof, client);
}

bool EmailChangeRoutes::run(std::string_view purpose, const MailProof& proof, const Client& client)
{
    const auto seen = _core.read([&](Session& session) { return one_time_tokens::look(session, purpose, proof, _core.clock.now()); });
    if (!seen) return false;
    const auto change = seen->dataAs<EmailChange>();
    const bool reverts = purpose == token_purpose::emailRevert;
    RemovedCredentials removed;
    const auto work = [&](Transaction& transaction)
    {
        const auto now = _core.clock.now();
        const auto token = one_time_tokens::redeem(transaction, purpose, proof, now);
        if (!token) return false;
        if (reverts)
            removed = putBack(transaction, change, *token, now);
        else
            put(transaction, change, token->createdAt, now);
        AuditLog::ofUser(client, change.userId, now)
            .record(transaction, reverts ? EventName("user.email_reverted") : EventName("user.email_changed"), change.userId,
                    reverts ? removed.auditDetails() : AuditDetails());
        return true;
    };
    try
    {
        const auto ids = concernedBy(change, reverts);
        const bool done = _core.changes.run(account_credentials::tenants(ids), work);
        _core.sessionEvents.ended(removed.endedSignIns);
        return done;
    }
    catch (const NotNow&)
    {
        return false;
    }
}

std::vector<std::string> EmailChangeRoutes::concernedBy(const EmailChange& change, bool reverts)
{
    if (!reverts) return {change.userId.text()};
    auto session = _core.database.session();
    return account_credentials::concerned(session, change.userId);
}

void EmailChangeRoutes::write(Transaction& transaction, const User& user, const std::string& email, Instant now)
{
    const auto key = emailKey(email);
    // An unconfirmed registration does not block the address.
    const auto holder = users::findByEmail(transaction, email);
    if (holder && holder->status == UserStatus::PendingVerification && holder->passwordHash)
        email_proofs::drop(transaction, holder->id, now);
    // Detects the taken address by a condition. A violation of the unique key would abort the transaction.
    if (userTable.select()
            .where(&User::id, user.id)
            .where("NOT EXISTS (SELECT 1 FROM users other WHERE other.email_key = ? AND other.id <> ?)", key, user.id)
            .set(transaction, {now}, &User::email, email, &User::emailKey, key, &User::emailVerified, true, &User::revision, increment) ==
        0)
        throw NotNow();
    email_changes::moveRecords(transaction, user, email, now);
    // Links for a new password went to the address that it had.
    one_time_tokens::revokeChanges(transaction, user.id, now);
}

void EmailChangeRoutes::put(Transaction& transaction, const EmailChange& change, Instant requestedAt, Instant now)
{
    const auto user = users::find(transaction, change.userId.text());
    if (!user || user->status != UserStatus::Active || user->emailKey != emailKey(change.from)) throw NotNow();
    write(transaction, *user, change.to, now);
    email_changes::tellOld(transaction, _mails, change, requestedAt, now);
    domains::joinByAddress(_core.context, transaction, *users::find(transaction, change.userId.text()), now);
}

RemovedCredentials EmailChangeRoutes::putBack(Transaction& transaction, const EmailChange& change, const OneTimeToken& used, Instant now)
{
    const auto user = users::find(transaction, change.userId.text());
    if (!user || !user->maySignIn()) throw NotNow();
    write(transaction, *user, change.to, now);
    // Reverting the first change also cancels the later ones, which its owner did not make.
    transaction.execute(
        "UPDATE one_time_tokens SET used_at = $3 WHERE subject = $1 AND purpose = $2 AND used_at IS NULL AND created_at > $4", user->id,
        token_purpose::emailRevert, now, used.createdAt);
    auto removed = account_credentials::remove(transaction, user->id,
                                               {.kinds = account_credentials::all(),
                                                .since = change.requestedAt.value_or(used.createdAt),
                                                .keyReason = "email_reverted",
                                                .signInReason = end_reason::passwordChanged},
                                               now);
    _mails.sendEmailReverted(transaction, *users::find(transaction, user->id.text()), removed);
    return removed;
}

} // namespace portico::identity
