#pragma once

#include "factors/MfaRoutes.h"
#include "sessions/SessionRoutes.h"
#include "sso/ProblemPage.h"
#include "sso/ReturnTarget.h"
#include "web/FormToken.h"
#include "web/Pages.h"
#include "web/Urls.h"

#include <string>
#include <vector>

namespace portico::identity
{

struct LoginPageQuery
{
    std::string serviceId;
    std::string returnTo;
    std::string loginHint;
    std::string uiLocales;
};

constexpr auto schemaOf(const LoginPageQuery*)
{
    return describe(
        field<&LoginPageQuery::serviceId>("service_id").maxLength(40), field<&LoginPageQuery::returnTo>("return_to").maxLength(4096),
        field<&LoginPageQuery::loginHint>("login_hint").maxLength(254), field<&LoginPageQuery::uiLocales>("ui_locales").maxLength(200));
}

/// Another way of signing in: where its button leads, and what it says.
struct ProviderLink
{
    std::string url;
    std::string label;
};

constexpr auto schemaOf(const ProviderLink*) { return describe(members<&ProviderLink::url, &ProviderLink::label>()); }

/// What the sign-in page shows.
struct LoginForm
{
    std::string formToken;
    std::string serviceId;
    std::string returnTo;
    std::string identifier;
    bool remember = true;
    /// Why it is shown again: one of these at most.
    bool invalidCredentials = false;
    bool tooMany = false;
    bool stale = false;
    bool mayNot = false;
    bool noHome = false;
    /// Somebody has failed often, and is to show that they are no program; with a challenge and its script where that is solved here.
    bool human = false;
    std::string challenge;
    std::string script;
    std::string passkeyUrl;
    std::string forgotUrl;
    std::string registerUrl;
    std::vector<ProviderLink> providers;
};

constexpr auto schemaOf(const LoginForm*)
{
    return describe(members<&LoginForm::formToken, &LoginForm::serviceId, &LoginForm::returnTo, &LoginForm::identifier,
                            &LoginForm::remember, &LoginForm::invalidCredentials, &LoginForm::tooMany, &LoginForm::stale,
                            &LoginForm::mayNot, &LoginForm::noHome, &LoginForm::human, &LoginForm::challenge, &LoginForm::script,
                            &LoginForm::passkeyUrl, &LoginForm::forgotUrl, &LoginForm::registerUrl, &LoginForm::providers>());
}

/// What the page of the second factor shows.
struct FactorForm
{
    std::string formToken;
    std::string returnTo;
    std::string mfaToken;
    bool recovery = false;
    bool invalidCode = false;
    bool tooMany = false;
};

constexpr auto schemaOf(const FactorForm*)
{
    return describe(members<&FactorForm::formToken, &FactorForm::returnTo, &FactorForm::mfaToken, &FactorForm::recovery,
                            &FactorForm::invalidCode, &FactorForm::tooMany>());
}

/// What is shown on the way to the provider of somebody's organization.
struct HomeRealmText
{
    std::string url;
    std::string provider;
};

constexpr auto schemaOf(const HomeRealmText*) { return describe(members<&HomeRealmText::url, &HomeRealmText::provider>()); }

/// The page on which people sign in at identity's own origin. It works without scripts; its form is bound to the browser that was shown it,
/// so that nobody signs others in (login CSRF), and leads on to ourselves or to registered origins only. Thread-safe.
class LoginPage
{
public:
    LoginPage(Core& core, const Pages& pages, SessionRoutes& sessions, MfaRoutes& factors)
        : _core(core),
          _sessions(sessions),
          _factors(factors),
          _tokens(core),
          _page(pages.bind<LoginForm>("login")),
          _factorPage(pages.bind<FactorForm>("second-factor")),
          _homePage(pages.bind<HomeRealmText>("home-realm")),
          _problem(pages.bind<ProblemText>("problem"))
    {
    }
    void declare(Routes& routes);

    Response show(const Request& request, const Query<LoginPageQuery>& query) const;
    /// A form, or the JSON of `/api/auth/login`.
    Response submit(const Request& request, const RawBody& body);

    /// The page of the second factor, for who has proved the first elsewhere. @param demand 403 `mfa_required`
    Response askFactor(const Request& request, const std::string& returnTo, const Problem& demand) const;
    /// Where a sign-in leads, with its cookies.
    static Response onward(std::string_view returnTo, Reply<TokenResponse> signedIn);

private:
    Response byForm(const Request& request, const RawBody& body);
    Response byFactor(const Request& request, const UrlParameters& fields);
    /// The way to the provider of the organization whose address was typed, where it allows no other.
    std::optional<Response> toHome(const Request& request, const LoginForm& form) const;
    Response shownFactor(const Request& request, FactorForm form, int status) const;
    Response byJson(const Request& request, const RawBody& body);
    Response shown(const Request& request, LoginForm form, int status, const std::string& uiLocales = {}) const;

    Core& _core;
    SessionRoutes& _sessions;
    MfaRoutes& _factors;
    FormToken _tokens;
    WebPage<LoginForm> _page;
    WebPage<FactorForm> _factorPage;
    WebPage<HomeRealmText> _homePage;
    ProblemPage _problem;
};

} // namespace portico::identity
