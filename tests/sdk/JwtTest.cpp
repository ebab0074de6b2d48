#include "support/Suite.h"

#include "portico/Crypto.h"
#include "portico/Jwt.h"

#include <boost/json.hpp>

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>

#include <memory>
#include <set>
#include <stdexcept>
#include <string>

using namespace portico;
using namespace std::chrono_literals;
using portico::testing::equal;
using portico::testing::Suite;

/// Tokens for other servers, verified as those do it: by the key that the header or the set of keys has.
class JwtTest : public Suite<JwtTest>
{
    static constexpr auto someTime = std::chrono::sys_days(std::chrono::year(2026) / 11 / 28) + 12h + 345ms;

public:
    TEST(signsDpopProofs)
    {
        const auto key = JwtKey::generate();
        const auto token = signDpopProof(key, {"POST", "https://pds.example/oauth/par?x=1#y", "nonce-1", "token-1", now()});
        const auto header = part(token, 0), claims = part(token, 1);
        equal("dpop+jwt", text(header, "typ"));
        equal("ES256", text(header, "alg"));
        CHECK(boost::json::parse(key.publicJwk()) == header.at("jwk"));
        equal("POST", text(claims, "htm"));
        equal("https://pds.example/oauth/par", text(claims, "htu"));
        equal("nonce-1", text(claims, "nonce"));
        equal(toBase64Url(sha256("token-1").bytes()), text(claims, "ath"));
        // A whole number: servers refuse fractions.
        CHECK(claims.at("iat").is_int64());
        equal(1'795'867'200, claims.at("iat").as_int64());
        CHECK(verifies(token, header.at("jwk").as_object()));
        std::set<std::string> ids;
        for (int i = 0; i < 10; ++i) ids.insert(text(part(signDpopProof(key, {"GET", "https://a.example/", {}, {}, now()}), 1), "jti"));
        equal(10, ids.size());
    }

    TEST(leavesOutWhatAProofDoesNotHave)
    {
        const auto claims = part(signDpopProof(JwtKey::generate(), {"GET", "https://a.example/", {}, {}, now()}), 1);
        CHECK(!claims.contains("nonce") && !claims.contains("ath"));
    }

    TEST(signsClientAssertions)
    {
        const auto key = JwtKey::generate();
        const auto token = signClientAssertion(key, {"https://app.example/client.json", "https://pds.example", now(), 60s});
        const auto header = part(token, 0), claims = part(token, 1);
        equal(key.thumbprint(), text(header, "kid"));
        equal("https://app.example/client.json", text(claims, "iss"));
        equal(text(claims, "iss"), text(claims, "sub"));
        equal("https://pds.example", text(claims, "aud"));
        equal(claims.at("iat").as_int64() + 60, claims.at("exp").as_int64());
        CHECK(verifies(token, boost::json::parse(key.publicJwk()).as_object()));
    }

    /// One signature in 128 has a number with a zero in front, and one key in 128 a coordinate.
    TEST(signaturesOfShortNumbersAreValid)
    {
        int shortNumbers = 0;
        for (int i = 0; i < 1'500; ++i)
        {
            static JwtKey key = JwtKey::generate();
            if (i % 10 == 0) key = JwtKey::generate();
            const auto token = signDpopProof(key, {"POST", "https://pds.example/", {}, {}, now()});
            const auto header = part(token, 0);
            CPPUNIT_ASSERT_MESSAGE(token, verifies(token, header.at("jwk").as_object()));
            const auto signature = *fromBase64Url(token.substr(token.rfind('.') + 1));
            if (signature[0] == '\0' || signature[32] == '\0') ++shortNumbers;
        }
        CHECK(shortNumbers > 0);
        equal(0, ERR_peek_error());
    }

    TEST(keysAreReadAsTheyWereWritten)
    {
        const auto key = JwtKey::generate();
        const auto read = JwtKey::parse(key.toPem());
        equal(key.publicJwk(), read.publicJwk());
        equal(key.toPem(), read.toPem());
        CHECK(key.publicJwk() != JwtKey::generate().publicJwk());
    }

    TEST(refusesWhatIsNoKey)
    {
        CPPUNIT_ASSERT_THROW(JwtKey::parse(""), std::invalid_argument);
        CPPUNIT_ASSERT_THROW(JwtKey::parse("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"), std::invalid_argument);
        const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> other(EVP_EC_gen("P-384"), &EVP_PKEY_free);
        const std::unique_ptr<BIO, decltype(&BIO_free_all)> buffer(BIO_new(BIO_s_mem()), &BIO_free_all);
        PEM_write_bio_PKCS8PrivateKey(buffer.get(), other.get(), nullptr, nullptr, 0, nullptr, nullptr);
        char* data = nullptr;
        const auto length = BIO_get_mem_data(buffer.get(), &data);
        CPPUNIT_ASSERT_THROW(JwtKey::parse({data, static_cast<std::size_t>(length)}), std::invalid_argument);
        equal(0, ERR_peek_error());
    }

    TEST(namesAKeyByItsThumbprint)
    {
        const auto key = JwtKey::generate();
        const auto jwk = boost::json::parse(key.publicJwk()).as_object();
        const std::string hashed = R"({"crv":"P-256","kty":"EC","x":")" + text(jwk, "x") + R"(","y":")" + text(jwk, "y") + "\"}";
        equal(toBase64Url(sha256(hashed).bytes()), key.thumbprint());
    }

private:
    static Instant now() { return std::chrono::floor<std::chrono::milliseconds>(someTime); }
    static std::string text(const boost::json::object& object, const char* name) { return std::string(object.at(name).as_string()); }
    static boost::json::object part(const std::string& token, int number)
    {
        std::size_t begin = 0;
        for (int i = 0; i < number; ++i) begin = token.find('.', begin) + 1;
        return boost::json::parse(*fromBase64Url(token.substr(begin, token.find('.', begin) - begin))).as_object();
    }

    static bool verifies(const std::string& token, const boost::json::object& jwk)
    {
        const auto point = "\x04" + *fromBase64Url(text(jwk, "x")) + *fromBase64Url(text(jwk, "y"));
        const std::unique_ptr<OSSL_PARAM_BLD, decltype(&OSSL_PARAM_BLD_free)> builder(OSSL_PARAM_BLD_new(), &OSSL_PARAM_BLD_free);
        OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0);
        OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size());
        const std::unique_ptr<OSSL_PARAM, decltype(&OSSL_PARAM_free)> parameters(OSSL_PARAM_BLD_to_param(builder.get()), &OSSL_PARAM_free);
        const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> context(EVP_PKEY_CTX_new_from_name(nullptr, "EC", nullptr),
                                                                                  &EVP_PKEY_CTX_free);
        EVP_PKEY* made = nullptr;
        if (EVP_PKEY_fromdata_init(context.get()) != 1 ||
            EVP_PKEY_fromdata(context.get(), &made, EVP_PKEY_PUBLIC_KEY, parameters.get()) != 1)
            return false;
        const std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(made, &EVP_PKEY_free);
        const auto dot = token.rfind('.');
        const auto raw = fromBase64Url(token.substr(dot + 1));
        if (!raw || raw->size() != 64) return false;
        const auto* bytes = reinterpret_cast<const unsigned char*>(raw->data());
        const std::unique_ptr<ECDSA_SIG, decltype(&ECDSA_SIG_free)> signature(ECDSA_SIG_new(), &ECDSA_SIG_free);
        ECDSA_SIG_set0(signature.get(), BN_bin2bn(bytes, 32, nullptr), BN_bin2bn(bytes + 32, 32, nullptr));
        unsigned char der[80];
        auto* end = der;
        const auto length = i2d_ECDSA_SIG(signature.get(), &end);
        const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> digest(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
        return EVP_DigestVerifyInit(digest.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
               EVP_DigestVerify(digest.get(), der, static_cast<std::size_t>(length), reinterpret_cast<const unsigned char*>(token.data()),
                                dot) == 1;
    }
};
