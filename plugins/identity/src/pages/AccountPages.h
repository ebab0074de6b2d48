#pragma once

#include "accounts/PasswordRoutes.h"
#include "accounts/RegistrationRoutes.h"
#include "human/HumanVerification.h"
#include "passkeys/PasskeyRoutes.h"
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

struct VerifyForm
{
    std::string token;
};

constexpr auto schemaOf(const VerifyForm*) { return describe(field<&VerifyForm::token>().maxLength(100)); }

/// The page that a mail leads to, to prove an address.
struct VerifyPage
{
    PageForm<VerifyForm> form;
    std::string loginUrl = "/login";
    /// True if the link reverts a change of address.
    bool reverts = false;
    /// One of these at most.
    bool verified = false;
    bool expired = false;
    /// With `expired`: the link has lost a part of its token.
    bool incomplete = false;
};

constexpr auto schemaOf(const VerifyPage*)
{
    return describe(members<&VerifyPage::form, &VerifyPage::loginUrl, &VerifyPage::reverts, &VerifyPage::verified, &VerifyPage::expired,
                            &VerifyPage::incomplete>());
}

/// The sign-in that a user has left, because the password is forgotten.
struct ForgotQuery
{
    std::string serviceId;
    std::string returnTo;
};

constexpr auto schemaOf(const ForgotQuery*)
{
    return describe(field<&ForgotQuery::serviceId>("service_id"), field<&ForgotQuery::returnTo>("return_to"));
}

struct ForgotForm
{
    std::string email;
    std::string serviceId;
    std::string returnTo;
    /// Solution of the challenge.
    std::string proof;
};

constexpr auto schemaOf(const ForgotForm*)
{
    return describe(field<&ForgotForm::email>().required().trimmed().email(), field<&ForgotForm::serviceId>("service_id").maxLength(40),
                    field<&ForgotForm::returnTo>("return_to").maxLength(2000), field<&ForgotForm::proof>().writeOnly());
}

struct ForgotPage
{
    PageForm<ForgotForm> form;
    std::string loginUrl;
    /// Like those of `RegisterPage`, if human verification is required.
    std::string challenge;
    std::string script;
    bool sent = false;
    /// True if only the apps can obtain that proof.
    bool elsewhere = false;
};

constexpr auto schemaOf(const ForgotPage*)
{
    return describe(members<&ForgotPage::form, &ForgotPage::loginUrl, &ForgotPage::challenge, &ForgotPage::script, &ForgotPage::sent,
                            &ForgotPage::elsewhere>());
}

struct ResetForm
{
    std::string token;
    std::string password;
    std::string code;
    /// The code is a recovery code.
    bool recovery = false;
    /// Answer of a passkey, as JSON.
    std::string credential;
};

constexpr auto schemaOf(const ResetForm*)
{
    return describe(field<&ResetForm::token>().maxLength(100), field<&ResetForm::password>().required().writeOnly(),
                    field<&ResetForm::code>().maxLength(40).writeOnly(), field<&ResetForm::recovery>(),
                    field<&ResetForm::credential>().writeOnly());
}

struct ResetPage
{
    PageForm<ResetForm> form;
    std::string loginUrl = "/login";
    /// The account has a second factor.
    bool needsCode = false;
    /// It can be proved by a passkey: JSON of its options, and the script that asks the browser.
    std::string options;
    std::string script;
    /// It can be proved by a code.
    bool byCode = false;
    bool expired = false;
    /// With `expired`: the link has lost a part of its token.
    bool incomplete = false;
    bool done = false;
};

constexpr auto schemaOf(const ResetPage*)
{
    return describe(members<&ResetPage::form, &ResetPage::loginUrl, &ResetPage::needsCode, &ResetPage::options, &ResetPage::script,
                            &ResetPage::byCode, &ResetPage::expired, &ResetPage::incomplete, &ResetPage::done>());
}

struct RegisterQuery
{
    std::string invitation;
    std::string email;
    /// Page from which the user came to register.
    std::string returnTo;
};

constexpr auto schemaOf(const RegisterQuery*)
{
    return describe(field<&RegisterQuery::invitation>().maxLength(100), field<&RegisterQuery::email>().maxLength(254),
                    field<&RegisterQuery::returnTo>("return_to"));
}

struct RegisterForm
{
    std::string invitation;
    std::string displayName;
    std::string email;
    std::string password;
    std::string organizationName;
    std::string returnTo;
    bool terms = false;
    /// Solution of the challenge.
    std::string proof;
};

constexpr auto schemaOf(const RegisterForm*)
{
    return describe(
        field<&RegisterForm::invitation>().maxLength(100), field<&RegisterForm::displayName>().required().trimmed().maxLength(120),
        field<&RegisterForm::email>().required().trimmed().email(), field<&RegisterForm::password>().required().writeOnly(),
        field<&RegisterForm::organizationName>().trimmed().maxLength(120), field<&RegisterForm::returnTo>("return_to").maxLength(2000),
        field<&RegisterForm::terms>().required(), field<&RegisterForm::proof>().writeOnly());
}

struct RegisterPage
{
    PageForm<RegisterForm> form;
    std::string loginUrl;
    /// JSON of the challenge that the page's script solves, and that script.
    std::string challenge;
    std::string script;
    bool closed = false;
    bool sent = false;
};

constexpr auto schemaOf(const RegisterPage*)
{
    return describe(members<&RegisterPage::form, &RegisterPage::loginUrl, &RegisterPage::challenge, &RegisterPage::script,
                            &RegisterPage::closed, &RegisterPage::sent>());
}

/// Pages for signed-out users: registration, and the targets of links in mails. A link changes nothing until its form is sent, because mail
/// scanners open links too. Only registration needs a script, which solves its challenge. Thread-safe.
class AccountPages
{
public:
    AccountPages(Core& core, const Pages& pages, RegistrationRoutes& registration, PasswordRoutes& passwords, PasskeyRoutes& passkeys,
                 Passkeys& ceremonies);
    void declare(Routes& routes);

    Response showVerify(const Request& request, const Query<TokenQuery>& query) const;
    Response verify(const Request& request, const Form<VerifyForm>& form);
    Response showForgot(const Request& request, const Query<ForgotQuery>& query) const;
    Response forgot(const Request& request, const Form<ForgotForm>& form);
    Response showReset(const Request& request, const Query<TokenQuery>& query) const;
    Response reset(const Request& request, const Form<ResetForm>& form);
    Response showRegister(const Request& request, const Query<RegisterQuery>& query);
    /// A form, or the JSON of `/api/auth/register`.
    Response submitRegister(const Request& request, const RawBody& body);

private:
    /// Returns true if a link has expired or was used. Shown before the user enters a password.
    bool isGone(std::string_view purpose, std::string_view token) const;
    /// Returns an empty text for an address that the sign-in would reject.
    std::string allowedReturn(const std::string& returnTo) const;
    Response registerByForm(const Request& request, const Form<RegisterForm>& form);
    Response shownRegister(const Request& request, RegisterPage page, const Problem* problem = nullptr) const;
    /// Asks for further proofs that the account has.
    Response refusedReset(const Request& request, ResetPage page, const Problem& problem) const;
    Response shownForgot(const Request& request, const ForgotForm& typed, bool sent, const Problem* problem = nullptr) const;
    /// Adds a challenge to a page, and the policy that lets its script run.
    template <class T>
    PageOptions challengeOn(T& page, HumanPurpose purpose) const;

    Core& _core;
    RegistrationRoutes& _registration;
    PasswordRoutes& _passwords;
    PasskeyRoutes& _passkeys;
    Passkeys& _ceremonies;
    FormPage<VerifyPage, VerifyForm> _verify;
    FormPage<ForgotPage, ForgotForm> _forgot;
    FormPage<ResetPage, ResetForm> _reset;
    FormPage<RegisterPage, RegisterForm> _register;
};

} // namespace portico::identity
