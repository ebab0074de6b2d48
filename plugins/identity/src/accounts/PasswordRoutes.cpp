#include "accounts/PasswordRoutes.h"

#include "audit/Audit.h"
#include "catalog/CatalogStore.h"
#include "sessions/SessionEvents.h"
#include "sessions/SignIn.h"
#include "signin/ReturnTarget.h"
#include "users/PasswordRules.h"
#include "users/RecoveryEmail.h"

namespace portico::identity
{

namespace
{

Problem linkExpired() { return Problem::gone("token_expired", "This link was used before, or is too old: ask for another one."); }

Problem wrongCurrentPassword()
{
    return Problem::unauthorized("invalid_credentials", "The current password is not right.")
        .with({"currentPassword", "invalid_credentials", "This is not the current password"});
}

std::vector<std::string_view> wordsOf(const User& user)
{
    return {std::string_view(user.email).substr(0, user.email.find('@')), user.displayName, user.givenName, user.familyName};
}

} // namespace

PasswordRoutes::PasswordRoutes(Core& core, SecondFactors& secondFactors, Passkeys& passkeys, const AccountLimits& limits,
                               const AccountMails& mails, AccountJobs& jobs)
    : _core(core),
      _secondFactors(secondFactors),
      _passkeys(passkeys),
      _limits(limits),
      _mails(mails),
      _jobs(jobs),
      _throttle(core.state, core.settings, core.clock)
{
}

void PasswordRoutes::declare(Routes& routes)
{
    routes
        .post("/api/auth/password/forgot", access::open(), &PasswordRoutes::forgot, this,
              {.summary = "Request a mail that resets the password",
               .onEveryOrigin = true,
               .idempotencyKey = false,
               .problems = {"400 human_verification_failed", "409 challenge_replayed", "428 human_verification_required"},
               .statuses = {202}})
        .post(
            "/api/auth/password/reset", access::open(), &PasswordRoutes::resetBy, this,
            {.summary = "Reset the password with the token of the mail",
             .onEveryOrigin = true,
             .execution = Execution::Heavy,
             .idempotencyKey = false,
             .problems = {"400 password_too_short", "400 password_too_long", "400 password_breached", "400 password_contains_context_word",
                          "401 invalid_code", "403 mfa_required", "410 token_expired", "429 too_many_attempts"}})
        .put("/api/auth/password", access::bearer().inPerson().freshProof(), &PasswordRoutes::change, this,
             {.summary = "Change the caller's password",
              .onEveryOrigin = true,
              .execution = Execution::Heavy,
              .problems = {"400 password_too_short", "400 password_too_long", "400 password_breached", "400 password_contains_context_word",
                           "401 invalid_credentials", "403 step_up_required", "429 too_many_attempts"}});
}

Reply<MailRequested> PasswordRoutes::forgot(const Request& request, const Body<ForgotInput>& input)
{
    _limits.countMail(input->email, request.clientAddress);
    _core.human.require(request, HumanPurpose::Login, input->humanVerification);
    MailRequest wanted{AccountMailKind::PasswordReset, input->email, Client::of(request)};
    if (!returnFault(_core, *_core.catalog.snapshot(), input->serviceId, input->returnTo))
    {
        wanted.link.serviceId = input->serviceId;
        wanted.link.returnTo = input->returnTo;
    }
    _jobs.enqueue(wanted);
    return {.record = {"reset_sent"}, .status = 202};
}

std::pair<User, ResetLink> PasswordRoutes::requireUser(std::string_view token)
{
    auto session = _core.database.session();
    const auto found = one_time_tokens::look(session, token_purpose::passwordReset, token, _core.clock.now());
    auto user = found ? users::find(session, found->subject) : std::nullopt;
    if (!user || !user->maySignIn()) throw linkExpired();
    return {*std::move(user), found->dataAs<ResetLink>()};
}

std::vector<FactorKind> PasswordRoutes::choicesOf(const User& user) const
{
    auto session = _core.database.session();
    return factors::choices(factors::summary(session, user.id));
}

std::vector<FactorKind> PasswordRoutes::factorsFor(std::string_view token)
{
    try
    {
        const auto [user, link] = requireUser(token);
        return takesBack(user, link) ? std::vector<FactorKind>() : choicesOf(user);
    }
    catch (const Problem&)
    {
        return {};
    }
}

void PasswordRoutes::requireFactor(const Request& request, const User& user, const std::vector<FactorKind>& choices,
                                   const ResetInput& input)
{
    if (choices.empty()) return;
    const bool byPasskey = input.factor == FactorKind::Passkey;
    if (!input.factor || (byPasskey ? input.credential.text.empty() || input.credential.text == "null" : input.code.empty()))
        throw Problem::forbidden("mfa_required", "This account has a second factor: send a code of its app, a recovery code, or the answer "
                                                 "of a passkey.")
            .withDetails(ResetDemand{choices});
    const bool proved = byPasskey ? _secondFactors.limited(user.id, [&] { return _passkeys.confirms(request, user.id, input.credential); })
                                  : _secondFactors.prove(user.id, *input.factor, input.code);
    if (!proved) throw Problem::unauthorized("invalid_code", "The authentication failed.");
}

RemovedCredentials PasswordRoutes::takeBack(Transaction& transaction, const UserId& user) const
{
    using Kind = AccountCredentialKind;
    // The reset itself replaces the password and ends the sign-ins. Keys of organizations are theirs.
    auto removed = account_credentials::remove(
        transaction, user,
        {.kinds = account_credentials::allBut({Kind::Password, Kind::SignIn, Kind::RefreshFamily, Kind::OrganizationKey}),
         .keyReason = "account_taken_back",
         .signInReason = end_reason::passwordChanged},
        _core.clock.now());
    userTable.set(transaction, user, &User::emailVerified, true);
    return removed;
}

std::vector<std::string> PasswordRoutes::concernedBy(const User& user, bool takesBack) const
{
    if (!takesBack) return {user.id.text()};
    auto session = _core.database.session();
    return account_credentials::concerned(session, user.id);
}

NoContent PasswordRoutes::resetBy(const Request& request, const Body<ResetInput>& input)
{
    reset(request, *input);
    return {};
}

ResetLink PasswordRoutes::reset(const Request& request, const ResetInput& input)
{
    const auto [user, link] = requireUser(input.token);
    const bool taken = takesBack(user, link);
    const auto choices = taken ? std::vector<FactorKind>() : choicesOf(user);
    _core.passwordRules.check(input.newPassword, wordsOf(user), !choices.empty());
    requireFactor(request, user, choices, input);
    const auto hash = passwords::hash(input.newPassword);
    const auto ids = concernedBy(user, taken);
    const auto ended =
        _core.changes.run(account_credentials::tenants(ids),
                          [&, &owner = user, &used = link](Transaction& transaction)
                          {
                              const auto now = _core.clock.now();
                              if (!one_time_tokens::redeem(transaction, token_purpose::passwordReset, input.token, now))
                                  throw linkExpired();
                              auto removed = taken ? takeBack(transaction, owner.id) : RemovedCredentials();
                              // Removes the recovery address, which an attacker with the old password may have set to regain access.
                              const bool recoveryRemoved = !used.toRecovery && recovery_emails::remove(transaction, owner.id, now);
                              store(transaction, owner, hash, Client::of(request), "user.password_reset", recoveryRemoved, removed);
                              auto over = sign_ins::endAll(transaction, owner.id, end_reason::passwordChanged, now);
                              over.insert(over.end(), removed.endedSignIns.begin(), removed.endedSignIns.end());
                              return over;
                          });
    _core.sessionEvents.ended(ended);
    _throttle.forgive(user.emailKey);
    return link;
}

NoContent PasswordRoutes::change(const Caller& caller, const Request& request, const Body<PasswordInput>& input)
{
    const auto [user, enrolled] = [&]
    {
        auto session = _core.database.session();
        auto found = users::find(session, caller.principalId);
        if (!found) throw Problem::unauthorized("invalid_token");
        return std::pair(*std::move(found), factors::any(factors::summary(session, caller.userId())));
    }();
    _core.passwordRules.check(input->newPassword, wordsOf(user), enrolled, "newPassword");
    if (!_throttle.attempt({user.emailKey, true}, [&, &known = user] { return Authenticator::matches(known, input->currentPassword); }))
        throw wrongCurrentPassword();
    const auto hash = passwords::hash(input->newPassword);
    const auto ended = _core.changes.run({user.id},
                                         [&, &known = user](Transaction& transaction)
                                         {
                                             const auto current = users::find(transaction, known.id.text());
                                             // A concurrent request has changed the password, so the entered one is no longer the current
                                             // one.
                                             if (!current || current->passwordHash != known.passwordHash) throw wrongCurrentPassword();
                                             store(transaction, known, hash, Client::of(request), "user.password_changed", false, {});
                                             if (!input->revokeOtherSessions) return std::vector<std::string>();
                                             return sign_ins::endAll(transaction, known.id, end_reason::passwordChanged, _core.clock.now(),
                                                                     caller.sessionId);
                                         });
    _core.sessionEvents.ended(ended);
    return {};
}

void PasswordRoutes::store(Transaction& transaction, const User& user, const std::string& hash, const Client& client, EventName event,
                           bool recoveryRemoved, const RemovedCredentials& removed) const
{
    const auto now = _core.clock.now();
    userTable.set(transaction, user.id, {now}, &User::passwordHash, hash, &User::passwordSetAt, now, &User::revision, increment);
    one_time_tokens::revokeChanges(transaction, user.id, now);
    AuditLog::ofUser(client, user.id, now)
        .record(transaction, event, user.id, removed.items.empty() ? AuditDetails() : removed.auditDetails());
    _mails.sendPasswordChanged(transaction, user, recoveryRemoved, removed);
}

} // namespace portico::identity
