#pragma once

#include "tokens/AccessToken.h"
#include "tokens/SigningKey.h"

#include "portico/Instant.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace portico::identity
{

/// The keys of one moment: the one that signs, and all whose signatures count.
struct KeySet
{
    std::string currentKid;
    std::map<std::string, SigningKey, std::less<>> keys;
};

/// What is wrong with a token: `details.reason` of 401 `invalid_token`.
enum class TokenFault : std::uint8_t
{
    None,
    BadSignature, ///< also everything that is no token of ours by its form
    Expired,
    WrongAudience
};
std::string_view reason(TokenFault fault) noexcept;

struct ReadToken
{
    TokenFault fault = TokenFault::None;
    AccessClaims claims;
};

/// Signs the claims with the current key: a compact JWS, `typ` `at+jwt`.
std::string encodeToken(const KeySet& keys, const AccessClaims& claims);

/// The strict reader: three segments, canonical base64url, exactly our header, a known key, 64 bytes of signature, then issuer and times,
/// with some seconds of leeway on `iat` and `nbf` and none on `exp`. The audience is the caller's affair, as only it knows which service is
/// called. An expired token is reported as such only if it was ours.
ReadToken decodeToken(const KeySet& keys, std::string_view token, std::string_view issuer, Instant now);

} // namespace portico::identity
