#include "tokens/TokenCodec.h"

#include "portico/Crypto.h"
#include "portico/Json.h"
#include "portico/Problem.h"

namespace portico::identity
{

namespace
{

constexpr std::string_view type = "at+jwt";
/// Ours have about 900 bytes.
constexpr std::size_t longestToken = 4096;
/// Maximum length of an ID token, which may list all organizations of a user.
constexpr std::size_t longestIdToken = 16 * 1024;
/// Hosts that share a database differ a little in their time: a token of one is good at once at the others.
constexpr std::int64_t clockLeewaySeconds = 5;

struct Segments
{
    std::string_view header, payload, signature, signedPart;
};

std::optional<Segments> split(std::string_view token, std::size_t longest)
{
    if (token.size() > longest) return std::nullopt;
    const auto first = token.find('.');
    if (first == std::string_view::npos) return std::nullopt;
    const auto second = token.find('.', first + 1);
    if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos) return std::nullopt;
    return Segments{token.substr(0, first), token.substr(first + 1, second - first - 1), token.substr(second + 1), token.substr(0, second)};
}

/// A segment as a record with exactly the members of its Schema; unknown ones (`crit`, `jwk`, `x5u`, …) are refused with it.
template <class T>
std::optional<T> readSegment(std::string_view segment)
{
    const auto text = fromBase64Url(segment);
    if (!text) return std::nullopt;
    try
    {
        return fromJson<T>(*text);
    }
    catch (const Problem&)
    {
        return std::nullopt;
    }
}

/// The key that the header names, if it is one of the algorithm that it names.
const SigningKey* findKey(const KeySet& keys, const TokenHeader& header)
{
    const auto found = keys.keys.find(header.kid);
    return found == keys.keys.end() || header.alg != name(found->second.algorithm()) ? nullptr : &found->second;
}

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

std::string signJws(const KeySet& keys, std::string_view kid, std::string_view headerType, std::string_view payload)
{
    const auto& key = keys.keys.find(kid)->second;
    const TokenHeader header{std::string(name(key.algorithm())), std::string(headerType), std::string(kid)};
    std::string token = toBase64Url(toJson(header)) + '.' + toBase64Url(payload);
    const auto signature = key.sign(token);
    return token + '.' + toBase64Url(signature);
}

std::optional<std::string> openJws(const KeySet& keys, std::string_view token, std::string_view headerType)
{
    const auto segments = split(token, longestIdToken);
    if (!segments) return std::nullopt;
    const auto header = readSegment<TokenHeader>(segments->header);
    if (!header || header->typ != headerType) return std::nullopt;
    const auto* key = findKey(keys, *header);
    const auto signature = fromBase64Url(segments->signature);
    if (!key || !signature || !key->verify(segments->signedPart, *signature)) return std::nullopt;
    return fromBase64Url(segments->payload);
}

std::string encodeToken(const KeySet& keys, const AccessClaims& claims) { return signJws(keys, keys.currentKid, type, toJson(claims)); }

ReadToken decodeToken(const KeySet& keys, std::string_view token, std::string_view issuer, Instant now)
{
    const ReadToken refused{TokenFault::BadSignature, {}};
    const auto segments = split(token, longestToken);
    if (!segments) return refused;
    const auto header = readSegment<TokenHeader>(segments->header);
    if (!header || header->typ != type || header->alg != name(Algorithm::ES256)) return refused;
    const auto* key = findKey(keys, *header);
    const auto signature = fromBase64Url(segments->signature);
    if (!key || !signature || !key->verify(segments->signedPart, *signature)) return refused;
    auto claims = readSegment<AccessClaims>(segments->payload);
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
    if (!claims || claims->iss != issuer || !timesAreGood(*claims, seconds)) return refused;
    if (claims->exp <= seconds) return {TokenFault::Expired, {}};
    return {TokenFault::None, *std::move(claims)};
}

} // namespace portico::identity
