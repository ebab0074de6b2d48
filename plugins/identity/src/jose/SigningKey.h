#pragma once

#include "jose/Jwk.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct evp_pkey_st;

namespace portico::identity
{

/// Algorithms of signatures (RFC 7518, 3.1).
enum class Algorithm : std::uint8_t
{
    ES256,
    RS256,
    PS256 ///< verified only
};
/// Returns the value of `alg`.
std::string_view name(Algorithm algorithm) noexcept;

/// Verifies a signature in the form of JOSE; false for another form or length. Leaves no error in OpenSSL's queue of the thread.
bool verifySignature(evp_pkey_st* key, Algorithm algorithm, std::string_view message, std::string_view signature);

/// A private key of this installation: ECDSA on P-256 with signatures of R and S, 32 bytes each (RFC 7518, 3.4), or RSA with PKCS #1 v1.5.
/// Thread-safe.
class SigningKey
{
public:
    static SigningKey generate(Algorithm algorithm = Algorithm::ES256);
    /// Reads PKCS #8 PEM. @throws std::runtime_error for other text than a private P-256 or RSA key
    static SigningKey fromPem(std::string_view pem);

    Algorithm algorithm() const noexcept { return _algorithm; }
    /// PKCS #8 PEM.
    std::string toPem() const;
    /// The public key, with its thumbprint as `kid`.
    Jwk publicJwk() const;
    /// RFC 7638.
    std::string thumbprint() const { return publicJwk().kid; }
    /// Coordinates of the public point of a P-256 key, base64url.
    std::string x() const;
    std::string y() const;
    /// Modulus and exponent of an RSA key, base64url.
    std::string n() const;
    std::string e() const;

    /// 64 bytes of a P-256 key, 256 of an RSA key.
    std::string sign(std::string_view message) const;
    bool verify(std::string_view message, std::string_view signature) const
    {
        return verifySignature(_key.get(), _algorithm, message, signature);
    }
    /// Returns false for the name of another algorithm than the key's.
    bool verify(std::string_view algorithm, std::string_view message, std::string_view signature) const
    {
        return algorithm == name(_algorithm) && verify(message, signature);
    }

private:
    SigningKey(std::shared_ptr<evp_pkey_st> key, Algorithm algorithm) : _key(std::move(key)), _algorithm(algorithm) {}
    std::shared_ptr<evp_pkey_st> _key;
    Algorithm _algorithm;
};

} // namespace portico::identity
