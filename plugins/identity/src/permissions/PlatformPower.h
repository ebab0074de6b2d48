#pragma once

#include "sessions/SignIn.h"
#include "users/User.h"

#include "portico/Database.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// What a sign-in has proved, as far as a platform role depends on it.
struct SignInProof
{
    /// RFC 8176.
    std::vector<std::string> amr;
    std::string acr = "aal1";
    Instant authTime{};
    Instant now{};

    static SignInProof of(const SignIn& signIn, Instant now) { return {signIn.amr, signIn.acr, signIn.authTime, now}; }
};

/// Why a platform role has no effect.
enum class PowerFault : std::uint8_t
{
    None,
    NoRole,
    OutsideAdminOrganization,
    OrganizationProvider, ///< signed in through the provider of an organization
    LoginMethod,          ///< the policy of the admin organization, here and below
    SecondFactor,
    Age
};

constexpr auto schemaOf(const PowerFault*)
{
    using enum PowerFault;
    return portico::choices<PowerFault>({{"none", None},
                                         {"no_platform_role", NoRole},
                                         {"outside_admin_organization", OutsideAdminOrganization},
                                         {"organization_provider", OrganizationProvider},
                                         {"login_method_not_allowed", LoginMethod},
                                         {"mfa_required", SecondFactor},
                                         {"session_too_old", Age}});
}

/// Whether a platform role has effect.
struct PlatformPower
{
    PowerFault fault = PowerFault::NoRole;
    /// When the sign-in becomes too old for it; empty: never, or not judged by a sign-in.
    std::optional<Instant> until = {};
    /// Networks of requests that it is limited to; none: all.
    std::vector<std::string> ipAllowList = {};

    bool effective() const noexcept { return fault == PowerFault::None; }
};

/// What a sign-in is limited to: one through the provider of an organization speaks for that organization alone.
struct SignInScope
{
    bool limited = false;
    /// Empty: the provider is gone, and the sign-in opens no further context.
    std::optional<OrganizationId> organization = {};

    bool allows(const std::optional<OrganizationId>& context) const noexcept
    {
        return !limited || (organization && context == organization);
    }
};

namespace platform_power
{
/// The one place that judges a platform role: membership in the admin organization now, and what its policy demands of the sign-in.
/// @param proof Empty: judged by the rows alone, for API keys and for questions about people who have not signed in for them
PlatformPower judge(Session& session, const User& user, const std::optional<SignInProof>& proof);

/// Reads the scope of a sign-in with that `amr`.
SignInScope scopeOf(Session& session, const std::vector<std::string>& amr);
} // namespace platform_power

} // namespace portico::identity
