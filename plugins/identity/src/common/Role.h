#pragma once

#include "portico/Schema.h"

#include <cstdint>
#include <string_view>

namespace portico::identity
{

/// Role in one organization. The numbers are ranks, which are compared when a member changes another one.
enum class Role : std::uint8_t
{
    Guest = 20,
    Member = 40,
    Admin = 60,
    SuperAdmin = 70,
    Owner = 80
};

constexpr auto schemaOf(const Role*)
{
    using enum Role;
    return portico::choices<Role>({{"guest", Guest}, {"member", Member}, {"admin", Admin}, {"super_admin", SuperAdmin}, {"owner", Owner}});
}

/// Role on the platform; effective only while its holder is a member of the admin organization.
enum class PlatformRole : std::uint8_t
{
    PlatformAdmin = 90,
    PlatformSuperAdmin = 100
};

constexpr auto schemaOf(const PlatformRole*)
{
    using enum PlatformRole;
    return portico::choices<PlatformRole>({{"platform_admin", PlatformAdmin}, {"platform_super_admin", PlatformSuperAdmin}});
}

constexpr int rank(Role role) noexcept { return static_cast<int>(role); }
constexpr int rank(PlatformRole role) noexcept { return static_cast<int>(role); }

/// Returns true if an actor may change a subject with the given ranks: only lower ranks, but owners may change owners.
constexpr bool mayChange(int actor, int subject) noexcept { return actor > subject || (actor == rank(Role::Owner) && subject == actor); }

/// Returns true unless the granted role is above the actor's.
constexpr bool mayGrant(int actor, Role granted) noexcept { return actor >= rank(granted); }

/// Returns true for roles that may use the four families of admin routes without a permission.
constexpr bool hasAdminRoutes(Role role) noexcept { return rank(role) >= rank(Role::Admin); }

} // namespace portico::identity
