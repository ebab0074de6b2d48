#include "providers/ProviderSignInRoutes.h"

#include "audit/Audit.h"
#include "catalog/CatalogStore.h"
#include "common/Networks.h"
#include "oauth/OAuthError.h"
#include "sessions/SessionEvents.h"
#include "web/Urls.h"

#include "portico/Crypto.h"
#include "portico/Json.h"

namespace portico::identity
{

namespace
{

constexpr auto wayLife = std::chrono::minutes(10);
/// Longer than a logout token is good.
constexpr auto logoutTokenLife = std::chrono::minutes(15);
constexpr std::string_view bindingPurpose = "provider-sign-in";
constexpr std::string_view afterLinking = "/settings";

/// Returns true for browsers, which get a page; other clients get the problem.
bool wantsPage(const Request& request) { return request.header("Accept").find("text/html") != std::string_view::npos; }

} // namespace

ProviderSignInRoutes::ProviderSignInRoutes(Core& core, const Pages& pages, SignInFlow& flow, Connectors& connectors, LoginPage& loginPage)
    : _core(core),
      _flow(flow),
      _connectors(connectors),
      _loginPage(loginPage),
      _accounts(core),
      _pending(core),
      _started(core.state, "provider-sign-in"),
      _links(core.state, "provider-link"),
      _gate(core, pages),
      _tokens(formTokens(core)),
      _logouts(core.state, core.clock, {.use = "provider-logout", .limit = 30}),
      _starts(core.state, core.clock, {.use = "provider-starts", .limit = 60}),
      _wrongWay(pages.bind<ProblemText>("problem")),
      _problem(pages.bind<ProviderProblemText>("provider-problem"))
{
}

void ProviderSignInRoutes::declare(Routes& routes)
{
    // Others are waited for here.
    const auto page = [](std::string_view summary, std::vector<std::string_view> problems)
    { return RouteOptions{.summary = summary, .execution = Execution::Long, .problems = std::move(problems), .produces = {"text/html"}}; };
    routes
        .get("/sso/providers/{id}/start", access::open(), &ProviderSignInRoutes::start, this,
             page("Start a sign-in with an identity provider", {"404 not_found", "503 provider_unreachable"}))
        .get("/sso/providers/{id}/callback", access::open(), &ProviderSignInRoutes::callback, this,
             page("Complete a sign-in with an identity provider", {"400 validation_failed", "403 account_not_linked", "409 email_in_use"}))
        .post("/sso/providers/{id}/backchannel-logout", access::open(), &ProviderSignInRoutes::backchannelLogout, this,
              {.summary = "End sign-ins of a provider's session (Back-Channel Logout)",
               .bodyLimit = 32 * 1024,
               .execution = Execution::Long,
               .idempotencyKey = false,
               .consumes = {"application/x-www-form-urlencoded"},
               .produces = {"application/json"}});
}

std::optional<IdentityProvider> ProviderSignInRoutes::usable(const IdentityProviderId& id) const
{
    auto session = _core.database.session();
    auto provider = identity_providers::find(session, id);
    if (!provider || !provider->usable()) return std::nullopt;
    if (!provider->organizationId) return provider;
    const auto organization = organizations::find(session, *provider->organizationId);
    return organization && organization->status == OrganizationStatus::Active ? provider : std::nullopt;
}

std::string ProviderSignInRoutes::callbackUrl(const IdentityProvider& provider) const
{
    return _core.origin + "/sso/providers/" + provider.id.text() + "/callback";
}

Response ProviderSignInRoutes::problem(const Request& request, int status, ProviderProblemText text, const std::string& returnTo) const
{
    text.backUrl = returnTo.empty() ? std::string("/login") : withQuery("/login", {{"return_to", returnTo}});
    return _problem.render(request, text, {.status = status});
}

Response ProviderSignInRoutes::failed(const Request& request, const IdentityProvider& provider, const UpstreamFailure& failure,
                                      const std::string& returnTo)
{
    identity_providers::noteUse(_core, provider, failure.what());
    switch (failure.kind)
    {
    case UpstreamFailure::Kind::Unreachable:
    case UpstreamFailure::Kind::AddressRefused:
        return problem(request, 503, {.unreachable = true}, returnTo);
    case UpstreamFailure::Kind::Refused:
        return problem(request, 403, {.refused = true}, returnTo);
    case UpstreamFailure::Kind::OtherIssuer:
    case UpstreamFailure::Kind::NotBelieved:
        break;
    }
    return problem(request, 400, {.notBelieved = true}, returnTo);
}

Response ProviderSignInRoutes::start(const Request& request, const Path<IdentityProviderId>& id, const Query<ProviderStartQuery>& query)
{
    _starts.require(networkPrefix(request.clientAddress));
    const auto provider = usable(*id);
    if (!provider)
    {
        if (!wantsPage(request)) throw Problem::notFound("There is no such provider.");
        return problem(request, 404, {.unknownProvider = true});
    }
    try
    {
        if (!query->link.empty()) return startLink(request, *provider, query->link);
        const auto serviceId = query->serviceId.empty() ? std::string(identityServiceId) : query->serviceId;
        if (const auto wrong = returnFault(_core, *_core.catalog.snapshot(), serviceId, query->returnTo))
            return problemPage(_wrongWay, request, *wrong);
        StartedSignIn started;
        started.returnTo = query->returnTo;
        return leave(request, *provider, std::move(started), query->loginHint);
    }
    catch (const UpstreamFailure& failure)
    {
        auto shown = failed(request, *provider, failure, query->returnTo);
        if (wantsPage(request)) return shown;
        throw Problem(503, "provider_unreachable", "The provider cannot be used now.");
    }
}

Response ProviderSignInRoutes::leave(const Request& request, const IdentityProvider& provider, StartedSignIn started,
                                     const std::string& loginHint)
{
    auto made = _tokens.make(request, bindingPurpose);
    started.providerId = provider.id.text();
    started.binding = std::move(made.token);
    started.nonce = randomToken();
    started.verifier = randomToken();
    const auto state = _started.issue(started, wayLife);
    const auto challenge = toBase64Url(sha256(started.verifier).bytes());
    auto url = _connectors.of(provider).authorizationUrl(provider, {callbackUrl(provider), state, started.nonce, challenge, loginHint});
    return redirectTo(url, {std::move(made.cookie)});
}

std::string ProviderSignInRoutes::linkUrl(const UserId& user, const IdentityProvider& provider, const std::string& returnTo)
{
    const auto ticket = _links.issue({user, provider.id.text(), returnTo}, wayLife);
    return _core.origin + "/sso/providers/" + provider.id.text() + "/start?link=" + ticket;
}

Response ProviderSignInRoutes::startLink(const Request& request, const IdentityProvider& provider, const std::string& ticket)
{
    const auto wanted = _links.look(ticket).value_or(LinkTicket());
    if (wanted.providerId != provider.id.text()) return problem(request, 400, {.expired = true});
    // The browser must be signed in as the user who started the linking. A forwarded link must not connect another user's account.
    const auto browser = _gate.current(request);
    if (!browser)
    {
        const auto self = "/sso/providers/" + provider.id.text() + "/start?link=" + ticket;
        return redirectTo(withQuery("/login", {{"return_to", self}}));
    }
    if (browser->user.id != wanted.userId) return problem(request, 403, {.otherAccount = true});
    if (!_links.redeem(ticket)) return problem(request, 400, {.expired = true});
    StartedSignIn started;
    started.linkTo = wanted.userId.text();
    started.returnTo = wanted.returnTo;
    return leave(request, provider, std::move(started), {});
}

std::optional<StartedSignIn> ProviderSignInRoutes::take(const Request& request, const IdentityProvider& provider, const std::string& state)
{
    const auto started = _started.look(state);
    if (!started || started->providerId != provider.id.text() || !_tokens.matches(request, bindingPurpose, started->binding))
        return std::nullopt;
    return _started.redeem(state);
}

Response ProviderSignInRoutes::callback(const Request& request, const Path<IdentityProviderId>& id, const RawQuery& query)
{
    const auto provider = usable(*id);
    if (!provider) return problem(request, 404, {.unknownProvider = true});
    const auto started = take(request, *provider, fieldOf(query.values, "state"));
    if (!started) return problem(request, 400, {.expired = true});
    try
    {
        const auto code = fieldOf(query.values, "code");
        if (code.empty()) throw UpstreamFailure(UpstreamFailure::Kind::Refused, "The provider returned no code.");
        const auto person =
            _connectors.of(*provider).redeem(*provider, {code, fieldOf(query.values, "iss"), callbackUrl(*provider), started->verifier,
                                                         started->nonce, identity_providers::openedSecret(_core, *provider)});
        return started->linkTo.empty() ? signIn(request, *provider, *started, person) : finishLink(request, *provider, *started, person);
    }
    catch (const UpstreamFailure& failure)
    {
        return failed(request, *provider, failure, started->returnTo);
    }
    catch (const Problem& refusal)
    {
        if (refusal.status() >= 500) throw;
        ProviderProblemText text;
        text.notLinked = refusal.code() == "account_not_linked";
        text.emailInUse = refusal.code() == "email_in_use";
        text.linkedElsewhere = refusal.code() == "account_linked_elsewhere";
        text.otherAccount = refusal.code() == "other_account";
        text.mayNot = !text.notLinked && !text.emailInUse && !text.linkedElsewhere && !text.otherAccount;
        return problem(request, refusal.status(), text, started->returnTo);
    }
}

SignInRequest ProviderSignInRoutes::inContext(const User& user, SignInRequest wanted, const IdentityProvider& provider)
{
    for (const auto& organization : {provider.organizationId, std::optional<OrganizationId>()}) try
        {
            wanted.organizationId = organization;
            wanted.in(_flow.service().contextFor(user, wanted));
            return wanted;
        }
        catch (const Problem& refusal)
        {
            if (refusal.status() != 403) throw;
        }
    // The apps ask again, each in its own context.
    wanted.in(std::nullopt);
    return wanted;
}

Response ProviderSignInRoutes::signIn(const Request& request, const IdentityProvider& provider, const StartedSignIn& started,
                                      const UpstreamPerson& person)
{
    const auto user = _accounts.open(provider, person, Client::of(request), _core.templates.localeFor(request.header("Accept-Language")));
    SignInFlow::requireActive(user, "account_not_linked");
    auto wanted = _flow.onPage(request);
    wanted.provider = ProviderSession{provider.id.text(), person.subject, person.sid};
    wanted.amr = {provider.loginMethod()};
    const bool second = provider.meansSecondFactor(person.acr);
    if (second) wanted.amr.push_back(provider.organizationId ? "mfa-" + provider.loginMethod() : std::string(amr::several));
    // An organization's provider speaks for that organization: people's own second factors are not its to let off.
    if (second && !provider.organizationId) wanted.acr = "aal2";
    wanted = inContext(user, std::move(wanted), provider);
    const auto own = _core.read([&](Session& session) { return factors::choices(factors::summary(session, user.id)); });
    identity_providers::noteUse(_core, provider, {});
    if (wanted.acr == "aal1" && !own.empty()) return _loginPage.askFactor(request, started.returnTo, _pending.demand(user, wanted, own));
    wanted.together = [&](Transaction& transaction, const SignIn& signIn)
    {
        if (const auto link = linked_accounts::find(transaction, provider.issuer, person.subject))
            linked_accounts::touch(transaction, *link, signIn.createdAt);
    };
    return LoginPage::onward(started.returnTo, _flow.complete(request, user, wanted));
}

Response ProviderSignInRoutes::finishLink(const Request& request, const IdentityProvider& provider, const StartedSignIn& started,
                                          const UpstreamPerson& person)
{
    const auto browser = _gate.current(request);
    if (!browser || browser->user.id.text() != started.linkTo) throw Problem::forbidden("other_account");
    _accounts.link(browser->user.id, browser->session.id, provider, person, Client::of(request));
    identity_providers::noteUse(_core, provider, {});
    return redirectTo(started.returnTo.empty() ? std::string(afterLinking) : started.returnTo);
}

Response ProviderSignInRoutes::backchannelLogout(const Request& request, const Path<IdentityProviderId>& id, const RawBody& body)
{
    return answerOAuth(
        [&]
        {
            _logouts.require(networkPrefix(request.clientAddress));
            const auto token = fieldOf(formValues(body), "logout_token");
            const auto provider = usable(*id);
            if (!provider || token.empty()) throw OAuthError::invalidRequest("There is no such provider, or no logout_token.");
            UpstreamLogout over;
            try
            {
                over = _connectors.of(*provider).readLogout(*provider, token);
            }
            catch (const UpstreamFailure& failure)
            {
                throw OAuthError::invalidRequest(failure.what());
            }
            // A logout token can be used once: it must not end a later sign-in of the same user.
            if (!useOnce(_core.state, "provider-logout-token", provider->id.text() + ' ' + over.tokenId, logoutTokenLife))
                throw OAuthError::invalidRequest("This logout_token was used before.");
            // Sign-ins with offline access continue (OpenID Connect Back-Channel Logout, 2.7).
            const SignInsFrom from{.provider = provider->id, .session = over.session, .offline = false};
            const auto holders = _core.read([&](Session& session) { return linked_accounts::holders(session, from); });
            const std::vector<Tenant> concerned(holders.begin(), holders.end());
            if (!concerned.empty())
                _core.sessionEvents.ended(_core.changes.run(concerned,
                                                            [&](Transaction& transaction)
                                                            {
                                                                const auto now = _core.clock.now();
                                                                auto ended =
                                                                    linked_accounts::endSignIns(transaction, from, end_reason::logout, now);
                                                                AuditLog::anonymous(Client::of(request), now)
                                                                    .in(provider->organizationId)
                                                                    .record(transaction, "session.ended_by_provider", provider->id);
                                                                return ended;
                                                            }));
            Response done;
            done.status = 200;
            done.cacheControl = "no-store";
            return done;
        });
}

} // namespace portico::identity
