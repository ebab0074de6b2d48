#include "oauth/JsonWebKey.h"

#include "portico/Crypto.h"
#include "portico/Json.h"
#include "portico/Problem.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

namespace portico::identity
{

namespace
{

constexpr std::size_t longestJws = 16 * 1024;

struct KeyMembers
{
    std::string kty, crv, x, y, n, e, kid, alg, use;
    /// Private or symmetric: never a key to be shown around.
    Json d, k;
};

constexpr auto schemaOf(const KeyMembers*)
{
    return describe(field("kty", &KeyMembers::kty), field("crv", &KeyMembers::crv), field("x", &KeyMembers::x), field("y", &KeyMembers::y),
                    field("n", &KeyMembers::n), field("e", &KeyMembers::e), field("kid", &KeyMembers::kid), field("alg", &KeyMembers::alg),
                    field("use", &KeyMembers::use), field("d", &KeyMembers::d), field("k", &KeyMembers::k));
}

struct SetMembers
{
    std::vector<Json> keys;
};

constexpr auto schemaOf(const SetMembers*) { return describe(field("keys", &SetMembers::keys)); }

struct HeaderMembers
{
    std::string alg, typ, kid;
    Json jwk, crit;
};

constexpr auto schemaOf(const HeaderMembers*)
{
    return describe(field("alg", &HeaderMembers::alg), field("typ", &HeaderMembers::typ), field("kid", &HeaderMembers::kid),
                    field("jwk", &HeaderMembers::jwk), field("crit", &HeaderMembers::crit));
}

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

template <auto Free>
struct Released
{
    template <class T>
    void operator()(T* object) const
    {
        Free(object);
    }
};
using Builder = std::unique_ptr<OSSL_PARAM_BLD, Released<OSSL_PARAM_BLD_free>>;
using Parameters = std::unique_ptr<OSSL_PARAM, Released<OSSL_PARAM_free>>;
using KeyContext = std::unique_ptr<EVP_PKEY_CTX, Released<EVP_PKEY_CTX_free>>;
using BigNumber = std::unique_ptr<BIGNUM, Released<BN_free>>;

std::shared_ptr<EVP_PKEY> buildKey(const char* kind, OSSL_PARAM_BLD* builder)
{
    const Parameters parameters(OSSL_PARAM_BLD_to_param(builder));
    const KeyContext context(EVP_PKEY_CTX_new_from_name(nullptr, kind, nullptr));
    EVP_PKEY* key = nullptr;
    if (!parameters || !context || EVP_PKEY_fromdata_init(context.get()) != 1 ||
        EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, parameters.get()) != 1)
        return nullptr;
    std::shared_ptr<EVP_PKEY> made(key, &EVP_PKEY_free);
    // A point that is not on the curve would give its answers away.
    const KeyContext check(EVP_PKEY_CTX_new_from_pkey(nullptr, key, nullptr));
    return check && EVP_PKEY_public_check(check.get()) == 1 ? made : nullptr;
}

std::shared_ptr<EVP_PKEY> pointKey(const KeyMembers& members)
{
    const auto x = fromBase64Url(members.x);
    const auto y = fromBase64Url(members.y);
    if (members.crv != "P-256" || !x || !y || x->size() != 32 || y->size() != 32) return nullptr;
    const auto point = '\x04' + *x + *y;
    const Builder builder(OSSL_PARAM_BLD_new());
    if (!builder || OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) != 1 ||
        OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(), point.size()) != 1)
        return nullptr;
    return buildKey("EC", builder.get());
}

BigNumber number(std::string_view text)
{
    const auto bytes = fromBase64Url(text);
    if (!bytes || bytes->empty() || bytes->size() > 1024 || bytes->front() == '\0') return nullptr;
    return BigNumber(BN_bin2bn(reinterpret_cast<const unsigned char*>(bytes->data()), static_cast<int>(bytes->size()), nullptr));
}

std::shared_ptr<EVP_PKEY> rsaKey(const KeyMembers& members)
{
    const auto n = number(members.n);
    const auto e = number(members.e);
    // Larger exponents and numbers only cost us time.
    if (!n || !e || BN_num_bits(n.get()) < 2048 || BN_num_bits(n.get()) > 8192 || BN_num_bits(e.get()) > 32 || BN_is_odd(e.get()) != 1 ||
        BN_is_one(e.get()) == 1)
        return nullptr;
    const Builder builder(OSSL_PARAM_BLD_new());
    if (!builder || OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
        OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1)
        return nullptr;
    return buildKey("RSA", builder.get());
}

bool isPresent(const Json& json) { return !json.text.empty() && json.text != "null"; }

} // namespace

std::optional<JsonWebKey> JsonWebKey::parse(std::string_view json)
{
    const auto members = readLoosely<KeyMembers>(json);
    if (!members || isPresent(members->d) || isPresent(members->k) || !(members->use.empty() || members->use == "sig")) return std::nullopt;
    JsonWebKey key;
    key._isRsa = members->kty == "RSA";
    if (key._isRsa)
        key._key = rsaKey(*members);
    else if (members->kty == "EC")
        key._key = pointKey(*members);
    ERR_clear_error();
    if (!key._key) return std::nullopt;
    const auto canonical = key._isRsa ? R"({"e":")" + members->e + R"(","kty":"RSA","n":")" + members->n + "\"}"
                                      : R"({"crv":"P-256","kty":"EC","x":")" + members->x + R"(","y":")" + members->y + "\"}";
    key._thumbprint = toBase64Url(sha256(canonical).bytes());
    key._kid = members->kid;
    key._alg = members->alg;
    return key;
}

bool JsonWebKey::verify(std::string_view algorithm, std::string_view message, std::string_view signature) const
{
    if (!_alg.empty() && _alg != algorithm) return false;
    if (!_isRsa) return algorithm == "ES256" && verifySignature(_key.get(), Algorithm::ES256, message, signature);
    if (algorithm == "RS256") return verifySignature(_key.get(), Algorithm::RS256, message, signature);
    return algorithm == "PS256" && verifySignature(_key.get(), Algorithm::PS256, message, signature);
}

std::vector<JsonWebKey> keysOf(std::string_view jwks)
{
    std::vector<JsonWebKey> keys;
    const auto set = jwks.empty() ? std::nullopt : readLoosely<SetMembers>(jwks);
    if (!set) return keys;
    for (const auto& entry : set->keys)
        if (auto key = JsonWebKey::parse(entry.text)) keys.push_back(*std::move(key));
    return keys;
}

std::optional<ForeignJws> ForeignJws::parse(std::string_view token)
{
    if (token.size() > longestJws) return std::nullopt;
    const auto first = token.find('.');
    const auto second = first == std::string_view::npos ? first : token.find('.', first + 1);
    if (second == std::string_view::npos || token.find('.', second + 1) != std::string_view::npos) return std::nullopt;
    auto header = fromBase64Url(token.substr(0, first));
    auto payload = fromBase64Url(token.substr(first + 1, second - first - 1));
    auto signature = fromBase64Url(token.substr(second + 1));
    if (!header || !payload || !signature || !payload->starts_with('{')) return std::nullopt;
    const auto members = readLoosely<HeaderMembers>(*header);
    if (!members || isPresent(members->crit) || !isJson(*payload)) return std::nullopt;
    ForeignJws jws{*std::move(header), *std::move(payload), *std::move(signature), std::string(token.substr(0, second)),
                   members->alg,       members->typ,        members->kid,          {}};
    if (isPresent(members->jwk)) jws.jwk = members->jwk.text;
    return jws;
}

} // namespace portico::identity
