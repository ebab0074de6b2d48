#pragma once

#include "portico/Crypto.h"
#include "portico/Schema.h"

#include <string>
#include <vector>

namespace portico::identity
{

/// A public key as JSON (RFC 7517): on P-256 with `x` and `y`, of RSA with `n` and `e`, each in base64url.
struct Jwk
{
    std::string kty;
    std::string use = "sig";
    std::string alg;
    std::string kid;
    std::string crv;
    std::string x;
    std::string y;
    std::string n;
    std::string e;

    /// RFC 7638: the order of the members is the standard's.
    std::string thumbprint() const
    {
        const auto hash = kty == "RSA" ? sha256({R"({"e":")", e, R"(","kty":"RSA","n":")", n, "\"}"})
                                       : sha256({R"({"crv":"P-256","kty":"EC","x":")", x, R"(","y":")", y, "\"}"});
        return toBase64Url(hash.bytes());
    }
};

constexpr auto schemaOf(const Jwk*)
{
    return describe(members<&Jwk::kty, &Jwk::use, &Jwk::alg, &Jwk::kid>(), field<&Jwk::crv>().omitEmpty(), field<&Jwk::x>().omitEmpty(),
                    field<&Jwk::y>().omitEmpty(), field<&Jwk::n>().omitEmpty(), field<&Jwk::e>().omitEmpty());
}

struct JwkSet
{
    std::vector<Jwk> keys;
};

constexpr auto schemaOf(const JwkSet*) { return describe(field<&JwkSet::keys>()); }

} // namespace portico::identity
