#pragma once

#include "oauth/AuthorizeRoutes.h"
#include "oauth/ClientAuthentication.h"
#include "oauth/DeviceRoutes.h"
#include "oauth/ServiceGrants.h"
#include "oauth/TokenExchange.h"
#include "signin/SignInFlow.h"
#include "tokens/Dpop.h"

#include "portico/Routes.h"

#include <optional>
#include <string>

namespace portico::identity
{

/// The token endpoint (RFC 6749, 3.2), with proofs of possession (RFC 9449). Thread-safe.
class TokenRoutes
{
public:
    TokenRoutes(Core& core, SignInFlow& flow);
    void declare(Routes& routes);
    Response token(const Request& request, const RawBody& body);

private:
    /// A request of a client that has proved who it is, and the key that its tokens are to be bound to.
    struct TokenRequest
    {
        const Request& request;
        const UrlParameters& form;
        const OAuthClient& client;
        std::optional<std::string> jkt;
    };
    std::optional<std::string> provenKey(const Request& request, const OAuthClient& client) const;
    TokenAnswer byGrant(const TokenRequest& asked);
    TokenAnswer byCode(const TokenRequest& asked);
    TokenAnswer byRefresh(const TokenRequest& asked);
    /// Returns the result of the client credentials grant by current rows. @throws OAuthError
    ServiceGrant grantOf(const TokenRequest& asked) const;
    TokenAnswer issue(const ServiceGrant& grant, const std::optional<std::string>& jkt);
    TokenAnswer byDevice(const TokenRequest& asked);
    /// Returns the audience of a client's token: identity, or the service whose origin is requested as `resource` (RFC 8707).
    /// @throws OAuthError `invalid_target`
    std::string audienceOf(const TokenRequest& asked, const Catalog& catalog, std::string_view scope) const;

    static void verify(const TokenRequest& asked, const SignInGrant& grant);
    /// Returns the sign-in of a user's grant.
    SignInRequest signInFor(const TokenRequest& asked, const SignInGrant& grant, const CodeRedemption::Source& source);
    TokenAnswer answer(const OAuthClient& client, CodeRedemption::Redeemed redeemed);
    /// @param refreshToken empty: none
    TokenAnswer answer(const OAuthClient& client, TokenResponse issued, const SignIn& signIn, std::string_view refreshToken,
                       std::string_view nonce = {});
    std::string idToken(const OAuthClient& client, const User& user, const SignIn& signIn, std::string_view nonce,
                        std::string_view accessToken);

    Core& _core;
    SignInFlow& _flow;
    ClientAuthentication _clients;
    ServiceGrants _serviceGrants;
    Dpop _dpop;
    CodeRedemption _codes;
    DeviceRequests _devices;
    TokenExchange _exchange;
};

} // namespace portico::identity
