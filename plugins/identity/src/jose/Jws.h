#pragma once

#include "portico/Instant.h"
#include "portico/Json.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

class JsonWebKey;

/// The header of our tokens (RFC 7515, 4.1): these members and no others.
struct JwsHeader
{
    std::string alg;
    std::string typ;
    std::string kid;
};

constexpr auto schemaOf(const JwsHeader*)
{
    return describe(field<&JwsHeader::alg>().required(), field<&JwsHeader::typ>().required(), field<&JwsHeader::kid>().required());
}

/// A compact JWS (RFC 7515), split and decoded, not yet verified: three segments of canonical base64url, with a JSON object in the first.
struct Jws : JwsHeader
{
    static constexpr std::size_t maxBytes = 16 * 1024;

    /// JSON text of the member `jwk`, or empty.
    std::string jwk;
    std::string payload;
    std::string signature;
    std::string signedPart;

    /// Reads a JWS of another party. The payload is a JSON object. Unknown members of the header are ignored, except that `crit` is
    /// rejected.
    static std::optional<Jws> parse(std::string_view token);
    /// Reads a JWS that this installation may have signed. The payload is not parsed.
    static std::optional<Jws> parseOwn(std::string_view token, std::size_t maxSize = maxBytes);

    /// Reads the payload as a record; empty for other JSON. @param read `fromJson<T>` also rejects unknown members
    template <class T>
    std::optional<T> claims(T (*read)(std::string_view) = fromStoredJson<T>) const
    {
        try
        {
            return read(payload);
        }
        catch (const Problem&)
        {
            return std::nullopt;
        }
    }

    /// Verifies the signature with a `SigningKey` or a `JsonWebKey`, if it fits `alg`.
    template <class Key>
    bool isSignedBy(const Key& key) const
    {
        return key.verify(alg, signedPart, signature);
    }
    /// Verifies the signature with the keys of another party that `kid` and `alg` choose. Builds and tries at most `maxKeysTried` of them.
    bool isSignedBy(const std::vector<JsonWebKey>& keys) const;
};

/// Returns the claim `aud`, a text or a list of texts (RFC 7519, 4.1.3), as a list. @throws Problem 400 for other JSON
std::vector<std::string> audiencesOf(const Json& aud);

/// Returns seconds since 1970 (RFC 7519, 2).
inline std::int64_t numericDate(Instant time) { return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count(); }

} // namespace portico::identity
