#include "pages/PasskeyPages.h"

#include "human/ChallengeForm.h"
#include "web/Urls.h"

#include "portico/Json.h"

namespace portico::identity
{

namespace
{

constexpr std::string_view passkeyForms = "passkey";
constexpr std::string_view passkeyPath = "/login/passkey";
constexpr std::string_view afterPasskey = "/settings";

/// Asks the authenticator, and sends what it says as the form.
constexpr std::string_view ceremonyScript = R"((() => {
  const form = document.getElementById("ceremony"), button = document.getElementById("use"), failed = document.getElementById("failed");
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) { failed.hidden = false; return; }
  button.disabled = false;
  form.addEventListener("submit", async event => {
    if (form.elements.credential.value) return;
    event.preventDefault();
    failed.hidden = true;
    const options = JSON.parse(form.dataset.options);
    try {
      const made = form.dataset.making
        ? await navigator.credentials.create({publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options)})
        : await navigator.credentials.get({publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options)});
      form.elements.credential.value = JSON.stringify(made.toJSON());
      form.submit();
    } catch (error) {
      if (error.name === "InvalidStateError" && failed.dataset.known) failed.textContent = failed.dataset.known;
      failed.hidden = false;
    }
  });
})();)";

/// The page of the app that asked, where it is named; else the app.
std::string wayBack(const PasskeyPage& page, const CeremonyTicket& ticket)
{
    return originOf(page.returnTo) == ticket.returnTo ? page.returnTo : ticket.returnTo;
}

} // namespace

void PasskeyPages::declare(Routes& routes)
{
    routes
        .get(passkeyPath, access::open(), &PasskeyPages::show, this,
             {.summary = "Sign in with a passkey by a page", .undocumented = true, .produces = {"text/html"}})
        .post(passkeyPath, access::open(), &PasskeyPages::submit, this,
              {.summary = "Sign in with a passkey by the page's form",
               .bodyLimit = 64 * 1024,
               .idempotencyKey = false,
               .undocumented = true,
               .consumes = {"application/x-www-form-urlencoded"}});
}

bool PasskeyPages::isMaker(const Request& request, const CeremonyTicket& ticket) const
{
    const auto browser = _gate.current(request);
    return browser && browser->user.id.text() == ticket.userId;
}

Response PasskeyPages::shown(const Request& request, PasskeyPage page, int status)
{
    auto token = _tokens.make(request, passkeyForms);
    page.formToken = std::move(token.token);
    auto leads = returnTargets(_core, page.returnTo);
    auto back = page.returnTo;
    if (const auto ticket = page.ticket.empty() ? std::nullopt : _passkeys.look(page.ticket))
    {
        page.making = !ticket->userId.empty();
        back = wayBack(page, *ticket);
        leads = {ticket->returnTo};
    }
    else if (!page.ticket.empty())
    {
        page.expired = true;
        page.stale = false;
    }
    page.toApp = page.making || (page.expired && !back.empty());
    page.other = page.toApp ? back : withQuery("/login", {{"service_id", page.serviceId}, {"return_to", back}});
    std::string hash;
    if (!page.expired)
    {
        const auto ceremony = _passkeys.begin();
        page.challengeId = ceremony.challengeId;
        page.options = page.making ? _routes.creationOptionsOf(page.ticket, ceremony) : _routes.requestOptionsOf(ceremony);
        page.script = ceremonyScript;
        hash = scriptHash(ceremonyScript);
    }
    return _page.render(request, page,
                        {.status = page.expired && status == 200 ? 410 : status,
                         .formTargets = std::move(leads),
                         .cookies = {std::move(token.cookie)},
                         .script = hash,
                         .locales = {}});
}

Response PasskeyPages::show(const Request& request, const Query<PasskeyPageQuery>& query)
{
    PasskeyPage page;
    page.serviceId = query->serviceId.empty() ? std::string(identityServiceId) : query->serviceId;
    page.returnTo = query->returnTo;
    page.ticket = query->ticket;
    if (const auto wrong = returnFault(_core, *_core.catalog.snapshot(), page.serviceId, page.returnTo))
        return problemPage(_problem, request, *wrong);
    const auto ticket = page.ticket.empty() ? std::nullopt : _passkeys.look(page.ticket);
    if (ticket && !ticket->userId.empty() && !isMaker(request, *ticket))
    {
        const auto here = withQuery(passkeyPath, {{"ticket", page.ticket}, {"return_to", page.returnTo}});
        return redirectTo(withQuery("/login", {{"return_to", here}}));
    }
    return shown(request, std::move(page), 200);
}

Response PasskeyPages::finish(const Request& request, const PasskeyPage& page, const std::string& credential)
{
    PasskeyAnswer answer{page.challengeId, {credential}};
    validate(answer);
    if (page.ticket.empty())
    {
        auto signedIn = _routes.signInOnPage(request, answer);
        return redirectTo(page.returnTo.empty() ? std::string(afterPasskey) : page.returnTo, std::move(signedIn.cookies));
    }
    const auto ticket = _passkeys.useTicket(page.ticket);
    if (!ticket) throw Problem::gone("challenge_expired", "Begin again in the app.");
    if (ticket->userId.empty()) return redirectTo(wayBack(page, *ticket), _routes.signInOnPage(request, answer).cookies);
    if (!isMaker(request, *ticket)) throw Problem::forbidden();
    _passkeys.finishCreation(request, UserId::parse(ticket->userId).value(), page.challengeId, answer.credential,
                             [&](Session& session) { _passkeys.requireLive(session, *ticket); });
    return redirectTo(wayBack(page, *ticket));
}

Response PasskeyPages::submit(const Request& request, const RawBody& body)
{
    const auto fields = formOf(body.contentType, body.data);
    PasskeyPage page;
    page.serviceId = fieldOf(fields, "service_id");
    page.returnTo = fieldOf(fields, "return_to");
    page.ticket = fieldOf(fields, "ticket");
    page.challengeId = fieldOf(fields, "challenge_id");
    if (const auto wrong = returnFault(_core, *_core.catalog.snapshot(), page.serviceId, page.returnTo))
        return problemPage(_problem, request, *wrong);
    if (!_tokens.holds(request, passkeyForms, fieldOf(fields, "form_token")))
    {
        page.stale = true;
        return shown(request, std::move(page), 403);
    }
    try
    {
        return finish(request, page, fieldOf(fields, "credential"));
    }
    catch (const Problem& problem)
    {
        if (problem.status() >= 500) throw;
        page.tooMany = problem.status() == 429;
        page.mayNot = problem.status() == 403;
        page.stale = problem.status() == 410;
        page.rejected = !page.tooMany && !page.mayNot && !page.stale;
        return withRetryAfter(shown(request, std::move(page), problem.status()), problem);
    }
}

} // namespace portico::identity
