#include "pages/PasskeyPages.h"

#include "catalog/CatalogStore.h"
#include "web/Urls.h"

#include "portico/Json.h"

namespace portico::identity
{

namespace
{

constexpr std::string_view passkeyPath = "/login/passkey";
constexpr std::string_view afterPasskey = "/settings";

/// Asks the authenticator, and submits its answer as the form.
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
std::string wayBack(const PasskeyForm& form, const CeremonyTicket& ticket)
{
    return originOf(form.returnTo) == ticket.returnTo ? form.returnTo : ticket.returnTo;
}

} // namespace

void PasskeyPages::declare(Routes& routes)
{
    routes
        .get(passkeyPath, access::open(), &PasskeyPages::show, this,
             {.summary = "Sign-in page for passkeys", .undocumented = true, .produces = {"text/html"}})
        .post(passkeyPath, access::open(), &PasskeyPages::submit, this,
              {.summary = "Submit the sign-in form for passkeys",
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

Response PasskeyPages::shown(const Request& request, PasskeyForm form, const Problem* problem)
{
    PasskeyPage page;
    auto leads = returnTargets(_core, form.returnTo);
    auto back = form.returnTo;
    if (const auto ticket = form.ticket.empty() ? std::nullopt : _passkeys.look(form.ticket))
    {
        page.making = !ticket->userId.empty();
        back = wayBack(form, *ticket);
        leads = {ticket->returnTo};
    }
    else
        page.expired = !form.ticket.empty();
    page.toApp = page.making || (page.expired && !back.empty());
    page.other = page.toApp ? back : withQuery("/login", {{"service_id", form.serviceId}, {"return_to", back}});
    if (!page.expired)
    {
        const auto ceremony = _passkeys.begin();
        form.challengeId = ceremony.challengeId;
        page.options = page.making ? _routes.creationOptionsOf(form.ticket, ceremony) : _routes.requestOptionsOf(ceremony);
        page.script = ceremonyScript;
    }
    page.form.show(form);
    PageOptions options{.status = page.expired ? 410 : 200, .policy = policyWith(page.script, std::move(leads))};
    return problem ? _page.refuse(request, std::move(page), *problem, std::move(options))
                   : _page.show(request, std::move(page), std::move(options));
}

Response PasskeyPages::show(const Request& request, const Query<PasskeyPageQuery>& query)
{
    PasskeyForm form;
    form.serviceId = query->serviceId.empty() ? std::string(identityServiceId) : query->serviceId;
    form.returnTo = query->returnTo;
    form.ticket = query->ticket;
    if (const auto wrong = returnFault(_core, *_core.catalog.snapshot(), form.serviceId, form.returnTo))
        return problemPage(_problem, request, *wrong);
    const auto ticket = form.ticket.empty() ? std::nullopt : _passkeys.look(form.ticket);
    if (ticket && !ticket->userId.empty() && !isMaker(request, *ticket))
    {
        const auto here = withQuery(passkeyPath, {{"ticket", form.ticket}, {"return_to", form.returnTo}});
        return redirectTo(withQuery("/login", {{"return_to", here}}));
    }
    return shown(request, std::move(form));
}

Response PasskeyPages::finish(const Request& request, const PasskeyForm& form)
{
    PasskeyAnswer answer{form.challengeId, {form.credential}};
    validate(answer);
    if (form.ticket.empty())
    {
        auto signedIn = _routes.signInOnPage(request, answer);
        return redirectTo(form.returnTo.empty() ? afterPasskey : std::string_view(form.returnTo), std::move(signedIn.cookies));
    }
    const auto ticket = _passkeys.useTicket(form.ticket);
    if (!ticket) throw Problem::gone("challenge_expired", "Begin again in the app.");
    if (ticket->userId.empty()) return redirectTo(wayBack(form, *ticket), _routes.signInOnPage(request, answer).cookies);
    if (!isMaker(request, *ticket)) throw Problem::forbidden();
    _passkeys.finishCreation(request, UserId::parse(ticket->userId).value(), form.challengeId, answer.credential,
                             [&](Session& session) { _passkeys.requireLive(session, *ticket); });
    return redirectTo(wayBack(form, *ticket));
}

Response PasskeyPages::submit(const Request& request, const Form<PasskeyForm>& form)
{
    if (const auto wrong = returnFault(_core, *_core.catalog.snapshot(), form.sent().serviceId, form.sent().returnTo))
        return problemPage(_problem, request, *wrong);
    try
    {
        _page.requireOwn(request, form.token());
        return finish(request, *form);
    }
    catch (const Problem& problem)
    {
        return shown(request, form.sent(), &problem);
    }
}

} // namespace portico::identity
