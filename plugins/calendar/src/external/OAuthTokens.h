#pragma once

#include "external/OAuthProvider.h"
#include "external/RemoteCalls.h"

#include "portico/Schema.h"

#include <string>

namespace portico::calendar
{

/// What lets us into somebody's calendar at a provider. In rows sealed, in place of a password.
struct OAuthTokens
{
    std::string accessToken;
    std::string refreshToken;
    /// Of the access token, a minute early.
    Instant expiresAt{};
};

constexpr auto schemaOf(const OAuthTokens*)
{
    return describe(members<&OAuthTokens::accessToken, &OAuthTokens::refreshToken, &OAuthTokens::expiresAt>());
}

/// For the code that somebody came back with (RFC 6749, 4.1.3, with RFC 7636). @throws CalendarFailure Refused for a code that is not taken
OAuthTokens redeemCode(RemoteCalls& calls, const Clock& clock, const OAuthProvider& provider, const std::string& code,
                       const std::string& verifier, const std::string& redirectUri);

/// New ones for those that have expired (RFC 6749, 6); the refresh token stays unless another one is given.
/// @throws CalendarFailure Refused when the consent has ended
OAuthTokens refreshTokens(RemoteCalls& calls, const Clock& clock, const OAuthProvider& provider, const OAuthTokens& tokens);

} // namespace portico::calendar
