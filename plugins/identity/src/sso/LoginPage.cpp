#include "sso/LoginPage.h"

#include "web/Urls.h"

#include "portico/Form.h"
#include "portico/Json.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

constexpr std::string_view loginPurpose = "login";
constexpr std::string_view afterwards = "/settings";

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

std::optional<ProblemText> LoginPage::fault(const Catalog& catalog, std::string_view serviceId, std::string_view returnTo) const
{
    const auto* service = catalog.find(serviceId);
    if (!service || !service->active()) return ProblemText{.unknownService = true};
    if (returnTo.empty() || isLocalPath(returnTo)) return std::nullopt;
    const auto origin = originOf(returnTo);
    const bool known = returnTo.find('\\') == std::string_view::npos && origin.find("//") != std::string::npos &&
                       (origin == _core.origin || catalog.isRegisteredOrigin(origin));
    return known ? std::nullopt : std::optional(ProblemText{.wrongReturn = true});
}

std::vector<std::string> LoginPage::targets(std::string_view returnTo) const
{
    if (!isLocalPath(returnTo)) return {originOf(returnTo)};
    std::vector<std::string> found;
    const auto add = [&](std::string_view url)
    {
        auto origin = originOf(url);
        if (std::ranges::find(found, origin) == found.end()) found.push_back(std::move(origin));
    };
    const auto question = returnTo.find('?');
    if (question == std::string_view::npos) return found;
    const auto catalog = _core.catalog.snapshot();
    for (const auto& [name, value] : parseForm(returnTo.substr(question + 1)))
    {
        if (name == "redirect_uri") add(value);
        const auto* service = name == "service_id" ? catalog->find(value) : nullptr;
        if (service)
            for (const auto& url : service->callbackUrls) add(url);
    }
    return found;
}

Response LoginPage::shown(const Request& request, LoginForm form, int status, const std::string& uiLocales) const
{
    auto token = _tokens.make(request, loginPurpose);
    form.formToken = std::move(token.token);
    auto leads = targets(form.returnTo);
    return _page.render(
        request, form,
        {.status = status, .formTargets = std::move(leads), .cookies = {std::move(token.cookie)}, .script = {}, .locales = uiLocales});
}

Response LoginPage::show(const Request& request, const Query<LoginPageQuery>& query) const
{
    LoginForm form;
    form.serviceId = query->serviceId.empty() ? std::string(identityServiceId) : query->serviceId;
    form.returnTo = query->returnTo;
    form.identifier = query->loginHint;
    const auto catalog = _core.catalog.snapshot();
    if (const auto wrong = fault(*catalog, form.serviceId, form.returnTo)) return problemPage(_problem, request, *wrong);
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
    if (const auto wrong = fault(*catalog, form.serviceId, form.returnTo)) return problemPage(_problem, request, *wrong);
    if (!_tokens.holds(request, loginPurpose, fieldOf(fields, "form_token")))
    {
        form.stale = true;
        return shown(request, std::move(form), 403);
    }
    if (!fieldOf(fields, "mfa_token").empty()) return byFactor(request, fields);
    LoginInput input;
    input.identifier = form.identifier;
    input.password = fieldOf(fields, "password");
    input.serviceId = identityServiceId;
    input.rememberMe = form.remember;
    try
    {
        validate(input);
        return onward(form.returnTo, _sessions.signIn(request, input, SignInDesk::beginOnPage(request)));
    }
    catch (const Problem& problem)
    {
        if (problem.status() >= 500) throw;
        if (problem.code() == "mfa_required")
        {
            FactorForm factor;
            factor.returnTo = form.returnTo;
            factor.mfaToken = fromStoredJson<MfaDemand>(problem.details()).mfaToken;
            return shownFactor(request, std::move(factor), 200);
        }
        form.tooMany = problem.status() == 429;
        form.mayNot = problem.status() == 403;
        form.invalidCredentials = !form.tooMany && !form.mayNot;
        return withRetryAfter(shown(request, std::move(form), problem.status()), problem);
    }
}

Response LoginPage::onward(std::string_view returnTo, Reply<TokenResponse> signedIn) const
{
    return redirectTo(std::string(returnTo.empty() ? afterwards : returnTo), std::move(signedIn.cookies));
}

Response LoginPage::shownFactor(const Request& request, FactorForm form, int status) const
{
    auto token = _tokens.make(request, loginPurpose);
    form.formToken = std::move(token.token);
    auto leads = targets(form.returnTo);
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
