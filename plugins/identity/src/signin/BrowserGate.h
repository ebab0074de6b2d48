#pragma once

#include "sessions/BrowserSession.h"
#include "users/User.h"
#include "web/Pages.h"
#include "web/Urls.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace portico::identity
{

/// User who is signed in at identity's origin.
struct SignedInBrowser
{
    BrowserSession session;
    User user;
};

/// Data of the page for choosing an account.
struct AccountChoice
{
    std::string initial;
    std::string displayName;
    std::string email;
    std::string continueUrl;
    std::string otherUrl;
};

constexpr auto schemaOf(const AccountChoice*)
{
    return describe(members<&AccountChoice::initial, &AccountChoice::displayName, &AccountChoice::email, &AccountChoice::continueUrl,
                            &AccountChoice::otherUrl>());
}

/// Requirements of a request on the browser's sign-in (OpenID Connect Core, 3.1.2.1).
struct SignInPrompt
{
    /// Values `none`, `login`, `select_account`, `consent`, separated by spaces.
    std::string prompt;
    std::optional<std::chrono::seconds> maxAge;
    std::string loginHint;
    std::string serviceId;
    /// Local path at which the request continues after the pages; has `_shown` once pages were shown.
    std::string path;
    UrlParameters parameters;
    std::string uiLocales;
};

bool asks(std::string_view prompt, std::string_view word);

/// Leads a request to a signed-in user: directly, by the pages for sign-in or account choice, or with an error. Thread-safe.
class BrowserGate
{
public:
    BrowserGate(Core& core, const Pages& pages) : _core(core), _accounts(pages.bind<AccountChoice>("accounts")) {}

    /// Returns the cookie's session, if it and its user are active.
    std::optional<SignedInBrowser> current(const Request& request) const;
    /// Result: the signed-in user, a response to send, or the code of the error with which the request ends.
    using Outcome = std::variant<SignedInBrowser, Response, std::string>;
    Outcome pass(const Request& request, const SignInPrompt& wanted) const;

    /// Shows the sign-in page, after which the request continues.
    Response toLogin(const SignInPrompt& wanted) const;

private:
    Response chooser(const Request& request, const SignInPrompt& wanted, const SignedInBrowser& browser) const;

    Core& _core;
    WebPage<AccountChoice> _accounts;
};

} // namespace portico::identity
