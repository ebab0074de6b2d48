#pragma once

#include "clients/OAuthClient.h"
#include "oauth/AuthorizationRequest.h"
#include "oauth/ClaimsRequest.h"
#include "signin/BrowserGate.h"
#include "signin/CodeRedemption.h"
#include "web/Fields.h"
#include "web/ProblemPage.h"

#include "portico/Routes.h"

#include <optional>
#include <string>

namespace portico::identity
{

/// Answer of a user to a request for access.
enum class ConsentAnswer : std::uint8_t
{
    Allow,
    Deny
};

constexpr auto schemaOf(const ConsentAnswer*)
{
    return choices<ConsentAnswer>({{"allow", ConsentAnswer::Allow}, {"deny", ConsentAnswer::Deny}});
}

/// The form of the consent page.
struct ConsentInput
{
    std::string ticket;
    ConsentAnswer decision = ConsentAnswer::Deny;
};

constexpr auto schemaOf(const ConsentInput*)
{
    return describe(field<&ConsentInput::ticket>().required(), field<&ConsentInput::decision>().required());
}

/// Data of the consent page.
struct ConsentView
{
    PageForm<ConsentInput> form;
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

constexpr auto schemaOf(const ConsentView*)
{
    return describe(
        members<&ConsentView::form, &ConsentView::clientName, &ConsentView::logoUri, &ConsentView::policyUri, &ConsentView::tosUri,
                &ConsentView::email, &ConsentView::profile, &ConsentView::mail, &ConsentView::organizations, &ConsentView::offline>());
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
    AuthorizeRoutes(Core& core, const Pages& pages, SignInFlow& flow);
    void declare(Routes& routes);

    Response authorize(const Request& request, const RawQuery& query);
    /// Forms of other sites come without cookies. The request therefore continues by a redirect.
    Response authorizeByForm(const Request& request, const RawBody& body);
    Response consent(const Request& request, const Form<ConsentInput>& form);

private:
    /// Request with a valid client and redirect address, where errors can be answered.
    struct Asked
    {
        OAuthClient client;
        UrlParameters parameters;
        std::string redirectUri;
        std::string scope;
        std::string requestUri;
        /// Name of a parameter that was repeated although it must not be; its first value is in `parameters`. Empty: none.
        std::string repeated;
        /// Parsed parameter `claims`; empty if it is invalid.
        ClaimsRequest claims;

        std::string value(std::string_view name) const { return fieldOf(parameters, name); }
    };

    std::optional<Asked> read(const UrlParameters& sent, ProblemText& fault) const;
    BrowserGate::Outcome pass(const Request& request, const Asked& asked, const UrlParameters& sent) const;
    /// A second factor is wanted, and there is one that the sign-in has not shown: it was added since.
    bool hasMoreToProve(const Asked& asked, const SignedInBrowser& browser) const;
    bool isKnownAs(const OAuthClient& client, const UserId& userId, std::string_view subject) const;
    bool needsConsent(const Asked& asked, const SignedInBrowser& browser) const;
    static PageOptions consentOptions(const Asked& asked);
    Response askConsent(const Request& request, const Asked& asked, const UrlParameters& sent, const SignedInBrowser& browser) const;
    Response grant(const Request& request, const Asked& asked, const SignedInBrowser& browser);
    /// Redirects to the sign-in page, unless prompt is none.
    Response signInAgain(const Request& request, const Asked& asked) const;
    Response answer(const Request& request, const Asked& asked, UrlParameters parameters) const;
    Response refuse(const Request& request, const Asked& asked, const RequestFault& fault) const;

    Core& _core;
    SignInFlow& _flow;
    BrowserGate _gate;
    CodeRedemption _codes;
    ProblemPage _problem;
    FormPage<ConsentView, ConsentInput> _consent;
    WebPage<FormPost> _formPost;
};

} // namespace portico::identity
