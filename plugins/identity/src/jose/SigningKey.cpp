#include "jose/SigningKey.h"

#include "jose/OpenSsl.h"

#include "portico/Crypto.h"

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <stdexcept>

namespace portico::identity
{

namespace
{

constexpr int coordinateBytes = 32;

using DigestContext = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>>;
using Signature = std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG_free>>;
using Number = std::unique_ptr<BIGNUM, Freed<BN_free>>;
using Buffer = std::unique_ptr<BIO, Freed<BIO_free_all>>;

void require(bool good, const char* what)
{
    if (!good) throw std::runtime_error(std::string("OpenSSL could not ") + what);
}

const unsigned char* bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

/// Returns a number of the public key in base64url: as many bytes as it has (RFC 7518, 6.3.1), and at least `minBytes` (6.2.1).
std::string publicNumber(EVP_PKEY* key, const char* parameter, int minBytes = 0)
{
    BIGNUM* read = nullptr;
    require(EVP_PKEY_get_bn_param(key, parameter, &read) == 1, "read the public key");
    const Number number(read);
    const int size = std::max(minBytes, BN_num_bytes(number.get()));
    std::string text(static_cast<std::size_t>(size), '\0');
    require(BN_bn2binpad(number.get(), reinterpret_cast<unsigned char*>(text.data()), size) == size, "write the public key");
    return toBase64Url(text);
}

bool isP256(EVP_PKEY* key)
{
    char group[64] = {};
    std::size_t length = 0;
    return EVP_PKEY_get_group_name(key, group, sizeof group, &length) == 1 && std::string_view(group, length) == "prime256v1";
}

std::string ecdsaToJose(const unsigned char* der, std::size_t length)
{
    const unsigned char* cursor = der;
    const Signature parts(d2i_ECDSA_SIG(nullptr, &cursor, static_cast<long>(length)));
    std::string signature(2 * coordinateBytes, '\0');
    auto* out = reinterpret_cast<unsigned char*>(signature.data());
    require(parts && BN_bn2binpad(ECDSA_SIG_get0_r(parts.get()), out, coordinateBytes) == coordinateBytes &&
                BN_bn2binpad(ECDSA_SIG_get0_s(parts.get()), out + coordinateBytes, coordinateBytes) == coordinateBytes,
            "write a signature");
    return signature;
}

/// Returns none for an invalid signature.
std::string joseToEcdsa(std::string_view signature)
{
    if (signature.size() != 2 * coordinateBytes) return {};
    const Signature parts(ECDSA_SIG_new());
    Number r(BN_bin2bn(bytes(signature), coordinateBytes, nullptr));
    Number s(BN_bin2bn(bytes(signature) + coordinateBytes, coordinateBytes, nullptr));
    if (!parts || !r || !s || ECDSA_SIG_set0(parts.get(), r.get(), s.get()) != 1) return {};
    // The signature owns them now.
    static_cast<void>(r.release());
    static_cast<void>(s.release());
    unsigned char der[80];
    unsigned char* cursor = der;
    const int length = i2d_ECDSA_SIG(parts.get(), &cursor);
    return length > 0 ? std::string(reinterpret_cast<char*>(der), static_cast<std::size_t>(length)) : std::string();
}

/// PSS with a salt as long as the hash (RFC 7518, 3.5).
bool usePss(EVP_PKEY_CTX* context)
{
    return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1 &&
           EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1;
}

constexpr unsigned rsaBits = 2048;

} // namespace

std::string_view name(Algorithm algorithm) noexcept
{
    switch (algorithm)
    {
    case Algorithm::ES256:
        return "ES256";
    case Algorithm::RS256:
        return "RS256";
    case Algorithm::PS256:
        break;
    }
    return "PS256";
}

bool verifySignature(EVP_PKEY* key, Algorithm algorithm, std::string_view message, std::string_view signature)
{
    const NoErrorsLeft noErrorsLeft;
    std::string der;
    if (algorithm == Algorithm::ES256)
    {
        der = joseToEcdsa(signature);
        if (der.empty()) return false;
        signature = der;
    }
    const DigestContext context(EVP_MD_CTX_new());
    EVP_PKEY_CTX* parameters = nullptr;
    return EVP_DigestVerifyInit_ex(context.get(), &parameters, "SHA256", nullptr, nullptr, key, nullptr) == 1 &&
           (algorithm != Algorithm::PS256 || usePss(parameters)) &&
           EVP_DigestVerify(context.get(), bytes(signature), signature.size(), bytes(message), message.size()) == 1;
}

SigningKey SigningKey::generate(Algorithm algorithm)
{
    auto* const made = algorithm == Algorithm::ES256 ? EVP_EC_gen("P-256") : EVP_RSA_gen(rsaBits);
    std::shared_ptr<EVP_PKEY> key(made, &EVP_PKEY_free);
    require(key != nullptr, "make a key");
    return SigningKey(std::move(key), algorithm);
}

SigningKey SigningKey::fromPem(std::string_view pem)
{
    const NoErrorsLeft noErrorsLeft;
    const Buffer buffer(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    std::shared_ptr<EVP_PKEY> key(PEM_read_bio_PrivateKey(buffer.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
    const bool isRsa = key && EVP_PKEY_is_a(key.get(), "RSA") == 1;
    require(isRsa || (key && isP256(key.get())), "read a private P-256 or RSA key");
    return SigningKey(std::move(key), isRsa ? Algorithm::RS256 : Algorithm::ES256);
}

std::string SigningKey::toPem() const
{
    const Buffer buffer(BIO_new(BIO_s_mem()));
    require(PEM_write_bio_PKCS8PrivateKey(buffer.get(), _key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1, "write a private key");
    char* data = nullptr;
    const auto length = BIO_get_mem_data(buffer.get(), &data);
    return {data, static_cast<std::size_t>(length)};
}

std::string SigningKey::x() const { return publicNumber(_key.get(), OSSL_PKEY_PARAM_EC_PUB_X, coordinateBytes); }

std::string SigningKey::y() const { return publicNumber(_key.get(), OSSL_PKEY_PARAM_EC_PUB_Y, coordinateBytes); }

std::string SigningKey::n() const { return publicNumber(_key.get(), OSSL_PKEY_PARAM_RSA_N); }

std::string SigningKey::e() const { return publicNumber(_key.get(), OSSL_PKEY_PARAM_RSA_E); }

Jwk SigningKey::publicJwk() const
{
    Jwk jwk;
    jwk.alg = name(_algorithm);
    if (_algorithm == Algorithm::ES256)
    {
        jwk.kty = "EC";
        jwk.crv = "P-256";
        jwk.x = x();
        jwk.y = y();
    }
    else
    {
        jwk.kty = "RSA";
        jwk.n = n();
        jwk.e = e();
    }
    jwk.kid = jwk.thumbprint();
    return jwk;
}

std::string SigningKey::sign(std::string_view message) const
{
    const DigestContext context(EVP_MD_CTX_new());
    require(EVP_DigestSignInit_ex(context.get(), nullptr, "SHA256", nullptr, nullptr, _key.get(), nullptr) == 1, "begin a signature");
    unsigned char made[rsaBits / 8];
    std::size_t length = sizeof made;
    require(EVP_DigestSign(context.get(), made, &length, bytes(message), message.size()) == 1, "sign");
    if (_algorithm == Algorithm::ES256) return ecdsaToJose(made, length);
    return {reinterpret_cast<char*>(made), length};
}

} // namespace portico::identity
