#include "pages/AccountPages.h"

#include "accounts/OneTimeTokens.h"
#include "human/ChallengeForm.h"
#include "sso/ReturnTarget.h"

#include "portico/Json.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

constexpr std::string_view accountForms = "account";
constexpr std::string_view afterSignIn = "/settings";
constexpr std::uint64_t formLimit = 16 * 1024;
/// The answer of a passkey goes with it.
constexpr std::uint64_t resetLimit = 64 * 1024;

/// Asks the authenticator, and sends its answer with the new password.
constexpr std::string_view resetScript = R"((() => {
  const form = document.getElementById("reset"), button = document.getElementById("passkey"), failed = document.getElementById("failed");
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) return;
  button.disabled = false;
  button.addEventListener("click", async () => {
    if (!form.elements.password.reportValidity()) return;
    failed.hidden = true;
    try {
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(form.dataset.options));
      form.elements.credential.value = JSON.stringify((await navigator.credentials.get({publicKey})).toJSON());
      form.submit();
    } catch { failed.hidden = false; }
  });
})();)";

} // namespace

PasswordFault PasswordFault::of(std::string_view code)
{
    return {code == "password_too_short" || code == "password_too_long", code == "password_breached",
            code == "password_contains_context_word"};
}

AccountPages::AccountPages(Core& core, const Pages& pages, RegistrationRoutes& registration, PasswordRoutes& passwords,
                           PasskeyRoutes& passkeys, Passkeys& ceremonies)
    : _core(core),
      _registration(registration),
      _passwords(passwords),
      _passkeys(passkeys),
      _ceremonies(ceremonies),
      _tokens(core),
      _verify(pages.bind<VerifyPage>("verify-email")),
      _forgot(pages.bind<ForgotPage>("forgot-password")),
      _reset(pages.bind<ResetPage>("reset-password")),
      _register(pages.bind<RegisterPage>("register"))
{
}

void AccountPages::declare(Routes& routes)
{
    const auto page = [](std::string_view summary)
    { return RouteOptions{.summary = summary, .undocumented = true, .produces = {"text/html"}}; };
    const auto form = [](std::string_view summary, std::uint64_t limit = formLimit)
    {
        return RouteOptions{.summary = summary,
                            .bodyLimit = limit,
                            .execution = Execution::Heavy,
                            .idempotencyKey = false,
                            .undocumented = true,
                            .consumes = {"application/x-www-form-urlencoded"}};
    };
    routes.get("/verify-email", access::open(), &AccountPages::showVerify, this, page("What the link of a verification leads to"))
        .post("/verify-email", access::open(), &AccountPages::verify, this, form("Verify an address by the page's form"))
        .get("/forgot-password", access::open(), &AccountPages::showForgot, this, page("Page of who has forgotten a password"))
        .post("/forgot-password", access::open(), &AccountPages::forgot, this, form("Ask for a mail by the page's form"))
        .get("/reset-password", access::open(), &AccountPages::showReset, this, page("What the link of a password reset leads to"))
        .post("/reset-password", access::open(), &AccountPages::reset, this, form("Choose a new password by the page's form", resetLimit))
        .get("/register", access::open(), &AccountPages::showRegister, this, page("Registration page"))
        .post("/register", access::open(), &AccountPages::submitRegister, this, form("Register by the page's form, or with JSON"));
}

template <class T>
Response AccountPages::shown(const WebPage<T>& page, const Request& request, T record, int status, const std::string& script) const
{
    auto token = _tokens.make(request, accountForms);
    record.formToken = std::move(token.token);
    return page.render(request, record,
                       {.status = status, .formTargets = {}, .cookies = {std::move(token.cookie)}, .script = script, .locales = {}});
}

template <class T>
Response AccountPages::shownWithChallenge(const WebPage<T>& page, const Request& request, T record, HumanPurpose purpose, int status) const
{
    record.challenge = challengeFor(_core.human, purpose);
    record.script = challengeSolver;
    return shown(page, request, std::move(record), status, scriptHash(challengeSolver));
}

bool AccountPages::isGone(std::string_view purpose, std::string_view token) const
{
    auto session = _core.database.session();
    return !one_time_tokens::find(session, purpose, token, _core.clock.now());
}

Response AccountPages::showVerify(const Request& request, const Query<TokenQuery>& query) const
{
    VerifyPage page;
    page.token = query->token;
    const auto is = [&](std::string_view purpose) { return !isGone(purpose, page.token); };
    page.reverts = is(token_purpose::emailRevert);
    page.expired = !page.reverts && !is(token_purpose::registration) && !is(token_purpose::emailChange);
    page.incomplete = page.expired && !one_time_tokens::hasForm(page.token);
    return shown(_verify, request, std::move(page), page.expired && !page.incomplete ? 410 : 200);
}

Response AccountPages::verify(const Request& request, const RawBody& body)
{
    const auto fields = formOf(body.contentType, body.data);
    VerifyPage page;
    page.token = fieldOf(fields, "token");
    page.reverts = !isGone(token_purpose::emailRevert, page.token);
    page.stale = !_tokens.holds(request, accountForms, fieldOf(fields, "form_token"));
    if (page.stale) return shown(_verify, request, std::move(page), 403);
    try
    {
        VerifyInput input;
        input.token = page.token;
        validate(input);
        auto reply = _registration.verify(request, Body<VerifyInput>(std::move(input)));
        if (!reply.cookies.empty()) return redirectTo(std::string(afterSignIn), std::move(reply.cookies));
        page.loginUrl = reply.record.next;
        page.verified = true;
        return shown(_verify, request, std::move(page), 200);
    }
    catch (const Problem& problem)
    {
        if (problem.status() >= 500) throw;
        page.expired = true;
        return shown(_verify, request, std::move(page), problem.status());
    }
}

Response AccountPages::shownForgot(const Request& request, ForgotPage page, int status) const
{
    // What a sign-in would refuse leads to the ordinary one.
    if (returnFault(_core, *_core.catalog.snapshot(), page.serviceId, page.returnTo)) page.serviceId = page.returnTo = {};
    page.loginUrl = withQuery("/login", wayOn(page.serviceId, page.returnTo));
    const bool asks = !page.sent && _core.human.asks(HumanPurpose::Login);
    if (asks && _core.human.provider() == "pow") return shownWithChallenge(_forgot, request, std::move(page), HumanPurpose::Login, status);
    // A provider's widget would be a script of somebody else.
    page.elsewhere = asks;
    return shown(_forgot, request, std::move(page), status);
}

Response AccountPages::showForgot(const Request& request, const Query<ForgotQuery>& query) const
{
    ForgotPage page;
    page.serviceId = query->serviceId;
    page.returnTo = query->returnTo;
    return shownForgot(request, std::move(page), 200);
}

Response AccountPages::forgot(const Request& request, const RawBody& body)
{
    const auto fields = formOf(body.contentType, body.data);
    ForgotPage page;
    page.email = fieldOf(fields, "email");
    page.serviceId = fieldOf(fields, "service_id");
    page.returnTo = fieldOf(fields, "return_to");
    page.stale = !_tokens.holds(request, accountForms, fieldOf(fields, "form_token"));
    if (page.stale) return shownForgot(request, std::move(page), 403);
    try
    {
        ForgotInput input;
        input.email = page.email;
        input.serviceId = page.serviceId;
        input.returnTo = page.returnTo;
        if (auto proof = fieldOf(fields, "proof"); !proof.empty()) input.humanVerification = HumanProof{"pow", std::move(proof)};
        validate(input);
        _passwords.forgot(request, Body<ForgotInput>(std::move(input)));
        page.sent = true;
        return shownForgot(request, std::move(page), 200);
    }
    catch (const Problem& problem)
    {
        if (problem.status() >= 500) throw;
        page.tooMany = problem.status() == 429;
        page.notHuman = isOfHuman(problem);
        page.invalidEmail = !page.tooMany && !page.notHuman;
        return withRetryAfter(shownForgot(request, std::move(page), problem.status()), problem);
    }
}

Response AccountPages::showReset(const Request& request, const Query<TokenQuery>& query) const
{
    ResetPage page;
    page.token = query->token;
    page.expired = isGone(token_purpose::passwordReset, page.token);
    page.incomplete = page.expired && !one_time_tokens::hasForm(page.token);
    return shown(_reset, request, std::move(page), page.expired && !page.incomplete ? 410 : 200);
}

Response AccountPages::reset(const Request& request, const RawBody& body)
{
    const auto fields = formOf(body.contentType, body.data);
    ResetPage page;
    page.token = fieldOf(fields, "token");
    page.stale = !_tokens.holds(request, accountForms, fieldOf(fields, "form_token"));
    if (page.stale) return shown(_reset, request, std::move(page), 403);
    ResetInput input;
    input.token = page.token;
    input.newPassword = fieldOf(fields, "password");
    input.code = fieldOf(fields, "code");
    input.credential.text = fieldOf(fields, "credential");
    if (!input.credential.text.empty())
        input.factor = FactorKind::Passkey;
    else if (!input.code.empty())
        input.factor = fieldOf(fields, "recovery") == "1" ? FactorKind::RecoveryCode : FactorKind::Totp;
    page.needsCode = input.factor.has_value();
    try
    {
        validate(input);
        const auto link = _passwords.reset(request, std::move(input));
        page.loginUrl = withQuery("/login", wayOn(link.serviceId, link.returnTo));
        page.done = true;
        return shown(_reset, request, std::move(page), 200);
    }
    catch (const Problem& problem)
    {
        if (problem.status() >= 500) throw;
        page.password = PasswordFault::of(problem.code());
        page.needsCode = page.needsCode || problem.code() == "mfa_required";
        page.invalidCode = problem.code() == "invalid_code";
        page.tooMany = problem.status() == 429;
        page.expired = !page.password.any() && !page.needsCode && !page.tooMany;
        return withRetryAfter(shownReset(request, std::move(page), problem.status()), problem);
    }
}

Response AccountPages::shownReset(const Request& request, ResetPage page, int status) const
{
    if (!page.needsCode || page.expired) return shown(_reset, request, std::move(page), status);
    const auto factors = _passwords.factorsFor(page.token);
    page.needsCode = !factors.empty();
    page.byCode = std::ranges::any_of(factors, [](FactorKind kind) { return kind != FactorKind::Passkey; });
    if (std::ranges::find(factors, FactorKind::Passkey) == factors.end()) return shown(_reset, request, std::move(page), status);
    page.options = _passkeys.requestOptionsOf(_ceremonies.begin());
    page.script = resetScript;
    return shown(_reset, request, std::move(page), status, scriptHash(resetScript));
}

std::string AccountPages::allowedReturn(const std::string& returnTo) const
{
    return returnFault(_core, *_core.catalog.snapshot(), identityServiceId, returnTo) ? std::string() : returnTo;
}

Response AccountPages::shownRegister(const Request& request, RegisterPage page, int status) const
{
    page.loginUrl = withQuery("/login", wayOn({}, page.returnTo));
    if (page.sent || page.closed) return shown(_register, request, std::move(page), status);
    return shownWithChallenge(_register, request, std::move(page), HumanPurpose::Register, status);
}

Response AccountPages::showRegister(const Request& request, const Query<RegisterQuery>& query)
{
    RegisterPage page;
    page.invitation = query->invitation;
    page.email = query->email;
    page.returnTo = allowedReturn(query->returnTo);
    // A provider's widget would be a script of somebody else: who has one registers in the apps.
    page.closed = (!_core.settings.accounts.registrationOpen && page.invitation.empty()) || _core.human.provider() != "pow";
    return shownRegister(request, std::move(page), 200);
}

Response AccountPages::submitRegister(const Request& request, const RawBody& body)
{
    if (!isJsonType(body.contentType)) return registerByForm(request, formOf(body.contentType, body.data));
    auto reply = _registration.registerUser(request, Body<RegistrationInput>(fromJson<RegistrationInput>(body.data)));
    Response response;
    response.json(reply.status, toJson(reply.record));
    for (const auto& cookie : reply.cookies) response.addCookie(cookie);
    return response;
}

Response AccountPages::registerByForm(const Request& request, const UrlParameters& fields)
{
    RegisterPage page;
    page.invitation = fieldOf(fields, "invitation");
    page.displayName = fieldOf(fields, "displayName");
    page.email = fieldOf(fields, "email");
    page.organizationName = fieldOf(fields, "organizationName");
    page.returnTo = allowedReturn(fieldOf(fields, "return_to"));
    page.stale = !_tokens.holds(request, accountForms, fieldOf(fields, "form_token"));
    if (page.stale) return shownRegister(request, std::move(page), 403);
    RegistrationInput input;
    input.email = page.email;
    input.displayName = page.displayName;
    input.password = fieldOf(fields, "password");
    input.invitationToken = page.invitation;
    input.organizationName = page.organizationName;
    input.returnTo = page.returnTo;
    input.createOrganization = !page.organizationName.empty();
    input.acceptTerms = fieldOf(fields, "terms") == "1";
    input.humanVerification = HumanProof{"pow", fieldOf(fields, "proof")};
    try
    {
        validate(input);
        auto reply = _registration.registerUser(request, Body<RegistrationInput>(std::move(input)));
        if (reply.status == 201) return redirectTo(std::string(afterSignIn), std::move(reply.cookies));
        page.sent = true;
        return shownRegister(request, std::move(page), 200);
    }
    catch (const Problem& problem)
    {
        if (problem.status() >= 500) throw;
        page.password = PasswordFault::of(problem.code());
        page.tooMany = problem.status() == 429;
        page.notHuman = isOfHuman(problem);
        page.wrongAddress = problem.code() == "invitation_email_mismatch";
        page.expired = problem.status() == 404 || problem.status() == 410;
        page.closed = problem.code() == "registration_closed";
        page.invalidInput = !page.password.any() && !page.tooMany && !page.notHuman && !page.wrongAddress && !page.expired && !page.closed;
        return withRetryAfter(shownRegister(request, std::move(page), problem.status()), problem);
    }
}

} // namespace portico::identity
