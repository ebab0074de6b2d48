#pragma once

#include "external/OAuthProvider.h"
#include "external/RemoteCalls.h"

#include "portico/Schema.h"

#include <string>

namespace portico::calendar
{

/// Tokens of a user's calendar at a provider. Rows keep them sealed, in the column of the password.
struct OAuthTokens
{
    std::string accessToken;
    std::string refreshToken;
    /// Expiry of the access token, less a minute.
    Instant expiresAt{};
};

constexpr auto schemaOf(const OAuthTokens*)
{
    return describe(members<&OAuthTokens::accessToken, &OAuthTokens::refreshToken, &OAuthTokens::expiresAt>());
}

/// Redeems the authorization code (RFC 6749, 4.1.3, with RFC 7636). @throws CalendarFailure Refused if the provider rejects the code
OAuthTokens redeemCode(RemoteCalls& calls, const Clock& clock, const OAuthProvider& provider, const std::string& code,
                       const std::string& verifier, const std::string& redirectUri);

/// Renews expired tokens (RFC 6749, 6). Keeps the refresh token unless the provider returns another one.
/// @throws CalendarFailure Refused if the consent has ended
OAuthTokens refreshTokens(RemoteCalls& calls, const Clock& clock, const OAuthProvider& provider, const OAuthTokens& tokens);

} // namespace portico::calendar
