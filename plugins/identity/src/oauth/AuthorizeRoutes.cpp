#include "oauth/AuthorizeRoutes.h"

#include "catalog/CatalogStore.h"
#include "clients/PairwiseSubjects.h"
#include "common/OneTimeSecrets.h"
#include "factors/Factors.h"
#include "oauth/Consents.h"
#include "oauth/ParRoutes.h"
#include "oauth/PersonClaims.h"
#include "web/Urls.h"

#include "portico/Crypto.h"
#include "portico/Form.h"
#include "portico/Json.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

constexpr auto consentLife = std::chrono::minutes(10);
/// The one script of `pages/form-post.html`; with its spaces.
constexpr std::string_view formPostScript = "document.forms[0].submit()";

struct Ticket
{
    std::string query;
    std::string browserSessionId;
};

constexpr auto schemaOf(const Ticket*) { return describe(members<&Ticket::query, &Ticket::browserSessionId>()); }

OneTimeSecrets<Ticket> tickets(StateStore& state) { return {state, "oauth-consent"}; }

/// Evaluates `acr_values` by the first known value, and `claims` by all values.
bool wantsSecondFactor(std::string_view preferred, const std::vector<std::string>& demanded)
{
    const auto has = [&](std::string_view acr) { return std::ranges::find(demanded, acr) != demanded.end(); };
    if (!demanded.empty()) return has("aal2") && !has("aal1");
    const auto words = scopeWords(preferred);
    const auto first = std::ranges::find_if(words, [](const std::string& word) { return word == "aal1" || word == "aal2"; });
    return first != words.end() && *first == "aal2";
}

/// The consent page for a request.
ConsentView consentView(const OAuthClient& client, std::string_view scope, const SignedInBrowser& browser)
{
    ConsentView view;
    view.clientName = client.name;
    view.logoUri = client.logoUri;
    view.policyUri = client.policyUri;
    view.tosUri = client.tosUri;
    view.email = browser.user.email;
    showScope(view, scope);
    return view;
}

struct HintClaims
{
    std::string sub;
};
constexpr auto schemaOf(const HintClaims*) { return describe(field<&HintClaims::sub>()); }

} // namespace

AuthorizeRoutes::AuthorizeRoutes(Core& core, const Pages& pages, SignInFlow& flow)
    : _core(core),
      _flow(flow),
      _gate(core, pages),
      _codes(core, flow, CodeRedemption::oauth),
      _problem(pages.bind<ProblemText>("problem")),
      _consent(pages.bind("consent", &ConsentView::form)),
      _formPost(pages.bind<FormPost>("form-post"))
{
}

void AuthorizeRoutes::declare(Routes& routes)
{
    const RouteOptions page{.summary = "Sign a user in for a client (RFC 6749, 4.1.1)", .idempotencyKey = false, .undocumented = true};
    routes.get("/oauth/authorize", access::open(), &AuthorizeRoutes::authorize, this, page)
        .post("/oauth/authorize", access::open(), &AuthorizeRoutes::authorizeByForm, this, page)
        .post("/oauth/consent", access::open(), &AuthorizeRoutes::consent, this, page);
}

std::optional<AuthorizeRoutes::Asked> AuthorizeRoutes::read(const UrlParameters& sent, ProblemText& fault) const
{
    Asked asked;
    asked.parameters = sent;
    asked.repeated = dropRepetitions(asked.parameters);
    // Without these, client and redirect address are unknown.
    if (asked.repeated == "client_id" || asked.repeated == "redirect_uri" || asked.repeated == "request_uri")
    {
        fault.malformed = true;
        return std::nullopt;
    }
    asked.requestUri = asked.value("request_uri");
    auto client = _core.read([&](Session& session) { return oauth_clients::find(session, asked.value("client_id")); });
    if (!client)
    {
        fault.unknownClient = true;
        return std::nullopt;
    }
    asked.client = *std::move(client);
    if (isPushedRequest(asked.requestUri))
    {
        const auto pushed = pushedRequest(_core.state, asked.requestUri, asked.client.clientId);
        if (!pushed)
        {
            fault.expired = true;
            return std::nullopt;
        }
        // Uses the pushed parameters only (RFC 9126, 4), and the internal marks of identity's pages.
        asked.parameters = *pushed;
        for (const auto& entry : sent)
            if (entry.first.starts_with('_')) asked.parameters.push_back(entry);
    }
    asked.redirectUri = asked.value("redirect_uri");
    if (!asked.client.isRedirect(asked.redirectUri))
    {
        fault.wrongRedirect = true;
        return std::nullopt;
    }
    auto scope = asked.value("scope");
    if (const auto claims = asked.value("claims"); !claims.empty()) asked.claims = ClaimsRequest::parse(claims).value_or(ClaimsRequest());
    for (const auto& word : asked.claims.scopes) scope += ' ' + word;
    asked.scope = allowedScope(asked.client, scope);
    return asked;
}

bool AuthorizeRoutes::isKnownAs(const OAuthClient& client, const UserId& userId, std::string_view subject) const
{
    return _core.read([&](Session& session) { return pairwise_subjects::find(session, client, userId) == subject; });
}

BrowserGate::Outcome AuthorizeRoutes::pass(const Request& request, const Asked& asked, const UrlParameters& sent) const
{
    SignInPrompt desired;
    desired.prompt = asked.value("prompt");
    if (const auto age = asked.value("max_age"); !age.empty()) desired.maxAge = std::chrono::seconds(std::stol(age));
    desired.loginHint = asked.value("login_hint");
    desired.serviceId = asked.client.serviceId.value_or(std::string(identityServiceId));
    desired.path = "/oauth/authorize";
    desired.parameters = sent;
    desired.uiLocales = asked.value("ui_locales");
    auto outcome = _gate.pass(request, desired);
    const auto* browser = std::get_if<SignedInBrowser>(&outcome);
    auto subject = asked.claims.subject;
    if (const auto hint = asked.value("id_token_hint"); !hint.empty())
    {
        const auto token = openJws(*_core.keys.identityKeys(), hint, "JWT");
        if (!token) return "invalid_request";
        subject = fromStoredJson<HintClaims>(token->payload).sub;
    }
    if (!browser) return outcome;
    const bool silent = asks(desired.prompt, "none");
    if (!subject || isKnownAs(asked.client, browser->user.id, *subject))
    {
        if (silent || !hasMoreToProve(asked, *browser)) return outcome;
        // Tries it once: a user who returns without the factor continues without it.
        desired.prompt = "login";
        return _gate.pass(request, desired);
    }
    // The hint names another user: they may sign in unless prompt is none.
    if (silent) return "login_required";
    desired.prompt = "login";
    outcome = _gate.pass(request, desired);
    return std::holds_alternative<SignedInBrowser>(outcome) ? BrowserGate::Outcome("access_denied") : std::move(outcome);
}

bool AuthorizeRoutes::hasMoreToProve(const Asked& asked, const SignedInBrowser& browser) const
{
    if (browser.session.acr != "aal1" || !wantsSecondFactor(asked.value("acr_values"), asked.claims.essentialAcr)) return false;
    return factors::any(_core.read([&](Session& session) { return factors::summary(session, browser.user.id); }));
}

bool AuthorizeRoutes::needsConsent(const Asked& asked, const SignedInBrowser& browser) const
{
    if (asks(asked.value("prompt"), "consent")) return true;
    if (asked.client.consent == ConsentMode::Implicit) return false;
    return !_core.read([&](Session& session) { return consents::covers(session, browser.user.id, asked.client, asked.scope); });
}

Response AuthorizeRoutes::authorize(const Request& request, const RawQuery& query)
{
    ProblemText text;
    const auto asked = read(query.values, text);
    if (!asked) return problemPage(_problem, request, text);
    if (!asked->requestUri.empty() && !isPushedRequest(asked->requestUri))
        return refuse(request, *asked, {"request_uri_not_supported", "request_uri is not supported but for a pushed request."});
    if (!asked->repeated.empty()) return refuse(request, *asked, RequestFault::invalid(asked->repeated + " is sent more than once."));
    if (asked->client.requirePar && asked->requestUri.empty())
        return refuse(request, *asked, RequestFault::invalid("request_uri is missing: the client has to push its requests."));
    if (const auto fault = requestFault(_core, asked->client, asked->parameters); !fault.error.empty())
        return refuse(request, *asked, fault);
    auto outcome = pass(request, *asked, query.values);
    if (auto* const page = std::get_if<Response>(&outcome)) return std::move(*page);
    if (const auto* error = std::get_if<std::string>(&outcome)) return refuse(request, *asked, RequestFault::of(*error));
    const auto& browser = std::get<SignedInBrowser>(outcome);
    const auto& essential = asked->claims.essentialAcr;
    if (!essential.empty() && std::ranges::find(essential, browser.session.acr) == essential.end())
        return refuse(request, *asked, RequestFault::of("unmet_authentication_requirements"));
    if (!needsConsent(*asked, browser)) return grant(request, *asked, browser);
    if (asks(asked->value("prompt"), "none")) return refuse(request, *asked, RequestFault::of("consent_required"));
    return askConsent(request, *asked, query.values, browser);
}

Response AuthorizeRoutes::authorizeByForm(const Request&, const RawBody& body)
{
    return redirectTo(withQuery("/oauth/authorize", formValues(body)));
}

Response AuthorizeRoutes::askConsent(const Request& request, const Asked& asked, const UrlParameters& sent,
                                     const SignedInBrowser& browser) const
{
    auto view = consentView(asked.client, asked.scope, browser);
    view.form.show({tickets(_core.state).issue({toQuery(sent), browser.session.id}, consentLife), {}});
    return _consent.show(request, std::move(view), consentOptions(asked));
}

PageOptions AuthorizeRoutes::consentOptions(const Asked& asked)
{
    return {.locale = asked.value("ui_locales"), .policy = policyWith({}, {originOf(asked.redirectUri)})};
}

Response AuthorizeRoutes::consent(const Request& request, const Form<ConsentInput>& form)
{
    const auto browser = _gate.current(request);
    const auto ticket = browser ? tickets(_core.state).look(form.sent().ticket) : std::nullopt;
    // Only the session of the browser that was asked may answer.
    if (!ticket || ticket->browserSessionId != browser->session.id) return problemPage(_problem, request, {.expired = true});
    ProblemText fault;
    const auto asked = read(parseForm(ticket->query), fault);
    if (!asked) return problemPage(_problem, request, fault);
    return _consent.submit(
        request, form, consentView(asked->client, asked->scope, *browser),
        [&](const ConsentInput& input)
        {
            // A consent page can be answered once.
            if (!tickets(_core.state).redeem(input.ticket)) return problemPage(_problem, request, {.expired = true});
            if (input.decision == ConsentAnswer::Deny) return refuse(request, *asked, RequestFault::of("access_denied"));
            const auto now = _core.clock.now();
            _core.database.transact(
                [&](Transaction& transaction)
                { consents::grant(transaction, browser->user.id, asked->client, asked->scope, Client::of(request), now); });
            return grant(request, *asked, *browser);
        },
        consentOptions(*asked));
}

Response AuthorizeRoutes::grant(const Request& request, const Asked& asked, const SignedInBrowser& browser)
{
    SignInGrant code;
    code.clientId = asked.client.clientId;
    code.redirectUri = asked.redirectUri;
    code.scope = asked.scope;
    code.nonce = asked.value("nonce");
    code.codeChallenge = asked.value("code_challenge");
    code.dpopJkt = asked.value("dpop_jkt");
    code.userId = browser.user.id.text();
    code.browserSessionId = browser.session.id;
    code.address = request.clientAddress;
    try
    {
        auto wanted = SignInRequest::forClient(asked.client, browser.session, Client::of(request));
        if (const auto organization = asked.value("organization_id"); !organization.empty())
        {
            wanted.organizationId = OrganizationId::parse(organization);
            if (!wanted.organizationId) return refuse(request, asked, {"access_denied", "organization_id is no id of an organization."});
        }
        code.organizationId = _flow.service().contextFor(browser.user, wanted);
    }
    catch (const Problem& problem)
    {
        if (problem.status() != 403) throw;
        if (problem.code() == "org_policy_session_too_old") return signInAgain(request, asked);
        return refuse(request, asked,
                      RequestFault::of(problem.code() == "org_policy_mfa_required" ? "interaction_required" : "access_denied"));
    }
    // A pushed request can be used once.
    if (!asked.requestUri.empty() && !takePushedRequest(_core.state, asked.requestUri))
        return problemPage(_problem, request, {.expired = true});
    return answer(request, asked, {{"code", _codes.issue(code, _core.settings.lifetimes.authorizationCode)}});
}

Response AuthorizeRoutes::signInAgain(const Request& request, const Asked& asked) const
{
    if (asks(asked.value("prompt"), "none")) return refuse(request, asked, RequestFault::of("login_required"));
    SignInPrompt desired;
    desired.serviceId = asked.client.serviceId.value_or(std::string(identityServiceId));
    desired.path = "/oauth/authorize";
    desired.parameters = asked.parameters;
    if (!asked.requestUri.empty()) desired.parameters = {{"client_id", asked.client.clientId}, {"request_uri", asked.requestUri}};
    return _gate.toLogin(desired);
}

Response AuthorizeRoutes::refuse(const Request& request, const Asked& asked, const RequestFault& fault) const
{
    UrlParameters parameters{{"error", fault.error}};
    if (!fault.description.empty()) parameters.emplace_back("error_description", fault.description);
    return answer(request, asked, std::move(parameters));
}

Response AuthorizeRoutes::answer(const Request& request, const Asked& asked, UrlParameters parameters) const
{
    if (const auto state = asked.value("state"); !state.empty()) parameters.emplace_back("state", state);
    parameters.emplace_back("iss", _core.origin);
    if (asked.value("response_mode") != "form_post") return redirectTo(withQuery(asked.redirectUri, parameters));
    FormPost post{asked.redirectUri, {}};
    for (auto& [key, value] : parameters) post.fields.push_back({std::move(key), std::move(value)});
    return _formPost.render(request, post, {.policy = policyWith(formPostScript, {originOf(asked.redirectUri)})});
}

} // namespace portico::identity
