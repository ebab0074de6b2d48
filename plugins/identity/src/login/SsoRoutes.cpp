#include "login/SsoRoutes.h"

#include "audit/Audit.h"
#include "catalog/CatalogStore.h"
#include "outbox/WebhookStore.h"
#include "sessions/Cookies.h"
#include "sessions/RefreshFamilies.h"
#include "sessions/SessionEvents.h"
#include "tokens/Pkce.h"
#include "web/Fields.h"
#include "web/Urls.h"

#include "portico/Crypto.h"
#include "portico/Json.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

Problem codeProblem(std::string_view code) { return Problem::badRequest(code, "Start the sign-in again."); }

struct DisplayName
{
    std::string displayName;
};
constexpr auto schemaOf(const DisplayName*) { return describe(field<&DisplayName::displayName>()); }

struct AccountSwitch
{
    DisplayName current;
    DisplayName incoming;
};
constexpr auto schemaOf(const AccountSwitch*) { return describe(members<&AccountSwitch::current, &AccountSwitch::incoming>()); }

/// Details of the event `identity.handoff.exchanged`.
struct HandoffDetails
{
    std::string serviceId;
    std::string target;
};
constexpr auto schemaOf(const HandoffDetails*)
{
    return describe(field<&HandoffDetails::serviceId>("service_id"), field<&HandoffDetails::target>());
}

Problem codeProblem(CodeRejected rejected)
{
    if (rejected == CodeRejected::Expired) return codeProblem("sso_code_expired");
    return codeProblem(rejected == CodeRejected::Used ? "sso_code_consumed" : "sso_code_invalid");
}

} // namespace

SsoRoutes::SsoRoutes(Core& core, const Pages& pages, SignInFlow& flow)
    : _core(core), _flow(flow), _codes(core, flow, CodeRedemption::sso), _gate(core, pages), _problem(pages.bind<ProblemText>("problem"))
{
}

void SsoRoutes::declare(Routes& routes)
{
    const RouteOptions exchange{.summary = "Sign in at an app with a one-time code",
                                .onEveryOrigin = true,
                                .idempotencyKey = false,
                                .problems = {"400 sso_code_invalid", "400 sso_code_expired", "400 sso_code_consumed",
                                             "400 redirect_uri_mismatch", "400 pkce_failed", "400 invalid_dpop_proof", "403 csrf_rejected",
                                             "409 account_switch_confirmation_required"}};
    routes
        .get("/sso/authorize", access::open(), &SsoRoutes::authorize, this,
             {.summary = "Sign a browser in at an app", .undocumented = true, .produces = {"text/html"}})
        .post("/sso/handoff-code", access::bearer().inPerson(), &SsoRoutes::handoff, this,
              {.summary = "Create a one-time code for a sign-in at another app",
               .onEveryOrigin = true,
               .idempotencyKey = false,
               .problems = {"400 redirect_uri_not_registered", "400 return_to_invalid", "403 service_access_denied", "403 not_launchable",
                            "403 membership_required", "403 login_method_not_allowed", "403 org_policy_mfa_required",
                            "403 org_policy_session_too_old", "403 org_policy_ip_not_allowed", "409 service_not_active"},
               .statuses = {201}})
        .post("/sso/exchange", access::open(), &SsoRoutes::exchange, this, exchange);
}

Response SsoRoutes::authorize(const Request& request, const RawQuery& query)
{
    const auto value = [&](std::string_view name) { return fieldOf(query.values, name); };
    const auto catalog = _core.catalog.snapshot();
    const auto* service = catalog->find(value("service_id"));
    if (!service || !service->active()) return problemPage(_problem, request, {.unknownService = true});
    const auto redirectUri = value("redirect_uri");
    if (!service->isCallback(redirectUri)) return problemPage(_problem, request, {.wrongRedirect = true});

    const auto state = value("state");
    const auto refuse = [&](std::string_view error) {
        return redirectTo(withQuery(redirectUri, {{"error", std::string(error)}, {"state", state}, {"iss", _core.origin}}));
    };
    if (state.empty() || !pkce::isChallenge(value("code_challenge")) || value("code_challenge_method") != "S256")
        return refuse("invalid_request");

    SignInPrompt desired;
    desired.prompt = value("prompt");
    desired.loginHint = value("login_hint");
    desired.serviceId = service->serviceId;
    desired.path = "/sso/authorize";
    desired.parameters = query.values;
    auto outcome = _gate.pass(request, desired);
    if (auto* const page = std::get_if<Response>(&outcome)) return std::move(*page);
    if (const auto* error = std::get_if<std::string>(&outcome)) return refuse(*error);
    try
    {
        const auto code = grantBrowser(request, std::get<SignedInBrowser>(outcome), query.values, service->serviceId);
        return redirectTo(withQuery(redirectUri, {{"sso_code", code}, {"state", state}, {"iss", _core.origin}}));
    }
    catch (const Problem& problem)
    {
        if (problem.status() != 403) throw;
        if (problem.code() == "org_policy_session_too_old")
            return asks(desired.prompt, "none") ? refuse("login_required") : _gate.toLogin(desired);
        return refuse(problem.code() == "org_policy_mfa_required" ? "interaction_required" : "access_denied");
    }
}

std::string SsoRoutes::grantBrowser(const Request& request, const SignedInBrowser& browser, const UrlParameters& parameters,
                                    const std::string& serviceId)
{
    auto wanted = SignInRequest::fromBrowser(serviceId, browser.session, Client::of(request));
    const auto organization = fieldOf(parameters, "organization_id");
    if (!organization.empty())
    {
        wanted.organizationId = OrganizationId::parse(organization);
        if (!wanted.organizationId) throw Problem::forbidden("membership_required");
    }
    SignInGrant grant;
    grant.organizationId = _flow.service().contextFor(browser.user, wanted);
    grant.userId = browser.user.id.text();
    grant.browserSessionId = browser.session.id;
    grant.serviceId = serviceId;
    grant.redirectUri = fieldOf(parameters, "redirect_uri");
    grant.codeChallenge = fieldOf(parameters, "code_challenge");
    grant.amr = browser.session.amr;
    grant.acr = browser.session.acr;
    grant.authTime = browser.session.authTime;
    return _codes.issue(grant, _core.settings.lifetimes.ssoCode);
}

bool SsoRoutes::isAppRedirect(std::string_view serviceId, std::string_view uri) const
{
    auto session = _core.database.session();
    const auto apps = oauth_clients::nativeOf(session, serviceId);
    return std::ranges::any_of(apps, [&](const OAuthClient& app) { return app.isRedirect(uri); });
}

const CatalogService& SsoRoutes::requireTarget(const Catalog& catalog, const HandoffInput& input) const
{
    const auto* service = catalog.find(input.serviceId);
    if (!service) throw Problem::notFound("There is no such service.");
    if (!service->active()) throw Problem::conflict("service_not_active", "The service is not in use.");
    if (!service->launchable) throw Problem::forbidden("not_launchable", "The service is not one that people open.");
    const bool mobile = input.channel == HandoffChannel::Mobile;
    if (!service->isCallback(input.redirectUri) && !(mobile && isAppRedirect(service->serviceId, input.redirectUri)))
        throw Problem::badRequest("redirect_uri_not_registered", "The service has not registered this address.");
    if (!input.returnTo.empty() && !isLocalPath(input.returnTo))
        throw Problem::badRequest("return_to_invalid", "A path of the app begins with one slash.");
    return *service;
}

Reply<HandoffCode> SsoRoutes::handoff(const Caller& caller, const Request& request, const Body<HandoffInput>& input)
{
    const auto catalog = _core.catalog.snapshot();
    const auto& service = requireTarget(*catalog, *input);
    const auto [source, user] = _core.read(
        [&](Session& session) { return std::pair(sign_ins::find(session, caller.sessionId), users::find(session, caller.principalId)); });
    if (!source || !user) throw Problem::unauthorized("invalid_token");
    SignInGrant grant;
    grant.userId = user->id.text();
    grant.organizationId = source->organizationId;
    grant.browserSessionId = source->browserSessionId;
    grant.sourceSessionId = source->id.text();
    grant.serviceId = service.serviceId;
    grant.redirectUri = input->redirectUri;
    grant.returnTo = input->returnTo;
    grant.mobile = input->channel == HandoffChannel::Mobile;
    grant.amr = source->amr;
    grant.acr = source->acr;
    grant.authTime = source->authTime;
    grant.until = source->expiresAt;
    grant.handoffId = Id<"hnd">::make(_core.clock.now()).text();
    _flow.service().contextFor(*user, SignInRequest::handedOff(grant, Client::of(request)));
    const auto life = grant.mobile ? _core.settings.lifetimes.mobileHandoff : _core.settings.lifetimes.ssoCode;
    const auto code = _codes.issue(grant, life);
    HandoffCode answer;
    answer.callbackUrl = withQuery(input->redirectUri, {{"sso_code", code}});
    if (grant.mobile) answer.handoffCode = code;
    answer.handoffId = grant.handoffId;
    answer.expiresAt = _core.clock.now() + life;
    answer.expiresIn = life.count();
    return {.record = std::move(answer), .status = 201};
}

SsoRoutes::Presenter SsoRoutes::requirePage(const Request& request, const CatalogService& service, const ExchangeInput& input) const
{
    const auto origin = request.header("Origin");
    if (!service.isOwnOrigin(origin))
        throw Problem::forbidden("csrf_rejected", "A code is exchanged by a page of the service that it is for.");
    Presenter page{{Client::of(request)}};
    page.serviceId = input.serviceId;
    page.mark = sha256(std::string(origin) + ' ' + input.codeVerifier).hex();
    // On plain http a page of an app that calls identity itself has no cookie there: this one is identity's.
    const auto& cookies = _core.cookies;
    page.cookies = cookies.wanted(request) && (!isOwnOrigin(request) || origin == request.origin || cookies.isCrossOrigin(request));
    return page;
}

SsoRoutes::Presenter SsoRoutes::requireApp(const Request& request, const ExchangeInput& input) const
{
    Presenter presenter{{Client::of(request)}};
    presenter.serviceId = input.serviceId;
    presenter.app = NativeApp::find(_core, request, input.clientId, input.serviceId);
    if (!presenter.app) throw codeProblem("sso_code_invalid");
    presenter.mark = sha256(presenter.app->jkt + ' ' + input.codeVerifier).hex();
    return presenter;
}

void SsoRoutes::verify(const SignInGrant& grant, const CatalogService& service, const ExchangeInput& input, const Presenter& presenter)
{
    // A page of the service can also exchange a code for a native app, if the code names a callback of that page.
    const bool fits = presenter.app ? grant.mobile : !grant.mobile || service.isCallback(grant.redirectUri);
    // A presenter of another service learns nothing about this code.
    if (grant.serviceId != input.serviceId || !fits) throw codeProblem("sso_code_invalid");
    if (grant.redirectUri != input.redirectUri) throw codeProblem("redirect_uri_mismatch");
    if (!grant.codeChallenge.empty() && !pkce::matches(grant.codeChallenge, input.codeVerifier)) throw codeProblem("pkce_failed");
}

std::optional<SignIn> SsoRoutes::otherAccount(const Request& request, const ExchangeInput& input, const User& incoming)
{
    const auto family = _core.families.live(_core.cookies.refreshHandle(request));
    if (!family) return std::nullopt;
    auto session = _core.database.session();
    auto held = sign_ins::find(session, family->sessionId);
    if (!held || !held->active(_core.clock.now()) || held->userId == incoming.id) return std::nullopt;
    if (input.confirmAccountSwitch) return held;
    const auto current = users::find(session, held->userId.text());
    throw Problem::conflict("account_switch_confirmation_required",
                            "Another account is signed in to this app: ask the user before switching.")
        .withDetails(AccountSwitch{{current ? current->displayName : std::string()}, {incoming.displayName}});
}

void SsoRoutes::publishExchange(Transaction& transaction, const SignInGrant& grant)
{
    webhooks::PluginEvent event{"handoff.exchanged", grant.handoffId, {}, "user", grant.userId};
    if (grant.organizationId) event.organizationId = grant.organizationId->text();
    event.details = toJson(HandoffDetails{grant.serviceId, grant.mobile ? "mobile" : "web"});
    webhooks::publish(transaction, _core.context.events(), event);
}

std::optional<interfaces::PendingHandoff> SsoRoutes::pending(std::string_view code) const
{
    auto unused = _codes.find(code);
    if (!unused || unused->grant.handoffId.empty()) return std::nullopt;
    auto& grant = unused->grant;
    return interfaces::PendingHandoff{std::move(grant.handoffId), std::move(grant.serviceId), std::move(grant.redirectUri), grant.mobile,
                                      unused->expiresAt};
}

Reply<ExchangeAnswer> SsoRoutes::exchange(const Request& request, const Body<ExchangeInput>& input)
{
    if (!isOwnOrigin(request) && input->serviceId != request.originService)
        throw Problem::badRequest("service_mismatch", "This origin signs in to its own service only.");
    const auto catalog = _core.catalog.snapshot();
    const auto* service = catalog->find(input->serviceId);
    if (!service || !service->active()) throw codeProblem("sso_code_invalid");
    const auto presenter = input->clientId.empty() ? requirePage(request, *service, *input) : requireApp(request, *input);
    std::optional<SignIn> replaced;
    const auto assemble = [&](const SignInGrant& grant, const CodeRedemption::Source& source)
    {
        // An app stores its sign-in itself, and handles the switch of accounts.
        if (!presenter.app) replaced = otherAccount(request, *input, source.user);
        auto wanted = SignInRequest::handedOff(grant, presenter.client);
        wanted.refreshable = presenter.cookies;
        // An app stays signed in after the browser was closed.
        if (presenter.app)
            presenter.app->claim(wanted);
        else if (source.browser)
            wanted.lifetime = OfBrowser(*source.browser);
        if (!grant.handoffId.empty())
            wanted.together = [this, &grant](Transaction& transaction, const SignIn&) { publishExchange(transaction, grant); };
        return wanted;
    };
    try
    {
        auto [grant, signedIn] = _codes.redeem(
            input->ssoCode, presenter, [&](const SignInGrant& found) { verify(found, *service, *input, presenter); }, assemble);
        if (replaced)
            _core.sessionEvents.ended(
                _core.changes.run({replaced->userId}, [&](Transaction& transaction)
                                  { return sign_ins::end(transaction, {*replaced}, end_reason::logout, _core.clock.now()); }));
        auto answer = _flow.answer(request, std::move(signedIn));
        Reply<ExchangeAnswer> reply;
        static_cast<TokenResponse&>(reply.record) = std::move(answer.record);
        reply.record.returnTo = grant.returnTo.empty() ? "/" : grant.returnTo;
        reply.cookies = std::move(answer.cookies);
        return reply;
    }
    catch (const CodeRejected rejected)
    {
        throw codeProblem(rejected);
    }
}

} // namespace portico::identity
