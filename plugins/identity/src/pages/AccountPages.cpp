#include "pages/AccountPages.h"

#include "catalog/CatalogStore.h"
#include "human/ChallengeForm.h"
#include "signin/ReturnTarget.h"
#include "users/OneTimeTokens.h"
#include "web/AccountPaths.h"
#include "web/Fields.h"

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
/// Large enough for the answer of a passkey.
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

AccountPages::AccountPages(Core& core, const Pages& pages, RegistrationRoutes& registration, PasswordRoutes& passwords,
                           PasskeyRoutes& passkeys, Passkeys& ceremonies)
    : _core(core),
      _registration(registration),
      _passwords(passwords),
      _passkeys(passkeys),
      _ceremonies(ceremonies),
      _verify(pages.bind("verify-email", &VerifyPage::form, accountForms)),
      _forgot(pages.bind("forgot-password", &ForgotPage::form, accountForms)),
      _reset(pages.bind("reset-password", &ResetPage::form, accountForms)),
      _register(pages.bind("register", &RegisterPage::form, accountForms))
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
PageOptions AccountPages::challengeOn(T& page, HumanPurpose purpose) const
{
    page.challenge = challengeFor(_core.human, purpose);
    page.script = challengeSolver;
    return {.policy = policyWith(challengeSolver)};
}

bool AccountPages::isGone(std::string_view purpose, std::string_view token) const
{
    auto session = _core.database.session();
    return !one_time_tokens::look(session, purpose, token, _core.clock.now());
}

Response AccountPages::showVerify(const Request& request, const Query<TokenQuery>& query) const
{
    const auto& token = query->token;
    const auto is = [&](std::string_view purpose) { return !isGone(purpose, token); };
    VerifyPage page;
    page.form.show(VerifyForm{token});
    page.reverts = is(token_purpose::emailRevert);
    page.expired = !page.reverts && !is(token_purpose::registration) && !is(token_purpose::emailChange);
    page.incomplete = page.expired && !one_time_tokens::hasForm(token);
    const int status = page.expired && !page.incomplete ? 410 : 200;
    return _verify.show(request, std::move(page), {.status = status});
}

Response AccountPages::verify(const Request& request, const Form<VerifyForm>& form)
{
    VerifyPage page;
    page.reverts = !isGone(token_purpose::emailRevert, form.sent().token);
    const auto prove = [&](const VerifyForm& sent)
    {
        try
        {
            VerifyInput input;
            input.token = sent.token;
            auto reply = _registration.verify(request, Body<VerifyInput>(std::move(input)));
            if (!reply.cookies.empty()) return redirectTo(afterSignIn, std::move(reply.cookies));
            if (reply.record.next.starts_with(account_pages::resetPassword)) return redirectTo(reply.record.next);
            page.loginUrl = reply.record.next;
            page.verified = true;
            return _verify.show(request, page);
        }
        catch (const Problem& problem)
        {
            if (problem.status() >= 500) throw;
            page.expired = true;
            return _verify.show(request, page, {.status = problem.status()});
        }
    };
    return _verify.submit(request, form, page, prove);
}

Response AccountPages::shownForgot(const Request& request, const ForgotForm& typed, bool sent, const Problem* problem) const
{
    // Drops a return address that the sign-in would reject.
    auto known = typed;
    if (returnFault(_core, *_core.catalog.snapshot(), typed.serviceId, typed.returnTo)) known.serviceId = known.returnTo = {};
    ForgotPage page;
    page.form.show(known);
    page.sent = sent;
    page.loginUrl = withQuery("/login", returnParameters(known.serviceId, known.returnTo));
    const bool asks = !sent && _core.human.asks(HumanPurpose::Login);
    const bool here = asks && _core.human.provider() == "pow";
    // The pages do not embed a provider's widget, because it is a third-party script.
    page.elsewhere = asks && !here;
    auto options = here ? challengeOn(page, HumanPurpose::Login) : PageOptions{};
    return problem ? _forgot.refuse(request, std::move(page), shownProblem(*problem), std::move(options))
                   : _forgot.show(request, std::move(page), std::move(options));
}

Response AccountPages::showForgot(const Request& request, const Query<ForgotQuery>& query) const
{
    ForgotForm start;
    start.serviceId = query->serviceId;
    start.returnTo = query->returnTo;
    return shownForgot(request, start, false);
}

Response AccountPages::forgot(const Request& request, const Form<ForgotForm>& form)
{
    try
    {
        _forgot.requireOwn(request, form.token());
        ForgotInput input;
        input.email = form->email;
        input.serviceId = form->serviceId;
        input.returnTo = form->returnTo;
        if (!form->proof.empty()) input.humanVerification = HumanProof{"pow", form->proof};
        _passwords.forgot(request, Body<ForgotInput>(std::move(input)));
        return shownForgot(request, *form, true);
    }
    catch (const Problem& problem)
    {
        return shownForgot(request, form.sent(), false, &problem);
    }
}

Response AccountPages::showReset(const Request& request, const Query<TokenQuery>& query) const
{
    ResetPage page;
    page.form.show(ResetForm{query->token, {}, {}, false, {}});
    page.expired = isGone(token_purpose::passwordReset, query->token);
    page.incomplete = page.expired && !one_time_tokens::hasForm(query->token);
    const int status = page.expired && !page.incomplete ? 410 : 200;
    return _reset.show(request, std::move(page), {.status = status});
}

Response AccountPages::reset(const Request& request, const Form<ResetForm>& form)
{
    ResetInput input;
    input.token = form.sent().token;
    input.newPassword = form.sent().password;
    input.code = form.sent().code;
    input.credential.text = form.sent().credential;
    if (!input.credential.text.empty())
        input.factor = FactorKind::Passkey;
    else if (!input.code.empty())
        input.factor = form.sent().recovery ? FactorKind::RecoveryCode : FactorKind::Totp;
    ResetPage page;
    page.form.show(form);
    page.needsCode = input.factor.has_value();
    try
    {
        _reset.requireOwn(request, form.token());
        if (form.problem()) throw *form.problem();
        validate(input);
        const auto link = _passwords.reset(request, std::move(input));
        page.loginUrl = withQuery("/login", returnParameters(link.serviceId, link.returnTo));
        page.done = true;
        return _reset.show(request, std::move(page));
    }
    catch (const Problem& problem)
    {
        return refusedReset(request, std::move(page), problem);
    }
}

Response AccountPages::refusedReset(const Request& request, ResetPage page, const Problem& problem) const
{
    if (problem.status() == 403 && problem.code() != "mfa_required") page.needsCode = false;
    page.needsCode = page.needsCode || problem.code() == "mfa_required";
    page.expired = problem.status() == 410 || page.form.fields["token"].value.empty();
    if (!page.needsCode || page.expired) return _reset.refuse(request, std::move(page), problem);
    const auto factors = _passwords.factorsFor(page.form.fields["token"].value);
    page.needsCode = !factors.empty();
    page.byCode = std::ranges::any_of(factors, [](FactorKind kind) { return kind != FactorKind::Passkey; });
    if (std::ranges::find(factors, FactorKind::Passkey) == factors.end()) return _reset.refuse(request, std::move(page), problem);
    page.options = _passkeys.requestOptionsOf(_ceremonies.begin());
    page.script = resetScript;
    return _reset.refuse(request, std::move(page), problem, {.policy = policyWith(resetScript)});
}

std::string AccountPages::allowedReturn(const std::string& returnTo) const
{
    return returnFault(_core, *_core.catalog.snapshot(), identityServiceId, returnTo) ? std::string() : returnTo;
}

Response AccountPages::shownRegister(const Request& request, RegisterPage page, const Problem* problem) const
{
    page.loginUrl = withQuery("/login", returnParameters({}, page.form.fields["return_to"].value));
    auto options = page.sent || page.closed ? PageOptions{} : challengeOn(page, HumanPurpose::Register);
    return problem ? _register.refuse(request, std::move(page), shownProblem(*problem), std::move(options))
                   : _register.show(request, std::move(page), std::move(options));
}

Response AccountPages::showRegister(const Request& request, const Query<RegisterQuery>& query)
{
    RegisterForm start;
    start.invitation = query->invitation;
    start.email = query->email;
    start.returnTo = allowedReturn(query->returnTo);
    RegisterPage page;
    page.form.show(start);
    // The pages do not embed a provider's widget, because it is a third-party script. With one, users register in the apps.
    page.closed = (!_core.settings.accounts.registrationOpen && start.invitation.empty()) || _core.human.provider() != "pow";
    return shownRegister(request, std::move(page));
}

Response AccountPages::submitRegister(const Request& request, const RawBody& body)
{
    if (!isJsonType(body.contentType)) return registerByForm(request, Form<RegisterForm>::of(body));
    auto reply = _registration.registerUser(request, Body<RegistrationInput>(fromJson<RegistrationInput>(body.data)));
    Response response;
    response.json(reply.status, toJson(reply.record));
    for (const auto& cookie : reply.cookies) response.addCookie(cookie);
    return response;
}

Response AccountPages::registerByForm(const Request& request, const Form<RegisterForm>& form)
{
    RegisterPage page;
    page.form.show(form);
    const auto returnTo = allowedReturn(form.sent().returnTo);
    page.form.fields["return_to"].value = returnTo;
    try
    {
        _register.requireOwn(request, form.token());
        RegistrationInput input;
        input.email = form->email;
        input.displayName = form->displayName;
        input.password = form->password;
        input.invitationToken = form->invitation;
        input.organizationName = form->organizationName;
        input.returnTo = returnTo;
        input.createOrganization = !form->organizationName.empty();
        input.acceptTerms = form->terms;
        input.humanVerification = HumanProof{"pow", form->proof};
        validate(input);
        auto reply = _registration.registerUser(request, Body<RegistrationInput>(std::move(input)));
        if (reply.status == 201) return redirectTo(afterSignIn, std::move(reply.cookies));
        if (reply.record.needsSignIn) return redirectTo(withQuery("/login", returnParameters({}, returnTo)));
        page.sent = true;
        return shownRegister(request, std::move(page));
    }
    catch (const Problem& problem)
    {
        page.closed = problem.code() == "registration_closed";
        return shownRegister(request, std::move(page), &problem);
    }
}

} // namespace portico::identity
