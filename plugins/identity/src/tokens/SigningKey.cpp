#include "tokens/SigningKey.h"

#include "portico/Crypto.h"

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <stdexcept>

namespace portico::identity
{

namespace
{

constexpr int coordinateBytes = 32;

template <auto Free>
struct Freed
{
    template <class T>
    void operator()(T* object) const
    {
        Free(object);
    }
};
using DigestContext = std::unique_ptr<EVP_MD_CTX, Freed<EVP_MD_CTX_free>>;
using Signature = std::unique_ptr<ECDSA_SIG, Freed<ECDSA_SIG_free>>;
using Number = std::unique_ptr<BIGNUM, Freed<BN_free>>;
using Buffer = std::unique_ptr<BIO, Freed<BIO_free_all>>;

/// Leaves the thread's queue of errors as empty as others on the thread take it to be: what is left in it, the next TLS call of the worker
/// takes for a failure of its own, and drops somebody else's connection.
struct NoErrorsLeft
{
    ~NoErrorsLeft() { ERR_clear_error(); }
};

void require(bool good, const char* what)
{
    if (!good) throw std::runtime_error(std::string("OpenSSL could not ") + what);
}

const unsigned char* bytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

std::string coordinate(EVP_PKEY* key, const char* name)
{
    BIGNUM* read = nullptr;
    require(EVP_PKEY_get_bn_param(key, name, &read) == 1, "read the public key");
    const Number number(read);
    std::string text(coordinateBytes, '\0');
    require(BN_bn2binpad(number.get(), reinterpret_cast<unsigned char*>(text.data()), coordinateBytes) == coordinateBytes,
            "write the public key");
    return toBase64Url(text);
}

bool isP256(EVP_PKEY* key)
{
    char name[64] = {};
    std::size_t length = 0;
    return EVP_PKEY_get_group_name(key, name, sizeof name, &length) == 1 && std::string_view(name, length) == "prime256v1";
}

} // namespace

SigningKey SigningKey::generate()
{
    std::shared_ptr<EVP_PKEY> key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
    require(key != nullptr, "make a P-256 key");
    return SigningKey(std::move(key));
}

SigningKey SigningKey::fromPem(std::string_view pem)
{
    const NoErrorsLeft noErrorsLeft;
    const Buffer buffer(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    std::shared_ptr<EVP_PKEY> key(PEM_read_bio_PrivateKey(buffer.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
    require(key && isP256(key.get()), "read a private P-256 key");
    return SigningKey(std::move(key));
}

std::string SigningKey::toPem() const
{
    const Buffer buffer(BIO_new(BIO_s_mem()));
    require(PEM_write_bio_PKCS8PrivateKey(buffer.get(), _key.get(), nullptr, nullptr, 0, nullptr, nullptr) == 1, "write a private key");
    char* data = nullptr;
    const auto length = BIO_get_mem_data(buffer.get(), &data);
    return {data, static_cast<std::size_t>(length)};
}

std::string SigningKey::x() const { return coordinate(_key.get(), OSSL_PKEY_PARAM_EC_PUB_X); }

std::string SigningKey::y() const { return coordinate(_key.get(), OSSL_PKEY_PARAM_EC_PUB_Y); }

std::string SigningKey::thumbprint() const
{
    return toBase64Url(sha256({R"({"crv":"P-256","kty":"EC","x":")", x(), R"(","y":")", y(), "\"}"}).bytes());
}

std::string SigningKey::sign(std::string_view message) const
{
    const DigestContext context(EVP_MD_CTX_new());
    require(EVP_DigestSignInit_ex(context.get(), nullptr, "SHA256", nullptr, nullptr, _key.get(), nullptr) == 1, "begin a signature");
    unsigned char der[80];
    std::size_t length = sizeof der;
    require(EVP_DigestSign(context.get(), der, &length, bytes(message), message.size()) == 1, "sign");
    const unsigned char* cursor = der;
    const Signature parts(d2i_ECDSA_SIG(nullptr, &cursor, static_cast<long>(length)));
    std::string signature(2 * coordinateBytes, '\0');
    auto* out = reinterpret_cast<unsigned char*>(signature.data());
    require(parts && BN_bn2binpad(ECDSA_SIG_get0_r(parts.get()), out, coordinateBytes) == coordinateBytes &&
                BN_bn2binpad(ECDSA_SIG_get0_s(parts.get()), out + coordinateBytes, coordinateBytes) == coordinateBytes,
            "write a signature");
    return signature;
}

bool SigningKey::verify(std::string_view message, std::string_view signature) const
{
    if (signature.size() != 2 * coordinateBytes) return false;
    const NoErrorsLeft noErrorsLeft;
    const Signature parts(ECDSA_SIG_new());
    Number r(BN_bin2bn(bytes(signature), coordinateBytes, nullptr));
    Number s(BN_bin2bn(bytes(signature) + coordinateBytes, coordinateBytes, nullptr));
    if (!parts || !r || !s || ECDSA_SIG_set0(parts.get(), r.get(), s.get()) != 1) return false;
    // The signature owns them now.
    static_cast<void>(r.release());
    static_cast<void>(s.release());
    unsigned char der[80];
    unsigned char* cursor = der;
    const int length = i2d_ECDSA_SIG(parts.get(), &cursor);
    const DigestContext context(EVP_MD_CTX_new());
    return length > 0 && EVP_DigestVerifyInit_ex(context.get(), nullptr, "SHA256", nullptr, nullptr, _key.get(), nullptr) == 1 &&
           EVP_DigestVerify(context.get(), der, static_cast<std::size_t>(length), bytes(message), message.size()) == 1;
}

} // namespace portico::identity
