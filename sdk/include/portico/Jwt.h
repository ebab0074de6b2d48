#pragma once

#include "portico/Export.h"
#include "portico/Instant.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace portico
{

// Signs JSON Web Tokens (RFC 7519) with ES256 for other servers. Contains no verification. Thread-safe.

/// A private key on the curve P-256. A value; copies share the key.
class PORTICO_API JwtKey
{
public:
    static JwtKey generate();
    /// Reads what `toPem` wrote. @throws std::invalid_argument, without the text
    static JwtKey parse(std::string_view pem);

    /// The private key, PKCS #8: a secret.
    std::string toPem() const;
    /// The public key as a JSON object (RFC 7517) with `crv`, `kty`, `x` and `y`.
    std::string publicJwk() const;
    /// The coordinates of the public key in base64url, 32 bytes each.
    const std::string& x() const noexcept;
    const std::string& y() const noexcept;
    /// Hash of the public key (RFC 7638): its id, `kid`.
    std::string thumbprint() const;

private:
    struct Key;
    explicit JwtKey(std::shared_ptr<const Key> key) : _key(std::move(key)) {}
    std::shared_ptr<const Key> _key;
};

/// One request that is sent with a proof that its sender has the key (RFC 9449).
struct DpopProof
{
    std::string_view method;
    /// The proof omits query and fragment.
    std::string_view url;
    /// The last `DPoP-Nonce` of the server; empty: none yet.
    std::string_view nonce = {};
    /// The access token of the request, by its hash; empty: a request for a token.
    std::string_view accessToken = {};
    Instant now{};
};

/// Returns the value of the header `DPoP`, with the public key in it. No two have the same id. @throws std::runtime_error when OpenSSL
/// refuses
PORTICO_API std::string signDpopProof(const JwtKey& key, const DpopProof& proof);

/// The identity of a client for a token endpoint (RFC 7523, 3; RFC 7521, 4.2): `client_assertion`.
struct ClientAssertion
{
    std::string_view clientId;
    /// The issuer of the authorization server.
    std::string_view audience;
    Instant now{};
    std::chrono::seconds lifetime{60};
};

/// Returns the assertion with the key's thumbprint as `kid`. No two have the same id. @throws std::runtime_error when OpenSSL refuses
PORTICO_API std::string signClientAssertion(const JwtKey& key, const ClientAssertion& assertion);

} // namespace portico
