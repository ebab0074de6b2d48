#include "login/LoginPage.h"

#include "catalog/CatalogStore.h"
#include "human/ChallengeForm.h"
#include "upstream/IdentityProvider.h"
#include "web/Fields.h"
#include "web/Urls.h"

#include "portico/Json.h"
#include "portico/Text.h"

namespace portico::identity
{

namespace
{

constexpr std::string_view afterwards = "/settings";
/// The script of `pages/factor-setup.html`, byte for byte. A second click would replace the page with the recovery codes, shown once.
constexpr std::string_view submitOnceScript =
    R"(document.forms[0].addEventListener("submit", function (event) { if (this.sent) event.preventDefault(); this.sent = true }))";

std::string startUrl(const IdentityProvider& provider, const LoginForm& form, bool hint)
{
    auto query = returnParameters(form.serviceId, form.returnTo);
    if (hint && !form.identifier.empty()) query.emplace_back("login_hint", form.identifier);
    return withQuery("/sso/providers/" + provider.id.text() + "/start", query);
}

} // namespace

void LoginPage::declare(Routes& routes)
{
    routes
        .get("/login", access::open(), &LoginPage::show, this, {.summary = "Sign-in page", .undocumented = true, .produces = {"text/html"}})
        .post("/login", access::open(), &LoginPage::submit, this,
              {.summary = "Submit the form of the sign-in page",
               .bodyLimit = 16 * 1024,
               .execution = Execution::Heavy,
               .idempotencyKey = false,
               .undocumented = true,
               .consumes = {"application/x-www-form-urlencoded", "application/json"}});
}

Response LoginPage::shown(const Request& request, const LoginForm& form, const Problem* problem, const std::string& uiLocales) const
{
    LoginView view;
    view.form.show(form);
    view.forgotUrl = withQuery("/forgot-password", returnParameters(form.serviceId, form.returnTo));
    view.registerUrl = withQuery("/register", returnParameters({}, form.returnTo));
    view.passkeyUrl = withQuery("/login/passkey", returnParameters(form.serviceId, form.returnTo));
    for (const auto& provider : _core.read(identity_providers::ofInstallation))
        view.providers.push_back({startUrl(provider, form, false), provider.buttonLabel()});
    view.human = problem && isOfHuman(*problem);
    if (view.human && _core.human.provider() == "pow")
    {
        view.challenge = challengeFor(_core.human, HumanPurpose::Login);
        view.script = challengeSolver;
    }
    PageOptions options{.locale = uiLocales, .policy = policyWith(view.script, returnTargets(_core, form.returnTo))};
    return problem ? _page.refuse(request, std::move(view), shownProblem(*problem), std::move(options))
                   : _page.show(request, std::move(view), std::move(options));
}

Response LoginPage::show(const Request& request, const Query<LoginPageQuery>& query) const
{
    LoginForm form;
    form.serviceId = query->serviceId.empty() ? std::string(identityServiceId) : query->serviceId;
    form.returnTo = query->returnTo;
    form.identifier = query->loginHint;
    const auto catalog = _core.catalog.snapshot();
    if (const auto wrong = returnFault(_core, *catalog, form.serviceId, form.returnTo)) return problemPage(_problem, request, *wrong);
    return shown(request, form, nullptr, query->uiLocales);
}

Response LoginPage::submit(const Request& request, const RawBody& body)
{
    if (isJsonType(body.contentType)) return byJson(request, body);
    const auto fields = formValues(body);
    if (!formValue(fields, "enroll_token").empty()) return bySetup(request, Form<SetupForm>::of(body));
    const bool isFactor = !formValue(fields, "mfa_token").empty();
    return isFactor ? byFactor(request, Form<FactorForm>::of(body)) : byForm(request, Form<LoginForm>::of(body));
}

Response LoginPage::byJson(const Request& request, const RawBody& body)
{
    auto reply = _sessions.login(request, Body<LoginInput>(fromJson<LoginInput>(body.data)));
    Response response;
    response.json(200, toJson(reply.record));
    for (const auto& cookie : reply.cookies) response.addCookie(cookie);
    return response;
}

Response LoginPage::byForm(const Request& request, const Form<LoginForm>& form)
{
    const auto& sent = form.sent();
    const auto catalog = _core.catalog.snapshot();
    if (const auto wrong = returnFault(_core, *catalog, sent.serviceId, sent.returnTo)) return problemPage(_problem, request, *wrong);
    try
    {
        _page.requireOwn(request, form.token());
        if (auto home = toHome(request, *form)) return *std::move(home);
        if (form->home) throw Problem::badRequest("no_home");
        LoginInput input;
        input.identifier = form->identifier;
        input.password = form->password;
        input.serviceId = identityServiceId;
        input.rememberMe = form->remember;
        if (!form->proof.empty()) input.humanVerification = HumanProof{"pow", form->proof};
        validate(input);
        return onward(form->returnTo, _sessions.loginOnPage(request, input, _enrollment));
    }
    catch (const Problem& problem)
    {
        if (problem.code() == "mfa_required") return askFactor(request, sent.returnTo, problem);
        if (problem.code() == "org_policy_mfa_required")
        {
            const auto token = fromStoredJson<EnrollmentDemand>(problem.details()).token;
            return setup(request, {std::string(identityServiceId), sent.returnTo, token, {}}, nullptr);
        }
        return shown(request, sent, &problem);
    }
}

Response LoginPage::askFactor(const Request& request, const std::string& returnTo, const Problem& demand) const
{
    FactorForm factor;
    factor.serviceId = identityServiceId;
    factor.returnTo = returnTo;
    factor.mfaToken = fromStoredJson<MfaDemand>(demand.details()).mfaToken;
    return _factorPage.show(request, {PageForm<FactorForm>(factor)}, {.policy = policyWith({}, returnTargets(_core, returnTo))});
}

std::optional<Response> LoginPage::toHome(const Request& request, const LoginForm& form) const
{
    const auto provider = _core.read([&](Session& session) { return identity_providers::homeOf(session, form.identifier); });
    if (!provider) return std::nullopt;
    // A page and no redirect: browsers hold where that ends, at the provider, against the form's `form-action`.
    const HomeRealmText text{startUrl(*provider, form, true), provider->name};
    auto page = _homePage.render(request, text);
    page.addHeader("Refresh", "0; url=" + text.url);
    return page;
}

Response LoginPage::onward(std::string_view returnTo, Reply<TokenResponse> signedIn)
{
    return redirectTo(returnTo.empty() ? afterwards : returnTo, std::move(signedIn.cookies));
}

Response LoginPage::byFactor(const Request& request, const Form<FactorForm>& form)
{
    const auto& sent = form.sent();
    const auto catalog = _core.catalog.snapshot();
    if (const auto wrong = returnFault(_core, *catalog, sent.serviceId, sent.returnTo)) return problemPage(_problem, request, *wrong);
    LoginForm again;
    again.serviceId = identityServiceId;
    again.returnTo = sent.returnTo;
    try
    {
        _factorPage.requireOwn(request, form.token());
        MfaInput input;
        input.mfaToken = form->mfaToken;
        input.factor = form->recovery ? FactorKind::RecoveryCode : FactorKind::Totp;
        input.code = form->code;
        validate(input);
        return onward(form->returnTo, _factors.verifyOnPage(request, input));
    }
    catch (const Problem& problem)
    {
        // Its token is spent or too old: from the beginning.
        if (problem.status() == 410 || problem.status() == 403) return shown(request, again, &problem);
        FactorView view;
        view.form.show(form);
        return _factorPage.refuse(request, std::move(view), problem, {.policy = policyWith({}, returnTargets(_core, sent.returnTo))});
    }
}

Response LoginPage::setup(const Request& request, const SetupForm& form, const Problem* problem) const
{
    auto app = _enrollment.offered(form.enrollToken);
    if (!app)
    {
        LoginForm again;
        again.serviceId = identityServiceId;
        again.returnTo = form.returnTo;
        const auto expired = PendingSignIns::expired();
        return shown(request, again, problem ? problem : &expired);
    }
    SetupView view{PageForm<SetupForm>(form), std::move(app->secret), std::move(app->otpauthUri), std::move(app->qrSvg)};
    PageOptions options{.policy = policyWith(submitOnceScript)};
    return problem ? _setupPage.refuse(request, std::move(view), *problem, std::move(options))
                   : _setupPage.show(request, std::move(view), std::move(options));
}

Response LoginPage::bySetup(const Request& request, const Form<SetupForm>& form)
{
    auto sent = form.sent();
    const auto catalog = _core.catalog.snapshot();
    if (const auto wrong = returnFault(_core, *catalog, sent.serviceId, sent.returnTo)) return problemPage(_problem, request, *wrong);
    try
    {
        _setupPage.requireOwn(request, form.token());
        auto done = _enrollment.complete(request, form->enrollToken, form->code);
        const auto next = sent.returnTo.empty() ? std::string(afterwards) : sent.returnTo;
        return _codesPage.render(request, {std::move(done.recoveryCodes), next}, {.cookies = std::move(done.reply.cookies)});
    }
    catch (const Problem& problem)
    {
        // Its token is spent or too old, or the form is of another browser, which must not see the secret.
        if (problem.status() == 410 || problem.status() == 403) sent.enrollToken.clear();
        return setup(request, sent, &problem);
    }
}

} // namespace portico::identity
