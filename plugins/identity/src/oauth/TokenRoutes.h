#pragma once

#include "oauth/AuthorizeRoutes.h"
#include "oauth/ClientAuthentication.h"
#include "oauth/DeviceRoutes.h"
#include "oauth/Dpop.h"
#include "sessions/SessionEvents.h"
#include "sessions/SignInDesk.h"

#include "portico/Routes.h"

#include <optional>
#include <string>

namespace portico::identity
{

/// RFC 6749, 5.1.
struct TokenAnswer
{
    std::string accessToken;
    std::string tokenType = "Bearer";
    std::int64_t expiresIn = 0;
    std::string scope;
    std::optional<std::string> refreshToken;
    std::optional<std::string> idToken;
};

constexpr auto schemaOf(const TokenAnswer*)
{
    return describe(field("access_token", &TokenAnswer::accessToken), field("token_type", &TokenAnswer::tokenType),
                    field("expires_in", &TokenAnswer::expiresIn), field("scope", &TokenAnswer::scope),
                    field("refresh_token", &TokenAnswer::refreshToken).omitEmpty(), field("id_token", &TokenAnswer::idToken).omitEmpty());
}

/// The token endpoint (RFC 6749, 3.2), with proofs of possession (RFC 9449). Thread-safe.
class TokenRoutes
{
public:
    TokenRoutes(Core& core, SignInDesk& desk);
    void declare(Routes& routes);
    Response token(const Request& request, const RawBody& body);

private:
    /// A request of a client that has proved who it is, and the key that its tokens are to be bound to.
    struct Asked
    {
        const Request& request;
        const UrlParameters& form;
        const OAuthClient& client;
        std::optional<std::string> jkt;
    };
    std::optional<std::string> provenKey(const Request& request, const OAuthClient& client) const;
    TokenAnswer byGrant(const Asked& asked);
    TokenAnswer byCode(const Asked& asked);
    TokenAnswer byRefresh(const Asked& asked);
    TokenAnswer byClient(const Asked& asked);
    TokenAnswer byDevice(const Asked& asked);

    CodeGrant requireGrant(const Asked& asked, const std::string& code);
    [[noreturn]] void refuseUsed(const Asked& asked, std::string_view code);
    /// Starts the sign-in that a grant of somebody stands for.
    TokenAnswer signIn(const Asked& asked, const CodeGrant& grant, const std::string& code);
    std::string idToken(const OAuthClient& client, const User& user, const SignIn& signIn, std::string_view nonce,
                        std::string_view accessToken);
    void end(const std::string& sessionId, const std::string& userId, std::string_view reason, const Request& request,
             std::string_view event);

    Core& _core;
    SignInDesk& _desk;
    ClientAuthentication _clients;
    Dpop _dpop;
    OneTimeCodes _codes;
    DeviceRequests _devices;
    SessionEvents _events;
};

} // namespace portico::identity
