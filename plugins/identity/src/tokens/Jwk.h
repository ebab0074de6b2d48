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

struct JwkSet
{
    std::vector<Jwk> keys;
};

} // namespace portico::identity

template <>
struct portico::Schema<portico::identity::Jwk>
{
    using T = portico::identity::Jwk;
    static constexpr auto fields = describe(field("kty", &T::kty), field("crv", &T::crv), field("use", &T::use), field("alg", &T::alg),
                                            field("kid", &T::kid), field("x", &T::x), field("y", &T::y));
};

template <>
struct portico::Schema<portico::identity::JwkSet>
{
    using T = portico::identity::JwkSet;
    static constexpr auto fields = describe(field("keys", &T::keys));
};
