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

/// A sign-in in a TokenResponse.
struct SessionSummary
{
    SessionId id;
    Instant expiresAt{};
    std::vector<std::string> amr;
    std::string acr;
};

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

} // namespace portico::identity

template <>
struct portico::Schema<portico::identity::ActiveContext>
{
    using T = portico::identity::ActiveContext;
    static constexpr auto fields = describe(
        field("kind", &T::kind), field("organizationId", &T::organizationId), field("organizationName", &T::organizationName),
        field("role", &T::role), field("selectedHouseholdId", &T::selectedHouseholdId), field("selectedHousehold", &T::selectedHousehold));
};

template <>
struct portico::Schema<portico::identity::SessionSummary>
{
    using T = portico::identity::SessionSummary;
    static constexpr auto fields =
        describe(field("id", &T::id), field("expiresAt", &T::expiresAt), field("amr", &T::amr), field("acr", &T::acr));
};

template <>
struct portico::Schema<portico::identity::TokenResponse>
{
    using T = portico::identity::TokenResponse;
    static constexpr auto fields =
        describe(field("access_token", &T::accessToken), field("token_type", &T::tokenType), field("expires_in", &T::expiresIn),
                 field("scope", &T::scope), field("refresh_token", &T::refreshToken).omitEmpty(), field("session", &T::session),
                 field("user", &T::user), field("activeContext", &T::activeContext));
};
