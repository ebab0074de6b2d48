#include "sessions/SessionRoutes.h"

#include "common/Requests.h"
#include "sessions/SignInStore.h"
#include "users/UserStore.h"

#include "portico/Json.h"

namespace portico::identity
{

void SessionRoutes::declare(Routes& routes)
{
    routes
        .post("/api/auth/refresh", access::cookie(), &SessionRoutes::refresh, this,
              {.summary = "Renew the access token with the refresh cookie",
               .gateway = true,
               .idempotencyKey = false,
               .problems = {"401 refresh_missing", "401 refresh_expired", "401 refresh_reuse_detected", "401 session_ended"}})
        .put("/api/auth/context", access::bearer(), &SessionRoutes::switchContext, this,
             {.summary = "Work in another organization, or personally",
              .gateway = true,
              .problems = {"400 household_is_not_a_context", "403 membership_required", "403 org_policy_mfa_required",
                           "403 org_policy_session_too_old"}})
        .post("/api/auth/step-up", access::bearer(), &SessionRoutes::stepUp, this,
              {.summary = "Prove again who you are, for what needs it",
               .gateway = true,
               .heavy = true,
               .idempotencyKey = false,
               .problems = {"401 invalid_code", "429 too_many_attempts"}});
}

Problem SessionRoutes::refusal(std::string_view code) const
{
    return Problem::unauthorized(code, "Sign in again.").withHeader("Set-Cookie", _parts.cookies.clearRefresh());
}

void SessionRoutes::requireService(const Request& request, std::string_view handle)
{
    const auto named = request.header("X-Service-ID");
    const auto wanted = isOwnOrigin(request) ? named : request.originService;
    if (wanted.empty()) return;
    const auto family = _parts.families.identify(handle);
    if (family && family->serviceId != wanted) throw Problem::badRequest("service_mismatch", "This sign-in belongs to another service.");
}

std::pair<SignIn, User> SessionRoutes::requireLive(std::string_view sessionId) const
{
    auto session = _parts.database.session();
    auto signIn = sign_ins::find(session, sessionId);
    if (!signIn || !signIn->active(_parts.clock.now())) throw refusal("session_ended");
    auto user = users::find(session, signIn->userId.text());
    if (!user || user->status != UserStatus::Active) throw refusal("session_ended");
    return {*std::move(signIn), *std::move(user)};
}

Reply<TokenResponse> SessionRoutes::refresh(const Request& request, const Body<RefreshInput>&)
{
    const auto handle = _parts.cookies.refreshHandle(request);
    if (handle.empty()) throw refusal("refresh_missing");
    requireService(request, handle);
    const auto client = Client::of(request);
    const auto result = _parts.families.rotate(handle, client.origin);
    if (result.outcome != RefreshOutcome::Rotated) refuse(result, client);
    auto [signIn, user] = requireLive(result.family.sessionId);
    Reply<TokenResponse> reply{_parts.issuer.issue(signIn, std::move(user))};
    std::optional<std::chrono::seconds> life;
    if (result.family.remembered) life = std::chrono::floor<std::chrono::seconds>(result.family.absoluteExpiresAt - _parts.clock.now());
    reply.headers.emplace_back("Set-Cookie", _parts.cookies.setRefresh(result.successor, life));
    return reply;
}

void SessionRoutes::refuse(const RefreshResult& result, const Client& client)
{
    if (result.outcome == RefreshOutcome::SessionEnded) throw refusal("session_ended");
    if (result.family.id.empty()) throw refusal("refresh_expired");
    _parts.changes.run(
        [&](Transaction& transaction)
        {
            if (result.outcome == RefreshOutcome::Reused) return endReused(transaction, result.family, client);
            const auto now = _parts.clock.now();
            const auto reason = result.family.absoluteExpiresAt <= now ? end_reason::expired : end_reason::idle;
            if (const auto signIn = sign_ins::find(transaction, result.family.sessionId))
                sign_ins::end(transaction, {*signIn}, reason, now);
        });
    throw refusal(result.outcome == RefreshOutcome::Reused ? "refresh_reuse_detected" : "refresh_expired");
}

void SessionRoutes::endReused(Transaction& transaction, const RefreshFamily& family, const Client& client)
{
    const auto now = _parts.clock.now();
    const auto signIn = sign_ins::find(transaction, family.sessionId);
    // Told once, however often the old handle comes back.
    if (!signIn || sign_ins::end(transaction, {*signIn}, end_reason::reuse, now).empty()) return;
    AuditEntry entry;
    entry.type = "session.refresh_reuse_detected";
    entry.actorType = "anonymous";
    entry.client = client;
    entry.target = family.sessionId;
    entry.serviceId = family.serviceId;
    entry.outcome = "refused";
    _parts.audit.record(transaction, entry, now);
    const auto user = users::find(transaction, signIn->userId.text());
    if (!user) return;
    Mail mail;
    mail.to = user->email;
    mail.subject = "You were signed out";
    mail.text = "A sign-in of your account (" + signIn->userAgent +
                ") was ended, because its key was used twice: someone may have copied it.\nIf that was not you, change your password.\n";
    _parts.mailer.send(transaction, mail);
}

std::pair<SignIn, User> SessionRoutes::own(Session& session, const Caller& caller) const
{
    auto signIn = sign_ins::find(session, caller.sessionId);
    auto user = users::find(session, caller.principalId);
    // Both were there a moment ago, when the token was validated.
    if (!signIn || !user) throw Problem::unauthorized("invalid_token");
    return {*std::move(signIn), *std::move(user)};
}

TokenResponse SessionRoutes::switchContext(const Caller& caller, const Body<ContextInput>& input)
{
    if (input->kind == "household")
        throw Problem::badRequest("household_is_not_a_context", "A household is chosen beside the personal context.");
    const auto kind = parseEnum<ContextKind>(input->kind);
    if (!kind) throw Problem::invalid("kind", "invalid_choice", "Use organization or personal.");
    const bool toOrganization = *kind == ContextKind::Organization;
    if (toOrganization != input->organizationId.has_value())
        throw Problem::invalid("organizationId", toOrganization ? "required" : "not_allowed",
                               "An organization goes with kind organization.");
    const auto catalog = _parts.catalog.snapshot();
    SignIn signIn;
    User user;
    _parts.changes.run(
        [&](Transaction& transaction)
        {
            std::tie(signIn, user) = own(transaction, caller);
            _parts.signIns.move(transaction, *catalog, user, signIn, input->organizationId);
            users::raiseRevision(transaction, user.id.text());
            ++user.revision;
        });
    return _parts.issuer.issue(signIn, std::move(user));
}

TokenResponse SessionRoutes::stepUp(const Caller& caller, const Request& request, const Body<StepUpInput>& input)
{
    const auto client = Client::of(request);
    // By the account's own counter: who guesses here guesses the same password.
    const auto account = emailKey(caller.email);
    _parts.throttle.countNetwork(client.address);
    const auto proves = [&] { return input->factor == "password" && _parts.authenticator.confirm(caller.principalId, input->password); };
    if (!_parts.throttle.attempt({account, true}, proves)) throw Problem::unauthorized("invalid_code", "That did not prove who you are.");
    SignIn signIn;
    User user;
    _parts.changes.run(
        [&](Transaction& transaction)
        {
            const auto now = _parts.clock.now();
            std::tie(signIn, user) = own(transaction, caller);
            sign_ins::elevate(transaction, signIn, now + _parts.settings.elevation, now);
            AuditEntry entry;
            entry.type = "session.elevated";
            entry.actorType = "user";
            entry.actorId = caller.principalId;
            entry.client = client;
            entry.target = caller.sessionId;
            entry.serviceId = caller.serviceId;
            _parts.audit.record(transaction, entry, now);
        });
    return _parts.issuer.issue(signIn, std::move(user));
}

} // namespace portico::identity
