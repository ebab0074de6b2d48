#include "login/SessionRoutes.h"

#include "audit/Audit.h"
#include "catalog/CatalogStore.h"
#include "login/SessionPages.h"
#include "oauth/TokenHolder.h"
#include "sessions/Cookies.h"
#include "sessions/LogoutNotices.h"
#include "sessions/SessionEvents.h"
#include "signin/NativeApp.h"
#include "signin/TokenIssuer.h"
#include "upstream/IdentityProvider.h"

#include "portico/Crypto.h"
#include "portico/Json.h"

#include <algorithm>
#include <iterator>

namespace portico::identity
{

namespace
{

constexpr auto ticketLife = std::chrono::seconds(60);

Problem refusal(std::string_view code) { return Problem::unauthorized(code, "Sign in again."); }

/// The access token of the request, or an empty one.
interfaces::Credential sentToken(const Request& request)
{
    const auto header = request.header("Authorization");
    const auto space = std::min(header.find(' '), header.size());
    const bool bound = equalsIgnoreCase(header.substr(0, space), "DPoP");
    interfaces::Credential sent;
    sent.kind = CredentialKind::AccessToken;
    sent.method = request.method;
    sent.origin = request.origin;
    sent.path = request.path;
    if (space < header.size() && (bound || equalsIgnoreCase(header.substr(0, space), "Bearer"))) sent.value = header.substr(space + 1);
    if (!bound) return sent;
    sent.presented = interfaces::Credential::Presented::Proof;
    sent.proof = request.header("DPoP");
    return sent;
}

} // namespace

void SessionRoutes::declare(Routes& routes)
{
    const RouteOptions login{.summary = "Sign in with a password",
                             .onEveryOrigin = true,
                             .execution = Execution::Heavy,
                             .idempotencyKey = false,
                             .problems = {"401 invalid_credentials", "403 email_not_verified", "403 account_suspended",
                                          "403 membership_required", "403 login_method_not_allowed", "403 org_policy_mfa_required",
                                          "403 org_policy_ip_not_allowed", "403 mfa_required", "403 password_change_required",
                                          "400 human_verification_failed", "409 challenge_replayed", "428 human_verification_required",
                                          "400 invalid_dpop_proof", "429 too_many_attempts"}};
    routes.post("/api/auth/login", access::open(), &SessionRoutes::login, this, login)
        .get("/api/auth/login-config", access::open(), &SessionRoutes::config, this,
             {.summary = "Read the sign-in configuration of a service",
              .onEveryOrigin = true,
              .cacheControl = "public, max-age=60",
              .problems = {"404 service_not_found"}})
        .post("/api/auth/refresh", access::cookie(), &SessionRoutes::refresh, this,
              {.summary = "Refresh the access token by a cookie or refresh token",
               .onEveryOrigin = true,
               .idempotencyKey = false,
               .problems = {"401 refresh_missing", "401 refresh_expired", "401 refresh_reuse_detected", "401 session_ended",
                            "400 invalid_dpop_proof"}})
        .put("/api/auth/context", access::bearer(), &SessionRoutes::switchContext, this,
             {.summary = "Switch to an organization or to the personal context",
              .onEveryOrigin = true,
              .problems = {"400 household_is_not_a_context", "403 membership_required", "403 org_policy_mfa_required",
                           "403 org_policy_session_too_old", "403 org_policy_ip_not_allowed"}})
        .post("/api/auth/step-up", access::bearer().inPerson(), &SessionRoutes::stepUp, this,
              {.summary = "Reauthenticate for sensitive operations",
               .onEveryOrigin = true,
               .execution = Execution::Heavy,
               .idempotencyKey = false,
               .problems = {"401 invalid_code", "429 too_many_attempts"}})
        .post("/api/auth/logout", access::open(), &SessionRoutes::logout, this,
              {.summary = "Sign out of this app, this browser, or everywhere", .onEveryOrigin = true, .idempotencyKey = false});
}

User SessionRoutes::requireUser(const Request& request, const LoginInput& input, const Client& client)
{
    _throttle.countNetwork(client.address);
    auto user = _authenticator.find(input.identifier);
    const auto key = emailKey(input.identifier);
    const LoginThrottle::Account account{key, user.has_value()};
    if (_core.human.asks(HumanPurpose::Login) && _throttle.isSuspicious(account))
        _core.human.require(request, HumanPurpose::Login, input.humanVerification);
    if (!_throttle.attempt(account, [&] { return Authenticator::matches(user, input.password); }))
    {
        // Also records attempts for unknown addresses, so that response times do not reveal them.
        _core.database.transact(
            [&](Transaction& transaction)
            { AuditLog::anonymous(client, _core.clock.now(), input.serviceId).refused(transaction, "session.refused"); });
        throw Problem::unauthorized("invalid_credentials", "The address or the password is not right.");
    }
    SignInFlow::requireActive(*user, "invalid_credentials");
    if (user->passwordExpiredFor == PendingSignIns::markOf(*user))
        throw Problem::forbidden("password_change_required", "An administrator asks for a new password: POST /api/auth/password/forgot.");
    _authenticator.renew(*user, input.password);
    return *std::move(user);
}

void SessionRoutes::requireNoFactor(const User& user, const SignInRequest& wanted)
{
    const auto kinds = _core.read([&](Session& session) { return factors::choices(factors::summary(session, user.id)); });
    if (!kinds.empty()) throw _pending.demand(user, wanted, kinds);
}

Reply<TokenResponse> SessionRoutes::login(const Request& request, const Body<LoginInput>& input)
{
    auto wanted = _flow.atService(request, input->serviceId, input->clientId);
    const auto user = requireFirstProof(request, *input, wanted);
    return _flow.complete(request, user, wanted);
}

Reply<TokenResponse> SessionRoutes::loginOnPage(const Request& request, const LoginInput& input, SignInEnrollment& enrollment)
{
    auto wanted = _flow.onPage(request);
    const auto user = requireFirstProof(request, input, wanted);
    try
    {
        return _flow.complete(request, user, wanted);
    }
    catch (const Problem& refusal)
    {
        if (refusal.code() != "org_policy_mfa_required") throw;
    }
    throw enrollment.demand(user, std::move(wanted));
}

User SessionRoutes::requireFirstProof(const Request& request, const LoginInput& input, SignInRequest& wanted)
{
    wanted.organizationId = input.organizationId;
    wanted.remember = input.rememberMe;
    wanted.amr = {std::string(amr::password)};
    auto user = requireUser(request, input, wanted.client);
    requireNoFactor(user, wanted);
    return user;
}

Reply<LoginConfig> SessionRoutes::config(const Request& request, const Query<LoginConfigQuery>& query)
{
    const auto serviceId = query->serviceId.empty() ? requestedService(request) : query->serviceId;
    const auto catalog = _core.catalog.snapshot();
    const auto* service = catalog->find(serviceId);
    if (!service || !service->active()) throw Problem(404, "service_not_found", "There is no such service.");
    LoginConfig config;
    config.serviceId = service->serviceId;
    config.displayName = service->name;
    config.hasAccounts = _core.read(
        [&](Session& session)
        {
            for (const auto& provider : identity_providers::ofInstallation(session))
                config.social.push_back({provider.id.text(), provider.buttonLabel()});
            return userTable.select().where("status <> 'pending_verification'").exists(session);
        });
    config.humanVerification = {_core.human.asks(HumanPurpose::Login), std::string(_core.human.provider())};
    config.registrationEnabled = _core.settings.accounts.registrationOpen;
    if (!_core.settings.accounts.termsUrl.empty()) config.termsUrl = _core.settings.accounts.termsUrl;
    if (!_core.settings.accounts.privacyUrl.empty()) config.privacyUrl = _core.settings.accounts.privacyUrl;
    auto tag = '"' + sha256(toJson(config)).hex().substr(0, 32) + '"';
    return {.record = std::move(config), .etag = std::move(tag)};
}

void SessionRoutes::requireService(const Request& request, std::string_view handle)
{
    const auto named = request.header("X-Service-ID");
    const auto wanted = isOwnOrigin(request) ? named : request.originService;
    const auto family = _core.families.identify(handle);
    // Refresh tokens of OAuth clients are renewed at the token endpoint, where the client authenticates.
    if (family && family->clientId != pagesOf(family->serviceId)) throw refusal("refresh_expired");
    if (!family) return;
    // Browsers send cookies with requests of every page of the same site, including pages of other services.
    const auto catalog = _core.catalog.snapshot();
    const auto* service = catalog->find(family->serviceId);
    const auto page = request.header("Origin");
    const bool fromItsPage = page == request.origin || (service && service->isOwnOrigin(page));
    if ((!wanted.empty() && family->serviceId != wanted) || !fromItsPage)
        throw Problem::badRequest("service_mismatch", "This sign-in belongs to another service.");
}

Reply<TokenResponse> SessionRoutes::refresh(const Request& request, const Body<RefreshInput>& input)
{
    if (!input->refreshToken.empty()) return renewApp(request, *input);
    try
    {
        return renew(request);
    }
    catch (Problem& problem)
    {
        if (problem.status() == 401)
            problem.withHeader("Set-Cookie", _core.cookies.setRefresh(request, "", std::chrono::seconds(0)).text());
        throw;
    }
}

Reply<TokenResponse> SessionRoutes::renew(const Request& request)
{
    const auto handle = _core.cookies.refreshHandle(request);
    if (handle.empty()) throw refusal("refresh_missing");
    requireService(request, handle);
    auto [result, tokens] = rotate(handle, Client::of(request));
    Reply<TokenResponse> reply{std::move(tokens)};
    std::optional<std::chrono::seconds> life;
    if (result.family.remembered) life = std::chrono::floor<std::chrono::seconds>(result.family.absoluteExpiresAt - _core.clock.now());
    reply.cookies.push_back(_core.cookies.setRefresh(request, result.successor, life));
    return reply;
}

Reply<TokenResponse> SessionRoutes::renewApp(const Request& request, const RefreshInput& input)
{
    const auto family = _core.families.identify(input.refreshToken);
    const auto app = family ? NativeApp::find(_core, request, input.clientId, family->serviceId) : std::nullopt;
    if (!app || family->clientId != app->client.clientId) throw refusal("refresh_expired");
    if (family->dpopJkt != app->jkt) throw Problem::badRequest("invalid_dpop_proof", "The refresh token is bound to another key.");
    auto client = Client::of(request);
    client.origin.clear();
    auto [result, tokens] = rotate(input.refreshToken, client);
    tokens.refreshToken = std::move(result.successor);
    return {.record = std::move(tokens)};
}

std::pair<RefreshResult, TokenResponse> SessionRoutes::rotate(std::string_view handle, const Client& client)
{
    auto result = _core.families.rotate(handle, client.origin);
    if (result.outcome != RefreshOutcome::Rotated) refuse(result, client);
    auto live = _core.read([&](Session& session) { return sign_ins::live(session, result.family.sessionId, _core.clock.now()); });
    if (!live) throw refusal("session_ended");
    return {std::move(result), _core.tokens.issue(live->signIn, std::move(live->user))};
}

void SessionRoutes::refuse(const RefreshResult& result, const Client& client)
{
    const auto& family = result.family;
    if (result.outcome == RefreshOutcome::SessionEnded) throw refusal("session_ended");
    if (family.id.empty()) throw refusal("refresh_expired");
    if (result.outcome == RefreshOutcome::Reused)
    {
        _flow.endReusedHandle(family.sessionId, client);
        throw refusal("refresh_reuse_detected");
    }
    const auto user =
        _core.read([&](Session& session)
                   { return session.value<std::string>("SELECT user_id FROM sessions WHERE id = $1", family.sessionId).value(); });
    const auto endUnused = [&](Transaction& transaction)
    {
        const auto now = _core.clock.now();
        const auto reason = family.absoluteExpiresAt <= now ? end_reason::expired : end_reason::idle;
        const auto signIn = sign_ins::find(transaction, family.sessionId);
        return signIn ? sign_ins::end(transaction, {*signIn}, reason, now) : std::vector<std::string>();
    };
    _core.sessionEvents.ended(_core.changes.run({Tenant::fromStored(user)}, endUnused));
    throw refusal("refresh_expired");
}

std::pair<SignIn, User> SessionRoutes::own(Session& session, const Caller& caller) const
{
    auto signIn = sign_ins::find(session, caller.sessionId);
    auto user = users::find(session, caller.principalId);
    // Both were there a moment ago, when the token was validated.
    if (!signIn || !user) throw Problem::unauthorized("invalid_token");
    return {*std::move(signIn), *std::move(user)};
}

std::vector<SetCookie> SessionRoutes::rotateHandle(Transaction& transaction, const Request& request, const SignIn& signIn) const
{
    const auto handle = isOwnOrigin(request) ? _core.cookies.browserSessionHandle(request) : std::string_view();
    if (handle.empty() || !signIn.browserSessionId) return {};
    const auto next = browser_sessions::replaceHandle(transaction, *signIn.browserSessionId, handle, _core.clock.now());
    if (!next) return {};
    std::optional<std::chrono::seconds> life;
    if (transaction.value<bool>("SELECT remembered FROM refresh_families WHERE session_id = $1", signIn.id).value_or(false))
        life = std::chrono::floor<std::chrono::seconds>(signIn.expiresAt - _core.clock.now());
    return {_core.cookies.setBrowserSession(*next, life)};
}

Reply<TokenResponse> SessionRoutes::switchContext(const Caller& caller, const Request& request, const Body<ContextInput>& input)
{
    if (input->kind == "household")
        throw Problem::badRequest("household_is_not_a_context", "A household is chosen beside the personal context.");
    const auto kind = parseEnum<ContextKind>(input->kind);
    if (!kind) throw Problem::invalid("kind", "invalid_choice", "Use organization or personal.");
    const bool toOrganization = *kind == ContextKind::Organization;
    if (toOrganization != input->organizationId.has_value())
        throw Problem::invalid("organizationId", toOrganization ? "required" : "not_allowed",
                               "An organization requires kind organization.");
    const auto catalog = _core.catalog.snapshot();
    SignIn signIn;
    User user;
    std::vector<SetCookie> cookies;
    _core.changes.run({Tenant::fromStored(caller.principalId)},
                      [&](Transaction& transaction)
                      {
                          std::tie(signIn, user) = own(transaction, caller);
                          _flow.service().move(transaction, *catalog, user, signIn, input->organizationId, request.clientAddress);
                          users::raiseRevision(transaction, user.id);
                          ++user.revision;
                          cookies = rotateHandle(transaction, request, signIn);
                      });
    _core.sessionEvents.revised(user.id.text(), user.revision);
    return {.record = _core.tokens.issue(signIn, std::move(user)), .cookies = std::move(cookies)};
}

std::optional<std::string_view> SessionRoutes::proved(const Caller& caller, const Request& request, const StepUpInput& input)
{
    const auto user = caller.userId();
    if (input.factor == toString(FactorKind::Totp))
        return _secondFactors.prove(user, FactorKind::Totp, input.code) ? std::optional(amr::oneTimeCode) : std::nullopt;
    if (input.factor == toString(FactorKind::Passkey))
    {
        const auto confirms = [&] { return _passkeys.confirms(request, user, input.credential); };
        return _secondFactors.limited(user, confirms) ? std::optional(amr::key) : std::nullopt;
    }
    if (input.factor != "password") throw Problem::invalid("factor", "unknown_option", "Use password, totp or passkey.");
    // Uses the account's counter of sign-ins, because the same password could be guessed here.
    _throttle.countNetwork(request.clientAddress);
    const auto proves = [&] { return _authenticator.confirm(caller.principalId, input.password); };
    return _throttle.attempt({emailKey(caller.email), true}, proves) ? std::optional(amr::password) : std::nullopt;
}

Reply<TokenResponse> SessionRoutes::stepUp(const Caller& caller, const Request& request, const Body<StepUpInput>& input)
{
    const auto client = Client::of(request);
    const auto proof = proved(caller, request, *input);
    if (!proof) throw Problem::unauthorized("invalid_code", "The authentication failed.");
    SignIn signIn;
    User user;
    std::vector<SetCookie> cookies;
    _core.changes.run({Tenant::fromStored(caller.principalId)},
                      [&](Transaction& transaction)
                      {
                          const auto now = _core.clock.now();
                          std::tie(signIn, user) = own(transaction, caller);
                          sign_ins::elevate(transaction, signIn, *proof, now + _core.settings.elevation, now);
                          AuditLog::personal(request, now).record(transaction, "session.elevated", caller.sessionId);
                          cookies = rotateHandle(transaction, request, signIn);
                      });
    return {.record = _core.tokens.issue(signIn, std::move(user)), .cookies = std::move(cookies)};
}

std::string SessionRoutes::sessionOf(const Request& request, LogoutScope wanted)
{
    // An Authorization header wins over cookies, also a bad one.
    if (request.hasHeader("Authorization"))
    {
        const auto sent = sentToken(request);
        const auto read = decodeToken(*_core.keys.signingKeys(), sent.value, _core.origin, _core.clock.now());
        if (read.fault != TokenFault::None) throw invalidToken(reason(read.fault));
        if (read.claims.aud != requestedService(request)) throw invalidToken(reason(TokenFault::WrongAudience));
        if (read.claims.isWidget()) throw Problem::forbidden("insufficient_scope", "This token is accepted for GET /api/widget only.");
        requireHolder(Dpop(_core.state, _core.clock), sent, read.claims);
        const auto catalog = _core.catalog.snapshot();
        auto session = _core.database.session();
        const auto signIn = sign_ins::find(session, read.claims.sid);
        const bool own = signIn && signIn->clientId == read.claims.clientId && wanted == LogoutScope::App;
        if (signIn && !own && isDelegated(session, *catalog, *signIn, read.claims))
            throw Problem::forbidden("permission_denied", "Third-party apps can end only their own sign-in.");
        return read.claims.sid;
    }
    const auto handle = _core.cookies.refreshHandle(request);
    if (handle.empty()) throw Problem::unauthorized("authentication_required", "Send an access token, or the cookie of the sign-in.");
    _core.cookies.requireTrusted(request);
    const auto family = _core.families.identify(handle);
    return family && family->active(_core.clock.now()) ? family->sessionId : std::string();
}

std::vector<std::string> SessionRoutes::end(const SignIn& signIn, LogoutScope wanted, Client client)
{
    // A logout while impersonating ends only the impersonation.
    const auto scope = signIn.impersonatorId ? LogoutScope::App : wanted;
    if (signIn.impersonatorId) client.impersonatorId = signIn.impersonatorId->text();
    return _core.changes.run({signIn.userId},
                             [&](Transaction& transaction)
                             {
                                 const auto now = _core.clock.now();
                                 auto ended = sign_ins::end(transaction, {signIn}, end_reason::logout, now);
                                 // The token of a sign-in that has ended already ends no other sign-in.
                                 if (ended.empty()) return ended;
                                 std::vector<SignIn> others;
                                 if (scope == LogoutScope::Browser) others = sign_ins::ofSameBrowser(transaction, signIn);
                                 std::ranges::move(scope == LogoutScope::Everywhere
                                                       ? sign_ins::endAll(transaction, signIn.userId, end_reason::logout, now)
                                                       : sign_ins::end(transaction, others, end_reason::logout, now),
                                                   std::back_inserter(ended));
                                 if (scope == LogoutScope::Browser && signIn.browserSessionId)
                                     browserSessionTable.set(transaction, *signIn.browserSessionId, &BrowserSession::endedAt, now);
                                 AuditLog::ofUser(client, signIn.userId, now, signIn.serviceId)
                                     .record(transaction, "session.logged_out", signIn.id, {{"scope", scope}, {"ended", ended.size()}});
                                 return ended;
                             });
}

std::string SessionRoutes::ticketFor(const SignIn& signIn)
{
    return "?lt=" + logoutTickets(_core.state).issue(signIn.browserSessionId.value_or(""), ticketLife);
}

Reply<LogoutResult> SessionRoutes::logout(const Request& request, const Body<LogoutInput>& input)
{
    const auto sessionId = sessionOf(request, input->scope);
    const auto signIn = _core.read([&](Session& session) { return sign_ins::find(session, sessionId); });
    Reply<LogoutResult> reply;
    reply.record.broadcastUrl = _core.origin + "/session/broadcast-logout";
    if (signIn && signIn->active(_core.clock.now())) reply.record.ended = end(*signIn, input->scope, Client::of(request));
    _core.sessionEvents.ended(reply.record.ended);
    if (!reply.record.ended.empty())
    {
        reply.record.broadcastUrl += ticketFor(*signIn);
        reply.record.frontchannel =
            _core.read([&](Session& session) { return logout_notices::frontchannel(session, reply.record.ended, _core.origin); });
    }
    reply.cookies.push_back(_core.cookies.setRefresh(request, "", std::chrono::seconds(0)));
    if (isOwnOrigin(request) && input->scope != LogoutScope::App)
        reply.cookies.push_back(_core.cookies.setBrowserSession("", std::chrono::seconds(0)));
    return reply;
}

} // namespace portico::identity
