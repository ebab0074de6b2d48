#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct evp_pkey_st;

namespace portico::identity
{

/// How a JWS is signed (RFC 7518, 3.1).
enum class Algorithm : std::uint8_t
{
    ES256,
    RS256,
    PS256 ///< only verified, never used for signing
};
/// The name of the JOSE header.
std::string_view name(Algorithm algorithm) noexcept;

/// Checks a signature in JOSE's form. False for one of another form or length, too. Leaves no error in OpenSSL's queue of this thread.
bool verifySignature(evp_pkey_st* key, Algorithm algorithm, std::string_view message, std::string_view signature);

/// A private key of ours: ECDSA on P-256 with JOSE's form of signatures (RFC 7518, 3.4: R and S, 32 bytes each), or RSA with PKCS #1 v1.5.
/// Thread-safe once it is made.
class SigningKey
{
public:
    static SigningKey generate(Algorithm algorithm = Algorithm::ES256);
    /// From PKCS #8 PEM. @throws std::runtime_error for anything but a private P-256 or RSA key.
    static SigningKey fromPem(std::string_view pem);

    Algorithm algorithm() const noexcept { return _algorithm; }
    /// PKCS #8 PEM.
    std::string toPem() const;
    /// RFC 7638 thumbprint: the key's natural id.
    std::string thumbprint() const;
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

private:
    SigningKey(std::shared_ptr<evp_pkey_st> key, Algorithm algorithm) : _key(std::move(key)), _algorithm(algorithm) {}
    std::shared_ptr<evp_pkey_st> _key;
    Algorithm _algorithm;
};

} // namespace portico::identity
