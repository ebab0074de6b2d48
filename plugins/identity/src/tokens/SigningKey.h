#pragma once

#include <memory>
#include <string>
#include <string_view>

struct evp_pkey_st;

namespace portico::identity
{

/// An ECDSA key on P-256 with JOSE's form of signatures (RFC 7518, 3.4: R and S, 32 bytes each). Thread-safe once it is made.
class SigningKey
{
public:
    static SigningKey generate();
    /// From PKCS #8 PEM. @throws std::runtime_error for anything but a private P-256 key.
    static SigningKey fromPem(std::string_view pem);

    /// PKCS #8 PEM.
    std::string toPem() const;
    /// RFC 7638 thumbprint: the key's natural id.
    std::string thumbprint() const;
    /// Coordinates of the public point, base64url.
    std::string x() const;
    std::string y() const;

    /// 64 bytes.
    std::string sign(std::string_view message) const;
    /// False for a signature of another length, too. Leaves no error in OpenSSL's queue of this thread.
    bool verify(std::string_view message, std::string_view signature) const;

private:
    explicit SigningKey(std::shared_ptr<evp_pkey_st> key) : _key(std::move(key)) {}
    std::shared_ptr<evp_pkey_st> _key;
};

} // namespace portico::identity
