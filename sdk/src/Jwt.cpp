#include "portico/Jwt.h"

#include "portico/Crypto.h"

#include <Poco/Crypto/ECKey.h>
#include <Poco/Exception.h>
#include <Poco/JSON/Object.h>
#include <Poco/JWT/Signer.h>
#include <Poco/JWT/Token.h>

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <sstream>
#include <stdexcept>

namespace portico
{

namespace
{

constexpr int coordinateBytes = 32;

template <auto Free>
struct FreedBy
{
    template <class T>
    void operator()(T* object) const
    {
        Free(object);
    }
};
using EvpKey = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;
using BigNumber = std::unique_ptr<BIGNUM, FreedBy<BN_free>>;
using PemBuffer = std::unique_ptr<BIO, FreedBy<BIO_free_all>>;

/// Clears OpenSSL's errors of the thread at the end: the next TLS call of the thread would take them for its own.
struct ErrorsCleared
{
    ~ErrorsCleared() { ERR_clear_error(); }
};

void requireMade(bool done, const char* what)
{
    if (!done) throw std::runtime_error(std::string("OpenSSL could not ") + what);
}

std::string coordinateOf(EVP_PKEY* key, const char* parameter)
{
    BIGNUM* read = nullptr;
    requireMade(EVP_PKEY_get_bn_param(key, parameter, &read) == 1, "read a public key");
    const BigNumber number(read);
    std::string text(coordinateBytes, '\0');
    requireMade(BN_bn2binpad(number.get(), reinterpret_cast<unsigned char*>(text.data()), coordinateBytes) == coordinateBytes,
                "write a public key");
    return toBase64Url(text);
}

bool isOnP256(EVP_PKEY* key)
{
    char group[64] = {};
    std::size_t length = 0;
    return EVP_PKEY_get_group_name(key, group, sizeof group, &length) == 1 && std::string_view(group, length) == "prime256v1";
}

std::string pemOf(EVP_PKEY* key)
{
    const PemBuffer buffer(BIO_new(BIO_s_mem()));
    requireMade(buffer && PEM_write_bio_PKCS8PrivateKey(buffer.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1, "write a key");
    char* data = nullptr;
    const auto length = BIO_get_mem_data(buffer.get(), &data);
    return {data, static_cast<std::size_t>(length)};
}

std::string signEs256(Poco::JWT::Token& token, const std::string& pem)
{
    const ErrorsCleared cleared;
    try
    {
        std::istringstream text(pem);
        Poco::JWT::Signer signer;
        signer.setECKey(new Poco::Crypto::ECKey(nullptr, &text));
        return signer.sign(token, Poco::JWT::Signer::ALGO_ES256);
    }
    catch (const Poco::Exception& error)
    {
        throw std::runtime_error("a token could not be signed: " + error.displayText());
    }
}

Poco::Int64 wholeSeconds(Instant time) { return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count(); }

} // namespace

struct JwtKey::Key
{
    std::string pem;
    std::string x;
    std::string y;

    explicit Key(EVP_PKEY* key)
        : pem(pemOf(key)), x(coordinateOf(key, OSSL_PKEY_PARAM_EC_PUB_X)), y(coordinateOf(key, OSSL_PKEY_PARAM_EC_PUB_Y))
    {
    }
};

JwtKey JwtKey::generate()
{
    const ErrorsCleared cleared;
    const EvpKey key(EVP_EC_gen("P-256"));
    requireMade(key != nullptr, "make a key");
    return JwtKey(std::make_shared<const Key>(key.get()));
}

JwtKey JwtKey::parse(std::string_view pem)
{
    const ErrorsCleared cleared;
    const PemBuffer buffer(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    // Without a password, so that nothing asks for one.
    const EvpKey key(buffer ? PEM_read_bio_PrivateKey(
                                  buffer.get(), nullptr, [](char*, int, int, void*) { return -1; }, nullptr)
                            : nullptr);
    if (!key || !isOnP256(key.get())) throw std::invalid_argument("expected a private key on P-256 as PEM");
    return JwtKey(std::make_shared<const Key>(key.get()));
}

std::string JwtKey::toPem() const { return _key->pem; }

const std::string& JwtKey::x() const noexcept { return _key->x; }

const std::string& JwtKey::y() const noexcept { return _key->y; }

std::string JwtKey::publicJwk() const
{
    // The order is that of RFC 7638, 3.
    return R"({"crv":"P-256","kty":"EC","x":")" + _key->x + R"(","y":")" + _key->y + "\"}";
}

std::string JwtKey::thumbprint() const { return toBase64Url(sha256(publicJwk()).bytes()); }

std::string signDpopProof(const JwtKey& key, const DpopProof& proof)
{
    Poco::JWT::Token token;
    token.setType("dpop+jwt");
    Poco::JSON::Object::Ptr jwk = new Poco::JSON::Object;
    jwk->set("crv", "P-256");
    jwk->set("kty", "EC");
    jwk->set("x", key.x());
    jwk->set("y", key.y());
    token.header().set("jwk", jwk);
    auto& claims = token.payload();
    claims.set("jti", randomToken(16));
    claims.set("htm", std::string(proof.method));
    claims.set("htu", std::string(proof.url.substr(0, proof.url.find_first_of("?#"))));
    claims.set("iat", wholeSeconds(proof.now));
    if (!proof.nonce.empty()) claims.set("nonce", std::string(proof.nonce));
    if (!proof.accessToken.empty()) claims.set("ath", toBase64Url(sha256(proof.accessToken).bytes()));
    return signEs256(token, key.toPem());
}

std::string signClientAssertion(const JwtKey& key, const ClientAssertion& assertion)
{
    Poco::JWT::Token token;
    token.header().set("kid", key.thumbprint());
    auto& claims = token.payload();
    claims.set("iss", std::string(assertion.clientId));
    claims.set("sub", std::string(assertion.clientId));
    claims.set("aud", std::string(assertion.audience));
    claims.set("jti", randomToken(16));
    claims.set("iat", wholeSeconds(assertion.now));
    claims.set("exp", wholeSeconds(assertion.now + assertion.lifetime));
    return signEs256(token, key.toPem());
}

} // namespace portico
