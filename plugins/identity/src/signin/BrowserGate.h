#pragma once

#include "sessions/BrowserSession.h"
#include "sessions/Cookies.h"
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

/// Someone who is signed in at identity's own origin.
struct SignedInBrowser
{
    BrowserSession session;
    User user;
};

/// What a page that chooses an account shows.
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

/// What a request to sign in somewhere asks of the browser's own sign-in (OpenID Connect Core, 3.1.2.1).
struct GateWish
{
    /// `none`, `login`, `select_account`, `consent`, with spaces between them.
    std::string prompt;
    std::optional<std::chrono::seconds> maxAge;
    std::string loginHint;
    std::string serviceId;
    /// Where the request goes on after the pages: a path of ours, with `_shown` once pages were shown.
    std::string path;
    UrlParameters parameters;
    std::string uiLocales;
};

bool asks(std::string_view prompt, std::string_view word);

/// The way from a request to somebody who is signed in: at once, by the pages of sign-in or of the choice of an account, or not at all.
/// Thread-safe.
class BrowserGate
{
public:
    BrowserGate(Core& core, const Pages& pages) : _core(core), _cookies(core), _accounts(pages.bind<AccountChoice>("accounts")) {}

    /// The cookie's session, if it and its user are active.
    std::optional<SignedInBrowser> current(const Request& request) const;
    /// Who is signed in as it was asked for; or what to answer instead; or the code of the error that the request ends with.
    using Outcome = std::variant<SignedInBrowser, Response, std::string>;
    Outcome pass(const Request& request, const GateWish& wish) const;

    /// The page of sign-in, from which the request goes on.
    Response toLogin(const GateWish& wish) const;

private:
    Response chooser(const Request& request, const GateWish& wish, const SignedInBrowser& browser) const;

    Core& _core;
    Cookies _cookies;
    WebPage<AccountChoice> _accounts;
};

} // namespace portico::identity
