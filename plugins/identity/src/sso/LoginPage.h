#pragma once

#include "factors/MfaRoutes.h"
#include "sessions/SessionRoutes.h"
#include "sso/ProblemPage.h"
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
        field("service_id", &LoginPageQuery::serviceId).maxLength(40), field("return_to", &LoginPageQuery::returnTo).maxLength(4096),
        field("login_hint", &LoginPageQuery::loginHint).maxLength(254), field("ui_locales", &LoginPageQuery::uiLocales).maxLength(200));
}

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
};

constexpr auto schemaOf(const LoginForm*)
{
    return describe(field("formToken", &LoginForm::formToken), field("serviceId", &LoginForm::serviceId),
                    field("returnTo", &LoginForm::returnTo), field("identifier", &LoginForm::identifier),
                    field("remember", &LoginForm::remember), field("invalidCredentials", &LoginForm::invalidCredentials),
                    field("tooMany", &LoginForm::tooMany), field("stale", &LoginForm::stale), field("mayNot", &LoginForm::mayNot));
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
    return describe(field("formToken", &FactorForm::formToken), field("returnTo", &FactorForm::returnTo),
                    field("mfaToken", &FactorForm::mfaToken), field("recovery", &FactorForm::recovery),
                    field("invalidCode", &FactorForm::invalidCode), field("tooMany", &FactorForm::tooMany));
}

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
          _problem(pages.bind<ProblemText>("problem"))
    {
    }
    void declare(Routes& routes);

    Response show(const Request& request, const Query<LoginPageQuery>& query) const;
    /// A form, or the JSON of `/api/auth/login`.
    Response submit(const Request& request, const RawBody& body);

private:
    Response byForm(const Request& request, const RawBody& body);
    Response byFactor(const Request& request, const UrlParameters& fields);
    Response onward(std::string_view returnTo, Reply<TokenResponse> signedIn) const;
    Response shownFactor(const Request& request, FactorForm form, int status) const;
    Response byJson(const Request& request, const RawBody& body);
    Response shown(const Request& request, LoginForm form, int status, const std::string& uiLocales = {}) const;
    /// What is wrong with where the page is to lead; empty for nothing.
    std::optional<ProblemText> fault(const Catalog& catalog, std::string_view serviceId, std::string_view returnTo) const;
    /// Where the way on may end: the redirect addresses of whoever asks for the sign-in.
    std::vector<std::string> targets(std::string_view returnTo) const;

    Core& _core;
    SessionRoutes& _sessions;
    MfaRoutes& _factors;
    FormToken _tokens;
    WebPage<LoginForm> _page;
    WebPage<FactorForm> _factorPage;
    ProblemPage _problem;
};

} // namespace portico::identity
