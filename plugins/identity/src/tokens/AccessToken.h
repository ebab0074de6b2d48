#pragma once

#include "portico/Schema.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

/// JOSE header of our tokens (RFC 9068): these members and no others.
struct TokenHeader
{
    std::string alg;
    std::string typ;
    std::string kid;
};

/// Claims of an access token: these members and no others. Instants are seconds since 1970. Nothing in them decides about rights; they say
/// which session the caller speaks for.
struct AccessClaims
{
    std::string iss;
    std::string sub;
    std::string aud;
    std::string clientId;
    std::int64_t iat = 0;
    std::int64_t nbf = 0;
    std::int64_t exp = 0;
    std::string jti;
    std::string sid;
    std::string scope;
    std::string principalType;
    std::string context;
    std::optional<std::string> orgId;
    std::optional<std::string> householdId;
    std::string role;
    std::optional<std::string> platformRole;
    std::int64_t authTime = 0;
    std::vector<std::string> amr;
    std::string acr;
    std::int64_t prv = 0;
};

} // namespace portico::identity

template <>
struct portico::Schema<portico::identity::TokenHeader>
{
    using T = portico::identity::TokenHeader;
    static constexpr auto fields =
        describe(field("alg", &T::alg).required(), field("typ", &T::typ).required(), field("kid", &T::kid).required());
};

template <>
struct portico::Schema<portico::identity::AccessClaims>
{
    using T = portico::identity::AccessClaims;
    static constexpr auto fields = describe(
        field("iss", &T::iss).required(), field("sub", &T::sub).required(), field("aud", &T::aud).required(),
        field("client_id", &T::clientId).required(), field("iat", &T::iat).required(), field("nbf", &T::nbf).required(),
        field("exp", &T::exp).required(), field("jti", &T::jti).required(), field("sid", &T::sid).required(), field("scope", &T::scope),
        field("principal_type", &T::principalType).required(), field("context", &T::context).required(), field("org_id", &T::orgId),
        field("household_id", &T::householdId), field("role", &T::role), field("platform_role", &T::platformRole),
        field("auth_time", &T::authTime).required(), field("amr", &T::amr), field("acr", &T::acr), field("prv", &T::prv));
};
