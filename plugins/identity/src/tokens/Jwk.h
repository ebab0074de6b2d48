#pragma once

#include "portico/Schema.h"

#include <string>
#include <vector>

namespace portico::identity
{

/// A public key as JSON (RFC 7517), of the one kind that we sign with.
struct Jwk
{
    std::string kty = "EC";
    std::string crv = "P-256";
    std::string use = "sig";
    std::string alg = "ES256";
    std::string kid;
    std::string x;
    std::string y;
};

constexpr auto schemaOf(const Jwk*)
{
    return describe(field("kty", &Jwk::kty), field("crv", &Jwk::crv), field("use", &Jwk::use), field("alg", &Jwk::alg),
                    field("kid", &Jwk::kid), field("x", &Jwk::x), field("y", &Jwk::y));
}

struct JwkSet
{
    std::vector<Jwk> keys;
};

constexpr auto schemaOf(const JwkSet*) { return describe(field("keys", &JwkSet::keys)); }

} // namespace portico::identity
