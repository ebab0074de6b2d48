#include "accounts/EmailChangeRoutes.h"

#include "audit/Audit.h"
#include "organizations/DomainRoutes.h"
#include "permissions/Actor.h"
#include "sessions/SignIn.h"

#include "portico/Json.h"

namespace portico::identity
{

namespace
{
/// In which an old address can be put back.
constexpr std::chrono::hours revertLife{7 * 24};
} // namespace

void EmailChangeRoutes::declare(Routes& routes)
{
    routes.post("/api/auth/me/email", access::bearer().inPerson(), &EmailChangeRoutes::change, this,
                {.summary = "Ask for another e-mail address: it counts when the mail to it is opened",
                 .onEveryOrigin = true,
                 .idempotencyKey = false,
                 .problems = {"400 same_as_primary", "403 step_up_required"}});
}

Reply<EmailChangeAccepted> EmailChangeRoutes::change(const Caller& caller, const Request& request, const Body<EmailChangeInput>& input)
{
    const auto key = emailKey(input->newEmail);
    if (key == emailKey(caller.email)) throw Problem::badRequest("same_as_primary", "This is the address of the account already.");
    _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            requireElevation(transaction, caller, now);
            _limits.countMail(input->newEmail, request.clientAddress);
            const auto user = users::find(transaction, caller.principalId);
            if (!user) throw Problem::unauthorized("invalid_token");
            const auto holder = users::findByEmail(transaction, input->newEmail);
            const auto& settings = _core.settings.accounts;
            const auto token = one_time_tokens::issue(transaction,
                                                      {token_purpose::emailChange, key, settings.verificationLife, settings.codeLife,
                                                       toJson(EmailChange{user->id, user->email, input->newEmail})},
                                                      now);
            // Nobody learns here whose address it is; its holder does.
            if (holder)
            {
                one_time_tokens::revoke(transaction, token_purpose::emailChange, key, now);
                _mails.sendAccountExists(transaction, mailRecipient(*holder));
            }
            else
                _mails.sendVerification(transaction, {input->newEmail, user->displayName, user->locale}, token);
            audit::record(transaction, Client::of(request), now,
                          {"user.email_change_requested", "user", caller.principalId, caller.principalId, caller.serviceId});
        });
    return {.record = {}, .status = 202};
}

std::optional<OneTimeToken> EmailChangeRoutes::look(std::string_view purpose, const EmailEvidence& evidence)
{
    auto session = _core.database.session();
    if (!evidence.token.empty()) return one_time_tokens::find(session, purpose, evidence.token, _core.clock.now());
    if (purpose != token_purpose::emailChange) return std::nullopt;
    return one_time_tokens::newestWithCode(session, purpose, emailKey(evidence.email));
}

bool EmailChangeRoutes::confirm(const EmailEvidence& evidence, const Client& client)
{
    return run(token_purpose::emailChange, evidence, client) || run(token_purpose::emailRevert, evidence, client);
}

bool EmailChangeRoutes::run(std::string_view purpose, const EmailEvidence& evidence, const Client& client)
{
    const auto seen = look(purpose, evidence);
    if (!seen) return false;
    const auto change = seen->dataAs<EmailChange>();
    const bool reverts = purpose == token_purpose::emailRevert;
    std::vector<std::string> ended;
    const bool done = _core.changes.run(
        {change.userId},
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            const auto token = evidence.token.empty()
                                   ? one_time_tokens::useCode(transaction, purpose, emailKey(evidence.email), evidence.code, now).token
                                   : one_time_tokens::use(transaction, purpose, evidence.token, now);
            if (!token || !write(transaction, change, now)) return false;
            // Whoever has changed the address against the will of its owner is signed in.
            if (reverts)
                ended = sign_ins::endAll(transaction, change.userId, end_reason::passwordChanged, now);
            else
                tellOld(transaction, change, now);
            if (!reverts) domains::joinByAddress(transaction, *users::find(transaction, change.userId.text()), now);
            audit::record(
                transaction, client, now,
                {reverts ? "user.email_reverted" : "user.email_changed", "user", change.userId.text(), change.userId.text(), "identity"});
            return true;
        });
    _events.ended(ended);
    return done;
}

bool EmailChangeRoutes::write(Transaction& transaction, const EmailChange& change, Instant now)
{
    // A statement that finds the address taken, rather than one that fails by the unique key, which would spoil the transaction.
    return transaction.execute("UPDATE users SET email = $2, email_key = $3, email_verified = TRUE, revision = revision + 1, "
                               "version = version + 1, updated_at = $4 WHERE id = $1 AND email_key = $5 AND status = 'active' "
                               "AND NOT EXISTS (SELECT 1 FROM users other WHERE other.email_key = $3)",
                               change.userId, change.to, emailKey(change.to), now, emailKey(change.from)) == 1;
}

void EmailChangeRoutes::tellOld(Transaction& transaction, const EmailChange& change, Instant now)
{
    const auto user = users::find(transaction, change.userId.text());
    const auto token = one_time_tokens::issue(transaction,
                                              {.purpose = token_purpose::emailRevert,
                                               .subject = change.userId.text(),
                                               .linkLife = revertLife,
                                               .data = toJson(EmailChange{change.userId, change.to, change.from})},
                                              now);
    _mails.sendEmailChanged(transaction, {change.from, user->displayName, user->locale}, token);
}

} // namespace portico::identity
