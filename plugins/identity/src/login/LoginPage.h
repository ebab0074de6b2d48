#pragma once

#include "login/MfaRoutes.h"
#include "login/SessionRoutes.h"
#include "login/SignInEnrollment.h"
#include "signin/ReturnTarget.h"
#include "web/Pages.h"
#include "web/ProblemPage.h"
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

/// Button for an identity provider: its link and its label.
struct ProviderLink
{
    std::string url;
    std::string label;
};

constexpr auto schemaOf(const ProviderLink*) { return describe(members<&ProviderLink::url, &ProviderLink::label>()); }

struct LoginForm
{
    std::string serviceId;
    std::string returnTo;
    std::string identifier;
    std::string password;
    bool remember = true;
    /// By the provider of the organization.
    bool home = false;
    /// Solution of the challenge.
    std::string proof;
};

constexpr auto schemaOf(const LoginForm*)
{
    return describe(field<&LoginForm::serviceId>("service_id").maxLength(40), field<&LoginForm::returnTo>("return_to").maxLength(4096),
                    field<&LoginForm::identifier>().maxLength(254), field<&LoginForm::password>().maxLength(1024).writeOnly(),
                    members<&LoginForm::remember, &LoginForm::home>(), field<&LoginForm::proof>().writeOnly());
}

/// Record of the sign-in page.
struct LoginView
{
    PageForm<LoginForm> form;
    /// Human verification is required after several failures. The challenge and its script are set if this page solves it.
    bool human = false;
    std::string challenge;
    std::string script;
    std::string passkeyUrl;
    std::string forgotUrl;
    std::string registerUrl;
    std::vector<ProviderLink> providers;
};

constexpr auto schemaOf(const LoginView*)
{
    return describe(members<&LoginView::form, &LoginView::human, &LoginView::challenge, &LoginView::script, &LoginView::passkeyUrl,
                            &LoginView::forgotUrl, &LoginView::registerUrl, &LoginView::providers>());
}

struct FactorForm
{
    std::string serviceId;
    std::string returnTo;
    std::string mfaToken;
    std::string code;
    bool recovery = false;
};

constexpr auto schemaOf(const FactorForm*)
{
    return describe(field<&FactorForm::serviceId>("service_id").maxLength(40), field<&FactorForm::returnTo>("return_to").maxLength(4096),
                    field<&FactorForm::mfaToken>("mfa_token"), field<&FactorForm::code>().writeOnly(), field<&FactorForm::recovery>());
}

/// Record of the page of the second factor.
struct FactorView
{
    PageForm<FactorForm> form;
};

constexpr auto schemaOf(const FactorView*) { return describe(field<&FactorView::form>()); }

struct SetupForm
{
    std::string serviceId;
    std::string returnTo;
    std::string enrollToken;
    std::string code;
};

constexpr auto schemaOf(const SetupForm*)
{
    return describe(field<&SetupForm::serviceId>("service_id").maxLength(40), field<&SetupForm::returnTo>("return_to").maxLength(4096),
                    field<&SetupForm::enrollToken>("enroll_token").maxLength(100), field<&SetupForm::code>().maxLength(40).writeOnly());
}

/// Record of the page on which a user sets up an authenticator app.
struct SetupView
{
    PageForm<SetupForm> form;
    std::string secret;
    std::string otpauthUri;
    std::string qrSvg;
};

constexpr auto schemaOf(const SetupView*)
{
    return describe(members<&SetupView::form, &SetupView::secret, &SetupView::otpauthUri, &SetupView::qrSvg>());
}

/// Page that shows new recovery codes after a sign-in.
struct RecoveryCodesText
{
    std::vector<std::string> codes;
    std::string continueUrl;
};

constexpr auto schemaOf(const RecoveryCodesText*)
{
    return describe(members<&RecoveryCodesText::codes, &RecoveryCodesText::continueUrl>());
}

/// Page that redirects to the provider of the user's organization.
struct HomeRealmText
{
    std::string url;
    std::string provider;
};

constexpr auto schemaOf(const HomeRealmText*) { return describe(members<&HomeRealmText::url, &HomeRealmText::provider>()); }

/// Sign-in page at identity's origin. It works without scripts. Its form is bound to the browser that loaded it, against login CSRF. It
/// redirects to this origin or to registered origins only. Thread-safe.
class LoginPage
{
public:
    LoginPage(Core& core, const Pages& pages, SessionRoutes& sessions, MfaRoutes& factors, SignInEnrollment& enrollment)
        : _core(core),
          _sessions(sessions),
          _factors(factors),
          _enrollment(enrollment),
          _page(pages.bind("login", &LoginView::form)),
          _factorPage(pages.bind("second-factor", &FactorView::form, "login")),
          _setupPage(pages.bind("factor-setup", &SetupView::form, "login")),
          _codesPage(pages.bind<RecoveryCodesText>("recovery-codes")),
          _homePage(pages.bind<HomeRealmText>("home-realm")),
          _problem(pages.bind<ProblemText>("problem"))
    {
    }
    void declare(Routes& routes);

    Response show(const Request& request, const Query<LoginPageQuery>& query) const;
    /// A form, or the JSON of `/api/auth/login`.
    Response submit(const Request& request, const RawBody& body);

    /// Returns the page for the second factor, after a first proof at a provider. @param demand 403 `mfa_required`
    Response askFactor(const Request& request, const std::string& returnTo, const Problem& demand) const;
    /// Redirects after a sign-in, with its cookies.
    static Response onward(std::string_view returnTo, Reply<TokenResponse> signedIn);

private:
    Response byForm(const Request& request, const Form<LoginForm>& form);
    Response byFactor(const Request& request, const Form<FactorForm>& form);
    Response bySetup(const Request& request, const Form<SetupForm>& form);
    /// Shows the page for the setup of an authenticator app. @param problem of the sent form; null: shows the page for the first time
    Response setup(const Request& request, const SetupForm& form, const Problem* problem) const;
    /// Redirects to the provider of the organization that owns the address's domain, if it allows no other method.
    std::optional<Response> toHome(const Request& request, const LoginForm& form) const;
    Response byJson(const Request& request, const RawBody& body);
    Response shown(const Request& request, const LoginForm& form, const Problem* problem, const std::string& uiLocales = {}) const;

    Core& _core;
    SessionRoutes& _sessions;
    MfaRoutes& _factors;
    SignInEnrollment& _enrollment;
    FormPage<LoginView, LoginForm> _page;
    FormPage<FactorView, FactorForm> _factorPage;
    FormPage<SetupView, SetupForm> _setupPage;
    WebPage<RecoveryCodesText> _codesPage;
    WebPage<HomeRealmText> _homePage;
    ProblemPage _problem;
};

} // namespace portico::identity
