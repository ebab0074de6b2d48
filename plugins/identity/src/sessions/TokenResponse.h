#pragma once

#include "organizations/Organization.h"
#include "permissions/AccessStore.h"
#include "sessions/SignIn.h"
#include "users/User.h"

#include "portico/Schema.h"

namespace portico::identity
{

/// Where a user works now. Household members are filled in personal context only.
struct ActiveContext
{
    ContextKind kind = ContextKind::Personal;
    std::optional<OrganizationId> organizationId;
    std::optional<std::string> organizationName;
    Role role = Role::Member;
    std::optional<std::string> selectedHouseholdId;
    Json selectedHousehold;

    static ActiveContext of(const ActiveStanding& standing);
};

constexpr auto schemaOf(const ActiveContext*)
{
    return describe(field("kind", &ActiveContext::kind), field("organizationId", &ActiveContext::organizationId),
                    field("organizationName", &ActiveContext::organizationName), field("role", &ActiveContext::role),
                    field("selectedHouseholdId", &ActiveContext::selectedHouseholdId),
                    field("selectedHousehold", &ActiveContext::selectedHousehold));
}

/// A sign-in in a TokenResponse.
struct SessionSummary
{
    SessionId id;
    Instant expiresAt{};
    std::vector<std::string> amr;
    std::string acr;
};

constexpr auto schemaOf(const SessionSummary*)
{
    return describe(field("id", &SessionSummary::id), field("expiresAt", &SessionSummary::expiresAt), field("amr", &SessionSummary::amr),
                    field("acr", &SessionSummary::acr));
}

/// What a successful sign-in, refresh, step-up or change of context answers.
struct TokenResponse
{
    std::string accessToken;
    std::string tokenType = "Bearer";
    std::int64_t expiresIn = 0;
    std::string scope;
    /// Only for native clients; browsers get a cookie.
    std::optional<std::string> refreshToken;
    SessionSummary session;
    User user;
    ActiveContext activeContext;
};

constexpr auto schemaOf(const TokenResponse*)
{
    return describe(field("access_token", &TokenResponse::accessToken), field("token_type", &TokenResponse::tokenType),
                    field("expires_in", &TokenResponse::expiresIn), field("scope", &TokenResponse::scope),
                    field("refresh_token", &TokenResponse::refreshToken).omitEmpty(), field("session", &TokenResponse::session),
                    field("user", &TokenResponse::user), field("activeContext", &TokenResponse::activeContext));
}

} // namespace portico::identity
