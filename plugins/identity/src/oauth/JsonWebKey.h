#pragma once

#include "tokens/SigningKey.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct evp_pkey_st;

namespace portico::identity
{

/// A public key of somebody else (RFC 7517): P-256, or RSA of 2048 to 8192 bits. Thread-safe once it is made.
class JsonWebKey
{
public:
    /// Empty for every other kind of key, one that is not on its curve, and one that has private members.
    static std::optional<JsonWebKey> parse(std::string_view json);

    /// RFC 7638.
    const std::string& thumbprint() const noexcept { return _thumbprint; }
    const std::string& kid() const noexcept { return _kid; }
    /// Under an algorithm (`ES256`, `RS256`, `PS256`) that fits the key, and that it names if it names one; false for every other.
    bool verify(std::string_view algorithm, std::string_view message, std::string_view signature) const;

private:
    JsonWebKey() = default;
    std::shared_ptr<evp_pkey_st> _key;
    std::string _thumbprint;
    std::string _kid;
    std::string _alg;
    bool _isRsa = false;
};

/// The keys of a set that can be used for signatures; none for text that is no set.
std::vector<JsonWebKey> keysOf(std::string_view jwks);

/// A JWS of somebody else, split and decoded, not yet believed: three segments of canonical base64url with JSON objects in the first two,
/// no `crit`. RFC 7515.
struct ForeignJws
{
    std::string header;
    std::string payload;
    std::string signature;
    std::string signedPart;
    std::string alg;
    std::string typ;
    std::string kid;
    /// Text of the member `jwk`, or empty.
    std::string jwk;

    static std::optional<ForeignJws> parse(std::string_view token);
};

} // namespace portico::identity
