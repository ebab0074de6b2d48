#pragma once

#include "oauth/AuthorizationRequest.h"
#include "oauth/ClaimsRequest.h"
#include "oauth/OAuthClient.h"
#include "sessions/SignInService.h"
#include "sso/BrowserGate.h"
#include "sso/OneTimeCodes.h"
#include "sso/ProblemPage.h"
#include "web/Fields.h"

#include "portico/Routes.h"

#include <optional>
#include <string>

namespace portico::identity
{

/// What an authorization code stands for.
struct CodeGrant
{
    std::string clientId;
    std::string redirectUri;
    std::string scope;
    std::string nonce;
    std::string codeChallenge;
    /// The key that the code is bound to (RFC 9449, 10).
    std::string dpopJkt;
    std::string userId;
    std::string browserSessionId;
    std::optional<OrganizationId> organizationId;
    /// Of the browser: the person's, for the policy of their organization; a backend redeems the code from its own.
    std::string address;

    static constexpr std::string_view use = "oauth-code";
};

constexpr auto schemaOf(const CodeGrant*)
{
    return describe(
        members<&CodeGrant::clientId, &CodeGrant::redirectUri, &CodeGrant::scope, &CodeGrant::nonce, &CodeGrant::codeChallenge,
                &CodeGrant::dpopJkt, &CodeGrant::userId, &CodeGrant::browserSessionId, &CodeGrant::organizationId, &CodeGrant::address>());
}

/// What somebody is asked to allow.
struct ConsentForm
{
    std::string formToken;
    std::string ticket;
    std::string clientName;
    std::optional<std::string> logoUri;
    std::optional<std::string> policyUri;
    std::optional<std::string> tosUri;
    std::string email;
    bool profile = false;
    bool mail = false;
    bool organizations = false;
    bool offline = false;
};

constexpr auto schemaOf(const ConsentForm*)
{
    return describe(members<&ConsentForm::formToken, &ConsentForm::ticket, &ConsentForm::clientName, &ConsentForm::logoUri,
                            &ConsentForm::policyUri, &ConsentForm::tosUri, &ConsentForm::email, &ConsentForm::profile, &ConsentForm::mail,
                            &ConsentForm::organizations, &ConsentForm::offline>());
}

struct PostedField
{
    std::string name;
    std::string value;
};

constexpr auto schemaOf(const PostedField*) { return describe(members<&PostedField::name, &PostedField::value>()); }

/// The page that posts an answer to the client (OAuth 2.0 Form Post Response Mode).
struct FormPost
{
    std::string action;
    std::vector<PostedField> fields;
};

constexpr auto schemaOf(const FormPost*) { return describe(members<&FormPost::action, &FormPost::fields>()); }

/// Signing people in for clients: authorization endpoint and consent (RFC 6749, OpenID Connect Core, RFC 9207, RFC 9126). Thread-safe.
class AuthorizeRoutes
{
public:
    AuthorizeRoutes(Core& core, const Pages& pages, SignInService& signIns);
    void declare(Routes& routes);

    Response authorize(const Request& request, const RawQuery& query);
    /// A form of another site brings no cookie of ours: it goes on as a link.
    Response authorizeByForm(const Request& request, const RawBody& body);
    Response consent(const Request& request, const RawBody& body);

private:
    /// A request whose client and redirect address are right: everything else can be answered there.
    struct Asked
    {
        OAuthClient client;
        UrlParameters parameters;
        std::string redirectUri;
        std::string scope;
        std::string requestUri;
        /// A parameter that was sent several times and must not be; of those the first value is in `parameters`. Empty: none.
        std::string repeated;
        /// Of the parameter `claims`; nothing of one that is not good.
        ClaimsRequest claims;

        std::string value(std::string_view name) const { return fieldOf(parameters, name); }
    };

    std::optional<Asked> read(const UrlParameters& sent, ProblemText& fault) const;
    BrowserGate::Outcome pass(const Request& request, const Asked& asked, const UrlParameters& sent) const;
    /// A second factor is wanted, and there is one that the sign-in has not shown: it was added since.
    bool hasMoreToProve(const Asked& asked, const SignedInBrowser& browser) const;
    bool isKnownAs(const OAuthClient& client, const UserId& userId, std::string_view subject) const;
    bool needsConsent(const Asked& asked, const SignedInBrowser& browser) const;
    Response askConsent(const Request& request, const Asked& asked, const UrlParameters& sent, const SignedInBrowser& browser) const;
    Response grant(const Request& request, const Asked& asked, const SignedInBrowser& browser);
    /// By the page of sign-in, if there is anybody to ask.
    Response signInAgain(const Request& request, const Asked& asked) const;
    Response answer(const Request& request, const Asked& asked, UrlParameters parameters) const;
    Response refuse(const Request& request, const Asked& asked, const RequestFault& fault) const;

    Core& _core;
    SignInService& _signIns;
    BrowserGate _gate;
    OneTimeCodes _codes;
    FormTokens _tokens;
    ProblemPage _problem;
    WebPage<ConsentForm> _consent;
    WebPage<FormPost> _formPost;
};

} // namespace portico::identity
