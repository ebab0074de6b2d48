#pragma once

#include "common/Ids.h"
#include "common/Role.h"
#include "users/User.h"

#include "portico/Table.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

enum class MembershipStatus : std::uint8_t
{
    Invited,
    Active,
    Suspended,
    Removed
};

constexpr auto schemaOf(const MembershipStatus*)
{
    using enum MembershipStatus;
    return portico::choices<MembershipStatus>({{"invited", Invited}, {"active", Active}, {"suspended", Suspended}, {"removed", Removed}});
}

/// Profile of a member as other members see it.
struct MemberProfile
{
    UserId id;
    std::string displayName;
    std::optional<std::string> email;
    std::optional<std::string> avatarUrl;
    bool operator==(const MemberProfile&) const = default;
};

constexpr auto schemaOf(const MemberProfile*)
{
    return describe(members<&MemberProfile::id, &MemberProfile::displayName>(), field<&MemberProfile::email>().omitEmpty(),
                    field<&MemberProfile::avatarUrl>());
}

struct Membership : Versioned
{
    MembershipId id;
    UserId userId;
    Role role = Role::Member;
    MembershipStatus status = MembershipStatus::Active;
    Instant joinedAt{};

    /// Filled in where it is shown.
    OrganizationId organizationId;
    MemberProfile user;
};

constexpr auto schemaOf(const Membership*)
{
    return describe(field<&Membership::id>().readOnly(), field<&Membership::organizationId>().readOnly().transient(),
                    field<&Membership::userId>().readOnly(), members<&Membership::role, &Membership::status>(),
                    field<&Membership::joinedAt>().readOnly(), field<&Membership::user>().readOnly().transient(), versioned<Membership>());
}

inline constexpr Table membershipTable{"memberships", {.where = "status <> 'removed'"}, &Membership::userId};

namespace memberships
{
/// Returns the owners of an organization whose accounts are active.
std::vector<User> owners(Session& session, const OrganizationId& organization);
} // namespace memberships

} // namespace portico::identity
