#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct evp_pkey_st;

namespace portico::identity
{

/// A public key of another party (RFC 7517): P-256, or RSA of 2048 to 4096 bits. OpenSSL's key is built at the first use; copies share it.
/// Thread-safe.
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
    /// Returns true if the key verifies signatures of this algorithm (`ES256`, `RS256`, `PS256`). Builds nothing.
    bool fits(std::string_view algorithm) const noexcept;
    /// Returns true if the key can be built.
    bool isSound() const;
    /// Verifies a signature; false for an algorithm that does not fit.
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

/// Keys that are read of one set.
inline constexpr std::size_t maxKeysOfSet = 20;
/// Keys that one signature is verified with: a set with more keys of one kind names them (OpenID Connect Core, 10.1).
inline constexpr std::size_t maxKeysTried = 4;

/// A key set that several requests share. The set lives as long as the caller keeps it.
using JsonWebKeys = std::shared_ptr<const std::vector<JsonWebKey>>;

/// Returns the first `maxKeysOfSet` keys of a set that verify signatures, none of them built; none for text that is not a set.
std::vector<JsonWebKey> keysOf(std::string_view jwks);
/// Returns the number of members of a set, of keys and others; 0 for text that is not a set.
std::size_t sizeOfSet(std::string_view jwks);

} // namespace portico::identity
