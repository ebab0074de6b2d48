#include "accounts/RecoveryEmailRoutes.h"

#include "audit/Audit.h"
#include "onboarding/OnboardingStore.h"
#include "permissions/Actor.h"
#include "users/AccountNotices.h"

#include "portico/Json.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

User requireOwner(Session& session, const Caller& caller)
{
    auto user = users::find(session, caller.principalId);
    if (!user) throw Problem::unauthorized("invalid_token");
    return *std::move(user);
}

/// Returns true if the user has started onboarding in a service, which requires a recovery address.
bool hasBegunOnboarding(Session& session, const Caller& caller)
{
    const auto progress = onboardingTable.select(Tenant::fromStored(caller.principalId)).all(session);
    return std::ranges::any_of(progress, [](const OnboardingProgress& one) { return one.status != OnboardingStatus::NotStarted; });
}

} // namespace

void RecoveryEmailRoutes::declare(Routes& routes)
{
    routes
        .get("/api/auth/me/recovery-email", access::bearer(), &RecoveryEmailRoutes::show, this,
             {.summary = "Read the caller's masked recovery address", .onEveryOrigin = true})
        .put("/api/auth/me/recovery-email", access::bearer().inPerson().freshProof(), &RecoveryEmailRoutes::set, this,
             {.summary = "Set a recovery address and send a code to it",
              .onEveryOrigin = true,
              .problems = {"400 same_as_primary", "403 step_up_required"},
              .statuses = {202}})
        .post("/api/auth/me/recovery-email/verify", access::bearer().inPerson(), &RecoveryEmailRoutes::verify, this,
              {.summary = "Verify the caller's recovery address by its code",
               .onEveryOrigin = true,
               .problems = {"401 invalid_code", "410 code_expired"}})
        .post("/api/auth/me/recovery-email/resend", access::bearer().inPerson(), &RecoveryEmailRoutes::resend, this,
              {.summary = "Send the code again", .onEveryOrigin = true, .problems = {"409 conflict"}, .statuses = {202}})
        .del("/api/auth/me/recovery-email", access::bearer().inPerson(), &RecoveryEmailRoutes::remove, this,
             {.summary = "Remove the caller's recovery address",
              .onEveryOrigin = true,
              .problems = {"403 step_up_required", "409 recovery_email_required_by_onboarding"}});
}

RecoveryEmailView RecoveryEmailRoutes::show(const Caller& caller) const
{
    auto session = _core.database.session();
    return recovery_emails::view(session, caller.principalId);
}

void RecoveryEmailRoutes::sendCode(Transaction& transaction, const User& user, const std::string& address)
{
    const auto token = one_time_tokens::issue(transaction,
                                              {.purpose = token_purpose::recoveryEmail,
                                               .subject = user.id.text(),
                                               .codeLife = _core.settings.accounts.codeLife,
                                               .data = toJson(RecoveryEmailInput{address})},
                                              _core.clock.now());
    _mails.sendRecoveryCode(transaction, {address, user.displayName, user.locale}, token);
}

Reply<RecoveryEmailView> RecoveryEmailRoutes::set(const Caller& caller, const Request& request, const Body<RecoveryEmailInput>& input)
{
    if (emailKey(input->email) == emailKey(caller.email))
        throw Problem::badRequest("same_as_primary", "The recovery address must differ from the account's address.");
    auto view = _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            Changes::waitFor(transaction, Tenant::fromStored(caller.principalId));
            requireElevation(transaction, caller, now);
            _limits.countMail(input->email, request.clientAddress);
            const auto user = requireOwner(transaction, caller);
            transaction.execute(
                "INSERT INTO recovery_emails (user_id, pending_email, created_at, updated_at) VALUES ($1, $2, $3, $3) "
                "ON CONFLICT (user_id) DO UPDATE SET pending_email = excluded.pending_email, updated_at = excluded.updated_at",
                user.id, input->email, now);
            sendCode(transaction, user, input->email);
            _core.notices.tell(transaction, caller.principalId, &AccountChangeMail::recoverySet, input->email);
            AuditLog::personal(request, now).record(transaction, "user.recovery_email_set", caller.principalId);
            return recovery_emails::view(transaction, caller.principalId);
        });
    return {.record = std::move(view), .status = 202};
}

RecoveryEmailView RecoveryEmailRoutes::verify(const Caller& caller, const Request& request, const Body<RecoveryCodeInput>& input)
{
    using one_time_tokens::CodeOutcome;
    // Refused after the commit: a wrong code counts.
    const auto [outcome, view] = _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            Changes::waitFor(transaction, Tenant::fromStored(caller.principalId));
            const auto result =
                one_time_tokens::redeemCode(transaction, token_purpose::recoveryEmail, caller.principalId, input->code, now);
            if (result.token)
            {
                const auto address = result.token->dataAs<RecoveryEmailInput>().email;
                transaction.execute("UPDATE recovery_emails SET email = $2, email_key = $3, verified_at = $4, pending_email = NULL, "
                                    "updated_at = $4 WHERE user_id = $1",
                                    caller.principalId, address, emailKey(address), now);
                _core.notices.tell(transaction, caller.principalId, &AccountChangeMail::recoveryVerified, address);
                AuditLog::personal(request, now).record(transaction, "user.recovery_email_verified", caller.principalId);
            }
            return std::pair(result.outcome, recovery_emails::view(transaction, caller.principalId));
        });
    if (outcome == CodeOutcome::Wrong) throw Problem::unauthorized("invalid_code", "That is not the code.");
    if (outcome == CodeOutcome::Gone) throw Problem::gone("code_expired", "The code is too old, or was tried too often: ask for another.");
    return view;
}

Reply<RecoveryEmailView> RecoveryEmailRoutes::resend(const Caller& caller, const Request& request, const Body<ResendCodeInput>&)
{
    auto view = _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto row = recovery_emails::find(transaction, caller.principalId);
            if (!row.pendingEmail) throw Problem::conflict("conflict", "No recovery address waits for a code.");
            const auto sent = one_time_tokens::lastIssued(transaction, token_purpose::recoveryEmail, caller.principalId);
            const auto wait = sent ? *sent + recovery_emails::resendWait - _core.clock.now() : std::chrono::milliseconds(0);
            if (wait > wait.zero()) throw Problem::rateLimited((wait.count() + 999) / 1000);
            _limits.countMail(*row.pendingEmail, request.clientAddress);
            sendCode(transaction, requireOwner(transaction, caller), *row.pendingEmail);
            return recovery_emails::view(transaction, caller.principalId);
        });
    return {.record = std::move(view), .status = 202};
}

NoContent RecoveryEmailRoutes::remove(const Caller& caller, const Request& request)
{
    _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            if (_core.context.config().boolean("identity.accounts.recoveryEmailRequired") || hasBegunOnboarding(transaction, caller))
                throw Problem::conflict("recovery_email_required_by_onboarding",
                                        "A recovery address has to be there: set another one instead.");
            requireElevation(transaction, caller, now);
            recovery_emails::remove(transaction, requireOwner(transaction, caller).id, now);
            _core.notices.tell(transaction, caller.principalId, &AccountChangeMail::recoveryRemoved);
            AuditLog::personal(request, now).record(transaction, "user.recovery_email_removed", caller.principalId);
        });
    return {};
}

} // namespace portico::identity
