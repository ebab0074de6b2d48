#include "tokens/TokenCodec.h"

#include "portico/Json.h"

namespace portico::identity
{

namespace
{

constexpr std::string_view type = "at+jwt";
/// Ours have about 900 bytes.
constexpr std::size_t longestToken = 4096;
/// Hosts that share a database differ a little in their time: a token of one is good at once at the others.
constexpr std::int64_t clockLeewaySeconds = 5;

bool timesAreGood(const AccessClaims& claims, std::int64_t seconds)
{
    const auto latest = seconds + clockLeewaySeconds;
    return claims.nbf <= latest && claims.iat <= latest && claims.iat <= claims.exp;
}

} // namespace

std::string_view reason(TokenFault fault) noexcept
{
    switch (fault)
    {
    case TokenFault::Expired:
        return "expired";
    case TokenFault::WrongAudience:
        return "wrong_audience";
    case TokenFault::BadSignature:
        return "bad_signature";
    case TokenFault::None:
        break;
    }
    return {};
}

std::string encodeToken(const KeySet& keys, const AccessClaims& claims) { return signJws(keys, keys.currentKid, type, toJson(claims)); }

ReadToken decodeToken(const KeySet& keys, std::string_view token, std::string_view issuer, Instant now)
{
    const ReadToken refused{TokenFault::BadSignature, {}};
    const auto jws = openJws(keys, token, type, longestToken);
    if (!jws || jws->alg != name(Algorithm::ES256)) return refused;
    auto claims = jws->claims<AccessClaims>(fromJson);
    const auto seconds = numericDate(now);
    if (!claims || claims->iss != issuer || !timesAreGood(*claims, seconds)) return refused;
    if (claims->exp <= seconds) return {TokenFault::Expired, {}};
    return {TokenFault::None, *std::move(claims)};
}

} // namespace portico::identity
