#pragma once

#include "oauth/ClientAuthentication.h"
#include "oauth/PersonClaims.h"
#include "sessions/SignIn.h"
#include "signin/BrowserGate.h"
#include "tokens/Dpop.h"
#include "web/Fields.h"
#include "web/ProblemPage.h"

#include "portico/Routes.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

/// Metadata of the provider (RFC 8414; OpenID Connect Discovery, 3): the same document at both addresses.
struct ProviderMetadata
{
    std::string issuer;
    std::string authorizationEndpoint;
    std::string tokenEndpoint;
    std::string userinfoEndpoint;
    std::string jwksUri;
    std::string introspectionEndpoint;
    std::string revocationEndpoint;
    std::string endSessionEndpoint;
    std::string pushedAuthorizationRequestEndpoint;
    std::string deviceAuthorizationEndpoint;
    std::string registrationEndpoint;
    std::vector<std::string> scopesSupported = {"openid", "profile", "email", "organizations", "offline_access"};
    std::vector<std::string> responseTypesSupported = {"code"};
    std::vector<std::string> responseModesSupported = {"query", "form_post"};
    std::vector<std::string> grantTypesSupported = {"authorization_code", "refresh_token", "client_credentials",
                                                    "urn:ietf:params:oauth:grant-type:device_code",
                                                    "urn:ietf:params:oauth:grant-type:token-exchange"};
    std::vector<std::string> subjectTypesSupported = {"public", "pairwise"};
    std::vector<std::string> idTokenSigningAlgValuesSupported = {"RS256", "ES256"};
    std::vector<std::string> tokenEndpointAuthMethodsSupported = {"client_secret_basic", "client_secret_post", "private_key_jwt", "none"};
    std::vector<std::string> tokenEndpointAuthSigningAlgValuesSupported = {"ES256", "RS256", "PS256"};
    std::vector<std::string> codeChallengeMethodsSupported = {"S256"};
    std::vector<std::string> dpopSigningAlgValuesSupported = {"ES256", "RS256", "PS256"};
    std::vector<std::string> claimsSupported = {
        "sub",    "preferred_username", "name",       "given_name", "family_name",    "picture",
        "locale", "zoneinfo",           "updated_at", "email",      "email_verified", "organizations"};
    std::vector<std::string> promptValuesSupported = {"none", "login", "consent", "select_account"};
    std::vector<std::string> acrValuesSupported = {"aal1", "aal2"};
    std::vector<std::string> uiLocalesSupported;
    bool authorizationResponseIssParameterSupported = true;
    bool claimsParameterSupported = true;
    bool requestParameterSupported = false;
    bool requestUriParameterSupported = false;
    bool requirePushedAuthorizationRequests = false;
    bool frontchannelLogoutSupported = true;
    bool frontchannelLogoutSessionSupported = true;
    bool backchannelLogoutSupported = true;
    bool backchannelLogoutSessionSupported = true;
};

constexpr auto schemaOf(const ProviderMetadata*)
{
    using M = ProviderMetadata;
    return describe(field<&M::issuer>(), field<&M::authorizationEndpoint>("authorization_endpoint"),
                    field<&M::tokenEndpoint>("token_endpoint"), field<&M::userinfoEndpoint>("userinfo_endpoint"),
                    field<&M::jwksUri>("jwks_uri"), field<&M::introspectionEndpoint>("introspection_endpoint"),
                    field<&M::revocationEndpoint>("revocation_endpoint"), field<&M::endSessionEndpoint>("end_session_endpoint"),
                    field<&M::pushedAuthorizationRequestEndpoint>("pushed_authorization_request_endpoint"),
                    field<&M::deviceAuthorizationEndpoint>("device_authorization_endpoint"),
                    field<&M::registrationEndpoint>("registration_endpoint"), field<&M::scopesSupported>("scopes_supported"),
                    field<&M::responseTypesSupported>("response_types_supported"),
                    field<&M::responseModesSupported>("response_modes_supported"), field<&M::grantTypesSupported>("grant_types_supported"),
                    field<&M::subjectTypesSupported>("subject_types_supported"),
                    field<&M::idTokenSigningAlgValuesSupported>("id_token_signing_alg_values_supported"),
                    field<&M::tokenEndpointAuthMethodsSupported>("token_endpoint_auth_methods_supported"),
                    field<&M::tokenEndpointAuthSigningAlgValuesSupported>("token_endpoint_auth_signing_alg_values_supported"),
                    field<&M::codeChallengeMethodsSupported>("code_challenge_methods_supported"),
                    field<&M::dpopSigningAlgValuesSupported>("dpop_signing_alg_values_supported"),
                    field<&M::claimsSupported>("claims_supported"), field<&M::promptValuesSupported>("prompt_values_supported"),
                    field<&M::acrValuesSupported>("acr_values_supported"), field<&M::uiLocalesSupported>("ui_locales_supported"),
                    field<&M::authorizationResponseIssParameterSupported>("authorization_response_iss_parameter_supported"),
                    field<&M::claimsParameterSupported>("claims_parameter_supported"),
                    field<&M::requestParameterSupported>("request_parameter_supported"),
                    field<&M::requestUriParameterSupported>("request_uri_parameter_supported"),
                    field<&M::requirePushedAuthorizationRequests>("require_pushed_authorization_requests"),
                    field<&M::frontchannelLogoutSupported>("frontchannel_logout_supported"),
                    field<&M::frontchannelLogoutSessionSupported>("frontchannel_logout_session_supported"),
                    field<&M::backchannelLogoutSupported>("backchannel_logout_supported"),
                    field<&M::backchannelLogoutSessionSupported>("backchannel_logout_session_supported"));
}

/// RFC 7662, 2.2.
struct Introspection
{
    bool active = false;
    std::optional<std::string> scope, clientId, username, tokenType, sub, aud, iss, jti, acr, sid;
    std::optional<std::int64_t> exp, iat, nbf, authTime;
    std::optional<Confirmation> cnf;
};

constexpr auto schemaOf(const Introspection*)
{
    using I = Introspection;
    return describe(field<&I::active>(), field<&I::scope>().omitEmpty(), field<&I::clientId>("client_id").omitEmpty(),
                    field<&I::username>().omitEmpty(), field<&I::tokenType>("token_type").omitEmpty(), field<&I::sub>().omitEmpty(),
                    field<&I::aud>().omitEmpty(), field<&I::iss>().omitEmpty(), field<&I::jti>().omitEmpty(), field<&I::acr>().omitEmpty(),
                    field<&I::sid>().omitEmpty(), field<&I::exp>().omitEmpty(), field<&I::iat>().omitEmpty(), field<&I::nbf>().omitEmpty(),
                    field<&I::authTime>("auth_time").omitEmpty(), field<&I::cnf>().omitEmpty());
}

/// An app's page in a frame of ours.
struct LogoutFrame
{
    std::string url;
};

constexpr auto schemaOf(const LogoutFrame*) { return describe(field<&LogoutFrame::url>()); }

/// Data of the sign-out page.
struct SignOutForm
{
    std::string formToken;
    std::string email;
    std::string clientId;
    std::string redirectUri;
    std::string state;
    /// All is done.
    bool done = false;
    /// Pages of apps that clear their data in this browser.
    std::vector<LogoutFrame> frames;
    /// Address to continue at; empty: none.
    std::string continueUrl;
};

constexpr auto schemaOf(const SignOutForm*)
{
    return describe(members<&SignOutForm::formToken, &SignOutForm::email, &SignOutForm::clientId, &SignOutForm::redirectUri,
                            &SignOutForm::state, &SignOutForm::done, &SignOutForm::frames, &SignOutForm::continueUrl>());
}

/// The rest of the OpenID Connect provider: discovery, userinfo, introspection (RFC 7662), revocation (RFC 7009), and the end of a session
/// at the wanted of a client (OpenID Connect RP-Initiated Logout). Thread-safe.
class ProviderRoutes
{
public:
    ProviderRoutes(Core& core, const Pages& pages);
    void declare(Routes& routes);

    ProviderMetadata metadata() const;
    Response userinfo(const Request& request);
    Response userinfoByForm(const Request& request, const RawBody& body);
    Response introspect(const Request& request, const RawBody& body);
    Response revoke(const Request& request, const RawBody& body);
    Response logout(const Request& request, const RawQuery& query);
    Response logoutByForm(const Request& request, const RawBody& body);

private:
    /// A token whose sign-in and user are still active.
    struct Live
    {
        AccessClaims claims;
        std::optional<SignIn> signIn;
        std::optional<User> user;
    };
    std::optional<Live> read(std::string_view accessToken) const;
    Response answerUserinfo(const Request& request, std::string_view token, bool bound);
    Introspection inspect(const OAuthClient& client, const std::string& token) const;
    Response endSession(const Request& request, const UrlParameters& parameters, bool confirmed);
    Response signedOut(const Request& request, SignOutForm form, const std::vector<std::string>& ended, const std::string& continueUrl,
                       const std::string& locales) const;
    std::vector<std::string> end(const Request& request, const std::vector<SignIn>& signIns, const std::string& userId,
                                 const std::optional<std::string>& browserSessionId);

    Core& _core;
    ClientAuthentication _clients;
    Dpop _dpop;
    BrowserGate _gate;
    FormTokens _tokens;
    WebPage<SignOutForm> _signOut;
};

} // namespace portico::identity
