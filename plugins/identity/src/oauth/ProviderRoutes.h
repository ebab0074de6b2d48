#pragma once

#include "oauth/ClientAuthentication.h"
#include "oauth/Dpop.h"
#include "oauth/PersonClaims.h"
#include "sessions/SessionEvents.h"
#include "sessions/SignInDesk.h"
#include "sso/BrowserGate.h"
#include "sso/ProblemPage.h"
#include "web/FormToken.h"

#include "portico/Routes.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

/// What the provider can do (RFC 8414; OpenID Connect Discovery, 3): the same document at both addresses.
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
    return describe(field("issuer", &M::issuer), field("authorization_endpoint", &M::authorizationEndpoint),
                    field("token_endpoint", &M::tokenEndpoint), field("userinfo_endpoint", &M::userinfoEndpoint),
                    field("jwks_uri", &M::jwksUri), field("introspection_endpoint", &M::introspectionEndpoint),
                    field("revocation_endpoint", &M::revocationEndpoint), field("end_session_endpoint", &M::endSessionEndpoint),
                    field("pushed_authorization_request_endpoint", &M::pushedAuthorizationRequestEndpoint),
                    field("device_authorization_endpoint", &M::deviceAuthorizationEndpoint),
                    field("registration_endpoint", &M::registrationEndpoint), field("scopes_supported", &M::scopesSupported),
                    field("response_types_supported", &M::responseTypesSupported),
                    field("response_modes_supported", &M::responseModesSupported), field("grant_types_supported", &M::grantTypesSupported),
                    field("subject_types_supported", &M::subjectTypesSupported),
                    field("id_token_signing_alg_values_supported", &M::idTokenSigningAlgValuesSupported),
                    field("token_endpoint_auth_methods_supported", &M::tokenEndpointAuthMethodsSupported),
                    field("token_endpoint_auth_signing_alg_values_supported", &M::tokenEndpointAuthSigningAlgValuesSupported),
                    field("code_challenge_methods_supported", &M::codeChallengeMethodsSupported),
                    field("dpop_signing_alg_values_supported", &M::dpopSigningAlgValuesSupported),
                    field("claims_supported", &M::claimsSupported), field("prompt_values_supported", &M::promptValuesSupported),
                    field("acr_values_supported", &M::acrValuesSupported), field("ui_locales_supported", &M::uiLocalesSupported),
                    field("authorization_response_iss_parameter_supported", &M::authorizationResponseIssParameterSupported),
                    field("claims_parameter_supported", &M::claimsParameterSupported),
                    field("request_parameter_supported", &M::requestParameterSupported),
                    field("request_uri_parameter_supported", &M::requestUriParameterSupported),
                    field("require_pushed_authorization_requests", &M::requirePushedAuthorizationRequests),
                    field("frontchannel_logout_supported", &M::frontchannelLogoutSupported),
                    field("frontchannel_logout_session_supported", &M::frontchannelLogoutSessionSupported),
                    field("backchannel_logout_supported", &M::backchannelLogoutSupported),
                    field("backchannel_logout_session_supported", &M::backchannelLogoutSessionSupported));
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
    return describe(field("active", &I::active), field("scope", &I::scope).omitEmpty(), field("client_id", &I::clientId).omitEmpty(),
                    field("username", &I::username).omitEmpty(), field("token_type", &I::tokenType).omitEmpty(),
                    field("sub", &I::sub).omitEmpty(), field("aud", &I::aud).omitEmpty(), field("iss", &I::iss).omitEmpty(),
                    field("jti", &I::jti).omitEmpty(), field("acr", &I::acr).omitEmpty(), field("sid", &I::sid).omitEmpty(),
                    field("exp", &I::exp).omitEmpty(), field("iat", &I::iat).omitEmpty(), field("nbf", &I::nbf).omitEmpty(),
                    field("auth_time", &I::authTime).omitEmpty(), field("cnf", &I::cnf).omitEmpty());
}

/// An app's page in a frame of ours.
struct LogoutFrame
{
    std::string url;
};

constexpr auto schemaOf(const LogoutFrame*) { return describe(field("url", &LogoutFrame::url)); }

/// What the page of the end of a session shows.
struct SignOutForm
{
    std::string formToken;
    std::string email;
    std::string clientId;
    std::string redirectUri;
    std::string state;
    /// All is done.
    bool done = false;
    /// Pages of apps that forget what they keep in this browser.
    std::vector<LogoutFrame> frames;
    /// Where it goes on after them; empty: nowhere.
    std::string continueUrl;
};

constexpr auto schemaOf(const SignOutForm*)
{
    return describe(field("formToken", &SignOutForm::formToken), field("email", &SignOutForm::email),
                    field("clientId", &SignOutForm::clientId), field("redirectUri", &SignOutForm::redirectUri),
                    field("state", &SignOutForm::state), field("done", &SignOutForm::done), field("frames", &SignOutForm::frames),
                    field("continueUrl", &SignOutForm::continueUrl));
}

/// The rest of the OpenID Connect provider: discovery, userinfo, introspection (RFC 7662), revocation (RFC 7009), and the end of a session
/// at the wish of a client (OpenID Connect RP-Initiated Logout). Thread-safe.
class ProviderRoutes
{
public:
    ProviderRoutes(Core& core, const Pages& pages, SignInDesk& desk);
    void declare(Routes& routes);

    ProviderMetadata metadata() const;
    Response userinfo(const Request& request);
    Response userinfoByForm(const Request& request, const RawBody& body);
    Response introspect(const Request& request, const RawBody& body);
    Response revoke(const Request& request, const RawBody& body);
    Response logout(const Request& request, const RawQuery& query);
    Response logoutByForm(const Request& request, const RawBody& body);

private:
    /// A token whose sign-in and user are there still.
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
    SignInDesk& _desk;
    ClientAuthentication _clients;
    Dpop _dpop;
    SessionEvents _events;
    BrowserGate _gate;
    FormToken _tokens;
    WebPage<SignOutForm> _signOut;
};

} // namespace portico::identity
