#pragma once

#include "passkeys/PasskeyRoutes.h"
#include "signin/BrowserGate.h"
#include "signin/ReturnTarget.h"
#include "web/Pages.h"

#include <string>

namespace portico::identity
{

struct PasskeyPageQuery
{
    std::string serviceId;
    std::string returnTo;
    /// Ticket of a ceremony that another page has requested.
    std::string ticket;
};

constexpr auto schemaOf(const PasskeyPageQuery*)
{
    return describe(field<&PasskeyPageQuery::serviceId>("service_id").maxLength(40),
                    field<&PasskeyPageQuery::returnTo>("return_to").maxLength(4096), field<&PasskeyPageQuery::ticket>().maxLength(100));
}

struct PasskeyForm
{
    std::string serviceId;
    std::string returnTo;
    std::string ticket;
    std::string challengeId;
    /// Answer of the authenticator, as JSON.
    std::string credential;
};

constexpr auto schemaOf(const PasskeyForm*)
{
    return describe(field<&PasskeyForm::serviceId>("service_id").maxLength(40), field<&PasskeyForm::returnTo>("return_to").maxLength(4096),
                    field<&PasskeyForm::ticket>().maxLength(100), field<&PasskeyForm::challengeId>("challenge_id").required().maxLength(64),
                    field<&PasskeyForm::credential>().required().writeOnly());
}

/// Record of the page of a passkey.
struct PasskeyPage
{
    PageForm<PasskeyForm> form;
    /// Options for the browser, as JSON.
    std::string options;
    std::string script;
    /// Link to leave the page: back to the requesting app, else to the sign-in page.
    std::string other;
    bool toApp = false;
    bool making = false;
    bool expired = false;
};

constexpr auto schemaOf(const PasskeyPage*)
{
    return describe(members<&PasskeyPage::form, &PasskeyPage::options, &PasskeyPage::script, &PasskeyPage::other, &PasskeyPage::toApp,
                            &PasskeyPage::making, &PasskeyPage::expired>());
}

/// Page on which a passkey is used or created, at the single origin where browsers allow it. It requires a script, unlike the sign-in page,
/// which links to it. Apps of other origins redirect here with a ticket (`ceremonyUrl`). Afterwards the browser returns to the app: to its
/// page in `return_to`, else to its root. Thread-safe.
class PasskeyPages
{
public:
    PasskeyPages(Core& core, const Pages& pages, PasskeyRoutes& routes, Passkeys& passkeys)
        : _core(core),
          _routes(routes),
          _passkeys(passkeys),
          _gate(core, pages),
          _page(pages.bind("passkey", &PasskeyPage::form)),
          _problem(pages.bind<ProblemText>("problem"))
    {
    }
    void declare(Routes& routes);

    Response show(const Request& request, const Query<PasskeyPageQuery>& query);
    Response submit(const Request& request, const Form<PasskeyForm>& form);

private:
    /// Returns true if this browser requested the creation. A forwarded link must not create a passkey for the account of its sender.
    bool isMaker(const Request& request, const CeremonyTicket& ticket) const;
    Response shown(const Request& request, PasskeyForm form, const Problem* problem = nullptr);
    Response finish(const Request& request, const PasskeyForm& form);

    Core& _core;
    PasskeyRoutes& _routes;
    Passkeys& _passkeys;
    BrowserGate _gate;
    FormPage<PasskeyPage, PasskeyForm> _page;
    ProblemPage _problem;
};

} // namespace portico::identity
