#pragma once

#include "accounts/PasswordRoutes.h"
#include "accounts/RegistrationRoutes.h"
#include "passkeys/PasskeyRoutes.h"
#include "web/FormToken.h"
#include "web/Pages.h"
#include "web/Urls.h"

namespace portico::identity
{

/// The link of a mail.
struct TokenQuery
{
    std::string token;
};

constexpr auto schemaOf(const TokenQuery*) { return describe(field<&TokenQuery::token>().maxLength(100)); }

/// What the page shows that a mail leads to, to prove an address.
struct VerifyPage
{
    std::string formToken;
    std::string token;
    std::string loginUrl = "/login";
    /// The link takes a change of address back.
    bool reverts = false;
    /// One of these at most.
    bool verified = false;
    bool expired = false;
    /// With `expired`: the link has lost a part of its token.
    bool incomplete = false;
    bool stale = false;
};

constexpr auto schemaOf(const VerifyPage*)
{
    return describe(members<&VerifyPage::formToken, &VerifyPage::token, &VerifyPage::loginUrl, &VerifyPage::reverts, &VerifyPage::verified,
                            &VerifyPage::expired, &VerifyPage::incomplete, &VerifyPage::stale>());
}

/// What is wrong with a new password: one of these at most.
struct PasswordFault
{
    bool tooShort = false;
    bool breached = false;
    bool contextWord = false;

    static PasswordFault of(std::string_view code);
    bool any() const noexcept { return tooShort || breached || contextWord; }
};

constexpr auto schemaOf(const PasswordFault*)
{
    return describe(members<&PasswordFault::tooShort, &PasswordFault::breached, &PasswordFault::contextWord>());
}

/// From which sign-in somebody has come, who has forgotten their password.
struct ForgotQuery
{
    std::string serviceId;
    std::string returnTo;
};

constexpr auto schemaOf(const ForgotQuery*)
{
    return describe(field<&ForgotQuery::serviceId>("service_id"), field<&ForgotQuery::returnTo>("return_to"));
}

struct ForgotPage
{
    std::string formToken;
    std::string email;
    std::string serviceId;
    std::string returnTo;
    std::string loginUrl;
    /// As of `RegisterPage`, where a proof of somebody human is asked for.
    std::string challenge;
    std::string script;
    bool sent = false;
    bool invalidEmail = false;
    bool notHuman = false;
    /// That proof is one that only the apps can bring.
    bool elsewhere = false;
    bool tooMany = false;
    bool stale = false;
};

constexpr auto schemaOf(const ForgotPage*)
{
    return describe(
        members<&ForgotPage::formToken, &ForgotPage::email, &ForgotPage::serviceId, &ForgotPage::returnTo, &ForgotPage::loginUrl,
                &ForgotPage::challenge, &ForgotPage::script, &ForgotPage::sent, &ForgotPage::invalidEmail, &ForgotPage::notHuman,
                &ForgotPage::elsewhere, &ForgotPage::tooMany, &ForgotPage::stale>());
}

struct ResetPage
{
    std::string formToken;
    std::string token;
    std::string loginUrl = "/login";
    PasswordFault password;
    /// The account has a second factor.
    bool needsCode = false;
    /// It can be proved by a passkey: JSON of its options, and the script that asks the browser.
    std::string options;
    std::string script;
    /// It can be proved by a code.
    bool byCode = false;
    bool invalidCode = false;
    bool expired = false;
    /// With `expired`: the link has lost a part of its token.
    bool incomplete = false;
    bool tooMany = false;
    bool stale = false;
    bool done = false;
};

constexpr auto schemaOf(const ResetPage*)
{
    return describe(members<&ResetPage::formToken, &ResetPage::token, &ResetPage::loginUrl, &ResetPage::password, &ResetPage::needsCode,
                            &ResetPage::options, &ResetPage::script, &ResetPage::byCode, &ResetPage::invalidCode, &ResetPage::expired,
                            &ResetPage::incomplete, &ResetPage::tooMany, &ResetPage::stale, &ResetPage::done>());
}

struct RegisterQuery
{
    std::string invitation;
    std::string email;
    /// The page that somebody has come from to register.
    std::string returnTo;
};

constexpr auto schemaOf(const RegisterQuery*)
{
    return describe(field<&RegisterQuery::invitation>().maxLength(100), field<&RegisterQuery::email>().maxLength(254),
                    field<&RegisterQuery::returnTo>("return_to"));
}

struct RegisterPage
{
    std::string formToken;
    std::string invitation;
    std::string displayName;
    std::string email;
    std::string organizationName;
    std::string returnTo;
    std::string loginUrl;
    /// JSON of the challenge that the page's script solves, and that script.
    std::string challenge;
    std::string script;
    PasswordFault password;
    bool invalidInput = false;
    bool notHuman = false;
    bool wrongAddress = false;
    bool expired = false;
    bool tooMany = false;
    bool stale = false;
    bool closed = false;
    bool sent = false;
};

constexpr auto schemaOf(const RegisterPage*)
{
    return describe(members<&RegisterPage::formToken, &RegisterPage::invitation, &RegisterPage::displayName, &RegisterPage::email,
                            &RegisterPage::organizationName, &RegisterPage::returnTo, &RegisterPage::loginUrl, &RegisterPage::challenge,
                            &RegisterPage::script, &RegisterPage::password, &RegisterPage::invalidInput, &RegisterPage::notHuman,
                            &RegisterPage::wrongAddress, &RegisterPage::expired, &RegisterPage::tooMany, &RegisterPage::stale,
                            &RegisterPage::closed, &RegisterPage::sent>());
}

/// The pages of people without a sign-in: registering, and what the links of mails lead to. A link itself changes nothing, because programs
/// that check mails open it, too: a form does. All but registering works without scripts; that needs one to solve its challenge.
/// Thread-safe.
class AccountPages
{
public:
    AccountPages(Core& core, const Pages& pages, RegistrationRoutes& registration, PasswordRoutes& passwords, PasskeyRoutes& passkeys,
                 Passkeys& ceremonies);
    void declare(Routes& routes);

    Response showVerify(const Request& request, const Query<TokenQuery>& query) const;
    Response verify(const Request& request, const RawBody& body);
    Response showForgot(const Request& request, const Query<ForgotQuery>& query) const;
    Response forgot(const Request& request, const RawBody& body);
    Response showReset(const Request& request, const Query<TokenQuery>& query) const;
    Response reset(const Request& request, const RawBody& body);
    Response showRegister(const Request& request, const Query<RegisterQuery>& query);
    /// A form, or the JSON of `/api/auth/register`.
    Response submitRegister(const Request& request, const RawBody& body);

private:
    /// Whether a link opens nothing any more, told before somebody types a password for it.
    bool isGone(std::string_view purpose, std::string_view token) const;
    /// What a sign-in would refuse leads nowhere.
    std::string allowedReturn(const std::string& returnTo) const;
    Response registerByForm(const Request& request, const UrlParameters& fields);
    Response shownRegister(const Request& request, RegisterPage page, int status) const;
    /// Asks for the proofs that the account can give.
    Response shownReset(const Request& request, ResetPage page, int status) const;
    Response shownForgot(const Request& request, ForgotPage page, int status) const;
    /// A page with the token of its form.
    template <class T>
    Response shown(const WebPage<T>& page, const Request& request, T record, int status, const std::string& script = {}) const;
    template <class T>
    Response shownWithChallenge(const WebPage<T>& page, const Request& request, T record, HumanPurpose purpose, int status) const;

    Core& _core;
    RegistrationRoutes& _registration;
    PasswordRoutes& _passwords;
    PasskeyRoutes& _passkeys;
    Passkeys& _ceremonies;
    FormToken _tokens;
    WebPage<VerifyPage> _verify;
    WebPage<ForgotPage> _forgot;
    WebPage<ResetPage> _reset;
    WebPage<RegisterPage> _register;
};

} // namespace portico::identity
