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

/// Proofs of a sign-in on which a platform role depends.
struct SignInProof
{
    /// Methods of RFC 8176.
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

/// Effect of a platform role.
struct PlatformPower
{
    PowerFault fault = PowerFault::NoRole;
    /// Time at which the sign-in becomes too old; empty: never, or there is no sign-in.
    std::optional<Instant> until = {};
    /// Networks to which it is limited; none: all.
    std::vector<std::string> ipAllowList = {};

    bool effective() const noexcept { return fault == PowerFault::None; }
};

/// Restriction of a sign-in: one by an organization's provider is valid for that organization only.
struct SignInScope
{
    bool limited = false;
    /// Empty if the provider was removed: the sign-in can access no further context.
    std::optional<OrganizationId> organization = {};

    bool allows(const std::optional<OrganizationId>& context) const noexcept
    {
        return !limited || (organization && context == organization);
    }
};

namespace platform_power
{
/// Decides whether a platform role has effect: current membership in the admin organization, and its policy for the sign-in. The only code
/// that does so.
/// @param proof empty: decides by rows only, for API keys and for queries about users who are not signed in
PlatformPower judge(Session& session, const User& user, const std::optional<SignInProof>& proof);

/// Reads the scope of a sign-in with that `amr`.
SignInScope scopeOf(Session& session, const std::vector<std::string>& amr);
} // namespace platform_power

} // namespace portico::identity
