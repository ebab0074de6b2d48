#include "jose/JsonWebKey.h"

#include "jose/Jwk.h"
#include "jose/OpenSsl.h"
#include "jose/SigningKey.h"

#include "portico/Crypto.h"
#include "portico/Json.h"
#include "portico/Problem.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <bit>
#include <mutex>

namespace portico::identity
{

namespace
{

struct KeyMembers : Jwk
{
    /// A key with private or symmetric members is rejected.
    Json d, k;
};

constexpr auto schemaOf(const KeyMembers*)
{
    return describe(members<&KeyMembers::kty, &KeyMembers::crv, &KeyMembers::x, &KeyMembers::y, &KeyMembers::n, &KeyMembers::e,
                            &KeyMembers::kid, &KeyMembers::alg, &KeyMembers::use, &KeyMembers::d, &KeyMembers::k>());
}

struct SetMembers
{
    std::vector<Json> keys;
};

constexpr auto schemaOf(const SetMembers*) { return describe(field<&SetMembers::keys>()); }

template <class T>
std::optional<T> readLoosely(std::string_view json)
{
    try
    {
        return fromStoredJson<T>(json);
    }
    catch (const Problem&)
    {
        return std::nullopt;
    }
}

using Builder = std::unique_ptr<OSSL_PARAM_BLD, Freed<OSSL_PARAM_BLD_free>>;
using Parameters = std::unique_ptr<OSSL_PARAM, Freed<OSSL_PARAM_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Freed<EVP_PKEY_CTX_free>>;
using BigNumber = std::unique_ptr<BIGNUM, Freed<BN_free>>;

constexpr int fewestRsaBits = 2048;
/// Limits the key size, because verifying with larger keys takes too long for unauthenticated requests.
constexpr int maxRsaBits = 4096;
constexpr int maxExponentBits = 32;

std::shared_ptr<EVP_PKEY> buildKey(const char* kind, OSSL_PARAM_BLD* builder)
{
    const Parameters parameters(OSSL_PARAM_BLD_to_param(builder));
    const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, kind, nullptr));
    EVP_PKEY* key = nullptr;
    if (!parameters || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
        EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parameters.get()) != 1)
        return nullptr;
    return {key, &EVP_PKEY_free};
}

std::shared_ptr<EVP_PKEY> pointKey(std::string_view point)
{
    const Builder builder(OSSL_PARAM_BLD_new());
    if (!builder || OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) != 1 ||
        OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) != 1)
        return nullptr;
    auto key = buildKey("EC", builder.get());
    // A point that is not on the curve would give its answers away.
    const KeyContext check(key ? EVP_PKEY_CTX_new_from_pkey(nullptr, key.get(), nullptr) : nullptr);
    return check && EVP_PKEY_public_check(check.get()) == 1 ? key : nullptr;
}

BigNumber number(std::string_view bytes)
{
    return BigNumber(BN_bin2bn(reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()), nullptr));
}

/// Without OpenSSL's check of the key, which looks for small factors of the modulus: a weak key endangers only its owner.
std::shared_ptr<EVP_PKEY> rsaKey(std::string_view modulus, std::string_view exponent)
{
    const auto n = number(modulus);
    const auto e = number(exponent);
    const Builder builder(OSSL_PARAM_BLD_new());
    if (!n || !e || !builder || OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
        OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1)
        return nullptr;
    return buildKey("RSA", builder.get());
}

/// Bits of a number without leading zero bytes.
int bitsOf(std::string_view bytes)
{
    return static_cast<int>(bytes.size() - 1) * 8 + std::bit_width(static_cast<unsigned char>(bytes.front()));
}

/// The bytes of an odd number of that many bits; nothing for every other text.
std::optional<std::string> oddNumber(std::string_view text, int fewestBits, int maxBits)
{
    auto bytes = fromBase64Url(text);
    if (!bytes || bytes->empty() || bytes->front() == '\0' || static_cast<unsigned char>(bytes->back()) % 2 == 0) return std::nullopt;
    const auto bits = bytes->size() > 1024 ? maxBits + 1 : bitsOf(*bytes);
    return bits < fewestBits || bits > maxBits ? std::nullopt : std::move(bytes);
}

} // namespace

/// Numbers of a key, and OpenSSL's key after its first use.
struct JsonWebKey::Material
{
    std::string modulus, exponent; ///< RSA
    std::string point;             ///< P-256, uncompressed
    std::once_flag once;
    std::shared_ptr<EVP_PKEY> key;
};

std::optional<JsonWebKey> JsonWebKey::read(std::string_view json)
{
    const auto members = readLoosely<KeyMembers>(json);
    if (!members || members->d != Json{} || members->k != Json{} || !(members->use.empty() || members->use == "sig")) return std::nullopt;
    JsonWebKey key;
    key._material = std::make_shared<Material>();
    key._isRsa = members->kty == "RSA";
    if (key._isRsa)
    {
        auto n = oddNumber(members->n, fewestRsaBits, maxRsaBits);
        auto e = oddNumber(members->e, 2, maxExponentBits);
        if (!n || !e) return std::nullopt;
        key._material->modulus = *std::move(n);
        key._material->exponent = *std::move(e);
    }
    else
    {
        const auto x = fromBase64Url(members->x);
        const auto y = fromBase64Url(members->y);
        if (members->kty != "EC" || members->crv != "P-256" || !x || !y || x->size() != 32 || y->size() != 32) return std::nullopt;
        key._material->point = '\x04' + *x + *y;
    }
    key._thumbprint = members->thumbprint();
    key._kid = members->kid;
    key._alg = members->alg;
    return key;
}

std::optional<JsonWebKey> JsonWebKey::parse(std::string_view json)
{
    auto key = read(json);
    return key && key->isSound() ? std::move(key) : std::nullopt;
}

evp_pkey_st* JsonWebKey::built() const
{
    auto& material = *_material;
    std::call_once(material.once,
                   [&]
                   {
                       const NoErrorsLeft noErrorsLeft;
                       material.key = _isRsa ? rsaKey(material.modulus, material.exponent) : pointKey(material.point);
                   });
    return material.key.get();
}

bool JsonWebKey::isSound() const { return built() != nullptr; }

bool JsonWebKey::fits(std::string_view algorithm) const noexcept
{
    if (!_alg.empty() && _alg != algorithm) return false;
    return _isRsa ? algorithm == "RS256" || algorithm == "PS256" : algorithm == "ES256";
}

bool JsonWebKey::verify(std::string_view algorithm, std::string_view message, std::string_view signature) const
{
    const auto length = _isRsa ? _material->modulus.size() : 64;
    if (!fits(algorithm) || signature.size() != length) return false;
    auto* const key = built();
    const auto kind = !_isRsa ? Algorithm::ES256 : algorithm == "RS256" ? Algorithm::RS256 : Algorithm::PS256;
    return key && verifySignature(key, kind, message, signature);
}

std::vector<JsonWebKey> keysOf(std::string_view jwks)
{
    std::vector<JsonWebKey> keys;
    const auto set = jwks.empty() ? std::nullopt : readLoosely<SetMembers>(jwks);
    if (!set) return keys;
    for (const auto& entry : set->keys)
    {
        if (keys.size() == maxKeysOfSet) break;
        if (auto key = JsonWebKey::read(entry.text)) keys.push_back(*std::move(key));
    }
    return keys;
}

std::size_t sizeOfSet(std::string_view jwks)
{
    const auto set = jwks.empty() ? std::nullopt : readLoosely<SetMembers>(jwks);
    return set ? set->keys.size() : 0;
}

} // namespace portico::identity
