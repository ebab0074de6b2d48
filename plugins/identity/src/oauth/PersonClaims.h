#pragma once

#include "portico/Database.h"
#include "records/Organization.h"
#include "users/User.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

struct OrganizationClaim
{
    std::string id;
    std::string slug;
    Role role = Role::Member;
};

constexpr auto schemaOf(const OrganizationClaim*)
{
    return describe(members<&OrganizationClaim::id, &OrganizationClaim::slug, &OrganizationClaim::role>());
}

/// Claims about a user by granted scopes (OpenID Connect Core, 5.1 and 5.4): `userinfo`, and part of an ID token.
struct PersonClaims
{
    std::string sub;
    std::optional<std::string> preferredUsername;
    std::optional<std::string> name;
    std::optional<std::string> givenName;
    std::optional<std::string> familyName;
    std::optional<std::string> picture;
    std::optional<std::string> locale;
    std::optional<std::string> zoneinfo;
    std::optional<std::int64_t> updatedAt;
    std::optional<std::string> email;
    std::optional<bool> emailVerified;
    std::optional<std::vector<OrganizationClaim>> organizations;

    /// @param sub subject under which the client knows the user. With a pairwise subject, identifying claims are left out unless the scope
    /// has `email`.
    static PersonClaims of(Session& session, const User& user, std::string_view sub, std::string_view scope);
};

constexpr auto schemaOf(const PersonClaims*)
{
    return describe(field<&PersonClaims::sub>(), field<&PersonClaims::preferredUsername>("preferred_username").omitEmpty(),
                    field<&PersonClaims::name>().omitEmpty(), field<&PersonClaims::givenName>("given_name").omitEmpty(),
                    field<&PersonClaims::familyName>("family_name").omitEmpty(), field<&PersonClaims::picture>().omitEmpty(),
                    field<&PersonClaims::locale>().omitEmpty(), field<&PersonClaims::zoneinfo>().omitEmpty(),
                    field<&PersonClaims::updatedAt>("updated_at").omitEmpty(), field<&PersonClaims::email>().omitEmpty(),
                    field<&PersonClaims::emailVerified>("email_verified").omitEmpty(), field<&PersonClaims::organizations>().omitEmpty());
}

/// OpenID Connect Core, 2.
struct IdTokenClaims : PersonClaims
{
    std::string iss;
    std::string aud;
    std::string azp;
    std::int64_t iat = 0;
    std::int64_t exp = 0;
    std::int64_t authTime = 0;
    std::optional<std::string> nonce;
    std::string atHash;
    std::string sid;
    std::vector<std::string> amr;
    std::string acr;
};

constexpr auto schemaOf(const IdTokenClaims*)
{
    return describe(
        schemaOf(static_cast<const PersonClaims*>(nullptr)),
        portico::members<&IdTokenClaims::iss, &IdTokenClaims::aud, &IdTokenClaims::azp, &IdTokenClaims::iat, &IdTokenClaims::exp>(),
        portico::field<&IdTokenClaims::authTime>("auth_time"), portico::field<&IdTokenClaims::nonce>().omitEmpty(),
        portico::field<&IdTokenClaims::atHash>("at_hash"),
        portico::members<&IdTokenClaims::sid, &IdTokenClaims::amr, &IdTokenClaims::acr>());
}

} // namespace portico::identity
