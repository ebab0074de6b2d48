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

/// A public key of another party (RFC 7517): P-256, or RSA of 2048 to 4096 bits. OpenSSL's key is built at the first use; copies share it.
/// Thread-safe once it is made.
class JsonWebKey
{
public:
    /// Reads a key and builds it. Returns nothing for every other kind or size of key, for a point that is not on its curve, and for a key
    /// with private members.
    static std::optional<JsonWebKey> parse(std::string_view json);
    /// Reads a key and leaves building to the first use: only `isSound` finds a point that is not on its curve.
    static std::optional<JsonWebKey> read(std::string_view json);

    /// RFC 7638.
    const std::string& thumbprint() const noexcept { return _thumbprint; }
    const std::string& kid() const noexcept { return _kid; }
    /// Returns true if the key can verify signatures of this algorithm (`ES256`, `RS256`, `PS256`). Does not build the key.
    bool fits(std::string_view algorithm) const noexcept;
    /// Returns true if the key can be built.
    bool isSound() const;
    /// Verifies by an algorithm (`ES256`, `RS256`, `PS256`) that fits the key, and that the key names if it names one. Returns false for
    /// every other algorithm.
    bool verify(std::string_view algorithm, std::string_view message, std::string_view signature) const;

private:
    struct Material;
    JsonWebKey() = default;
    evp_pkey_st* built() const;

    std::shared_ptr<Material> _material;
    std::string _thumbprint;
    std::string _kid;
    std::string _alg;
    bool _isRsa = false;
};

/// Keys of one set; further ones are not read.
inline constexpr std::size_t mostKeysOfSet = 20;
/// Maximum keys that are tried for one signature. Sets with several keys of a kind name them (OpenID Connect Core, 10.1).
inline constexpr std::size_t mostKeysTried = 4;

/// The first `mostKeysOfSet` keys of a set that can be used for signatures, none of them built; none for text that is no set.
std::vector<JsonWebKey> keysOf(std::string_view jwks);
/// Returns the number of members of a set, including invalid ones; 0 for text that is not a set.
std::size_t sizeOfSet(std::string_view jwks);

/// Foreign JWS, split and decoded but not verified: three segments of canonical base64url, with JSON objects in the first two, and without
/// `crit`. RFC 7515.
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

/// Returns true if one of the keys has signed it. Builds only keys that match `kid` and `alg`, at most `mostKeysTried`.
bool isSignedBy(const std::vector<JsonWebKey>& keys, const ForeignJws& jws);

} // namespace portico::identity
