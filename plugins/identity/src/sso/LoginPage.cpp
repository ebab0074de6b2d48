#include "sso/LoginPage.h"

#include "human/ChallengeForm.h"
#include "providers/IdentityProvider.h"
#include "web/Urls.h"

#include "portico/Json.h"
#include "portico/Text.h"

namespace portico::identity
{

namespace
{

constexpr std::string_view loginPurpose = "login";
constexpr std::string_view afterwards = "/settings";

std::string startUrl(const IdentityProvider& provider, const LoginForm& form, bool hint)
{
    auto query = wayOn(form.serviceId, form.returnTo);
    if (hint && !form.identifier.empty()) query.emplace_back("login_hint", form.identifier);
    return withQuery("/sso/providers/" + provider.id.text() + "/start", query);
}

} // namespace

void LoginPage::declare(Routes& routes)
{
    routes
        .get("/login", access::open(), &LoginPage::show, this, {.summary = "Sign-in page", .undocumented = true, .produces = {"text/html"}})
        .post("/login", access::open(), &LoginPage::submit, this,
              {.summary = "Sign in by the page's form",
               .bodyLimit = 16 * 1024,
               .execution = Execution::Heavy,
               .idempotencyKey = false,
               .undocumented = true,
               .consumes = {"application/x-www-form-urlencoded", "application/json"}});
}

Response LoginPage::shown(const Request& request, LoginForm form, int status, const std::string& uiLocales) const
{
    auto token = _tokens.make(request, loginPurpose);
    form.formToken = std::move(token.token);
    auto leads = returnTargets(_core, form.returnTo);
    form.forgotUrl = withQuery("/forgot-password", wayOn(form.serviceId, form.returnTo));
    form.registerUrl = withQuery("/register", wayOn({}, form.returnTo));
    form.passkeyUrl = withQuery("/login/passkey", wayOn(form.serviceId, form.returnTo));
    {
        auto session = _core.database.session();
        for (const auto& provider : identity_providers::ofInstallation(session))
            form.providers.push_back({startUrl(provider, form, false), provider.buttonLabel()});
    }
    std::string hash;
    if (form.human && _core.human.provider() == "pow")
    {
        form.challenge = challengeFor(_core.human, HumanPurpose::Login);
        form.script = challengeSolver;
        hash = scriptHash(challengeSolver);
    }
    return _page.render(
        request, form,
        {.status = status, .formTargets = std::move(leads), .cookies = {std::move(token.cookie)}, .script = hash, .locales = uiLocales});
}

Response LoginPage::show(const Request& request, const Query<LoginPageQuery>& query) const
{
    LoginForm form;
    form.serviceId = query->serviceId.empty() ? std::string(identityServiceId) : query->serviceId;
    form.returnTo = query->returnTo;
    form.identifier = query->loginHint;
    const auto catalog = _core.catalog.snapshot();
    if (const auto wrong = returnFault(_core, *catalog, form.serviceId, form.returnTo)) return problemPage(_problem, request, *wrong);
    return shown(request, std::move(form), 200, query->uiLocales);
}

Response LoginPage::submit(const Request& request, const RawBody& body)
{
    return isJsonType(body.contentType) ? byJson(request, body) : byForm(request, body);
}

Response LoginPage::byJson(const Request& request, const RawBody& body)
{
    auto reply = _sessions.login(request, Body<LoginInput>(fromJson<LoginInput>(body.data)));
    Response response;
    response.json(200, toJson(reply.record));
    for (const auto& cookie : reply.cookies) response.addCookie(cookie);
    return response;
}

Response LoginPage::byForm(const Request& request, const RawBody& body)
{
    const auto fields = formOf(body.contentType, body.data);
    LoginForm form;
    form.serviceId = fieldOf(fields, "service_id");
    form.returnTo = fieldOf(fields, "return_to");
    form.identifier = fieldOf(fields, "identifier");
    form.remember = fieldOf(fields, "remember") == "1";
    const auto catalog = _core.catalog.snapshot();
    if (const auto wrong = returnFault(_core, *catalog, form.serviceId, form.returnTo)) return problemPage(_problem, request, *wrong);
    if (!_tokens.holds(request, loginPurpose, fieldOf(fields, "form_token")))
    {
        form.stale = true;
        return shown(request, std::move(form), 403);
    }
    if (!fieldOf(fields, "mfa_token").empty()) return byFactor(request, fields);
    if (auto home = toHome(request, form)) return *std::move(home);
    if (!fieldOf(fields, "home").empty())
    {
        form.noHome = true;
        return shown(request, std::move(form), 400);
    }
    LoginInput input;
    input.identifier = form.identifier;
    input.password = fieldOf(fields, "password");
    input.serviceId = identityServiceId;
    input.rememberMe = form.remember;
    if (auto proof = fieldOf(fields, "proof"); !proof.empty()) input.humanVerification = HumanProof{"pow", std::move(proof)};
    try
    {
        validate(input);
        return onward(form.returnTo, _sessions.signIn(request, input, SignInDesk::beginOnPage(request)));
    }
    catch (const Problem& problem)
    {
        if (problem.status() >= 500) throw;
        if (problem.code() == "mfa_required") return askFactor(request, form.returnTo, problem);
        form.human = isOfHuman(problem);
        form.tooMany = problem.status() == 429;
        form.mayNot = problem.status() == 403;
        form.invalidCredentials = !form.tooMany && !form.mayNot && !form.human;
        return withRetryAfter(shown(request, std::move(form), problem.status()), problem);
    }
}

Response LoginPage::askFactor(const Request& request, const std::string& returnTo, const Problem& demand) const
{
    FactorForm factor;
    factor.returnTo = returnTo;
    factor.mfaToken = fromStoredJson<MfaDemand>(demand.details()).mfaToken;
    return shownFactor(request, std::move(factor), 200);
}

std::optional<Response> LoginPage::toHome(const Request& request, const LoginForm& form) const
{
    const auto provider = [&]
    {
        auto session = _core.database.session();
        return identity_providers::homeOf(session, form.identifier);
    }();
    if (!provider) return std::nullopt;
    // A page and no redirect: browsers hold where that ends, at the provider, against the form's `form-action`.
    const HomeRealmText text{startUrl(*provider, form, true), provider->name};
    auto page = _homePage.render(request, text);
    page.addHeader("Refresh", "0; url=" + text.url);
    return page;
}

Response LoginPage::onward(std::string_view returnTo, Reply<TokenResponse> signedIn)
{
    return redirectTo(std::string(returnTo.empty() ? afterwards : returnTo), std::move(signedIn.cookies));
}

Response LoginPage::shownFactor(const Request& request, FactorForm form, int status) const
{
    auto token = _tokens.make(request, loginPurpose);
    form.formToken = std::move(token.token);
    auto leads = returnTargets(_core, form.returnTo);
    return _factorPage.render(
        request, form,
        {.status = status, .formTargets = std::move(leads), .cookies = {std::move(token.cookie)}, .script = {}, .locales = {}});
}

Response LoginPage::byFactor(const Request& request, const UrlParameters& fields)
{
    FactorForm form;
    form.returnTo = fieldOf(fields, "return_to");
    form.mfaToken = fieldOf(fields, "mfa_token");
    form.recovery = fieldOf(fields, "recovery") == "1";
    MfaInput input;
    input.mfaToken = form.mfaToken;
    input.factor = form.recovery ? FactorKind::RecoveryCode : FactorKind::Totp;
    input.code = fieldOf(fields, "code");
    try
    {
        validate(input);
        return onward(form.returnTo, _factors.verifyOnPage(request, input));
    }
    catch (const Problem& problem)
    {
        if (problem.status() >= 500) throw;
        if (problem.status() == 410 || problem.status() == 403)
        {
            LoginForm again;
            again.serviceId = identityServiceId;
            again.returnTo = form.returnTo;
            (problem.status() == 410 ? again.stale : again.mayNot) = true;
            return shown(request, std::move(again), problem.status());
        }
        form.tooMany = problem.status() == 429;
        form.invalidCode = !form.tooMany;
        return withRetryAfter(shownFactor(request, std::move(form), problem.status()), problem);
    }
}

} // namespace portico::identity
