#pragma once

#include "common/Ids.h"
#include "permissions/Role.h"

#include "portico/Schema.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

enum class OrganizationKind : std::uint8_t
{
    Business,
    DeveloperWorkspace,
    Admin
};

enum class OrganizationStatus : std::uint8_t
{
    Active,
    Suspended,
    Revoked
};

enum class MembershipStatus : std::uint8_t
{
    Invited,
    Active,
    Suspended,
    Removed
};

/// What an organization demands of sign-ins and keys in its context.
struct SecurityPolicy
{
    bool mfaRequired = false;
    std::int64_t maxSessionHours = 720;
    std::int64_t idleHours = 168;
    std::vector<std::string> allowedLoginMethods = {"password", "passkey"};
    std::int64_t apiKeyMaxDays = 365;
    std::vector<std::string> ipAllowList;
};

/// The tenant of everything that is not personal.
struct Organization
{
    OrganizationId id;
    std::string slug;
    std::string name;
    OrganizationKind kind = OrganizationKind::Business;
    OrganizationStatus status = OrganizationStatus::Active;
    std::optional<std::string> logoUrl;
    SecurityPolicy securityPolicy;
    std::int64_t version = 1;
    Instant createdAt{};
    Instant updatedAt{};
};

struct Membership
{
    MembershipId id;
    OrganizationId organizationId;
    UserId userId;
    Role role = Role::Member;
    MembershipStatus status = MembershipStatus::Active;
    Instant joinedAt{};
    std::int64_t version = 1;
    Instant createdAt{};
    Instant updatedAt{};
};

/// An organization as one of its members sees it in lists: `organizations` of Me.
struct MyOrganization
{
    OrganizationId id;
    std::string name;
    std::string slug;
    OrganizationKind kind = OrganizationKind::Business;
    OrganizationStatus status = OrganizationStatus::Active;
    Role role = Role::Member;
};

} // namespace portico::identity

template <>
struct portico::Schema<portico::identity::OrganizationKind>
{
    using OrganizationKind = portico::identity::OrganizationKind;
    static constexpr auto choices = portico::choices<OrganizationKind>({{"business", OrganizationKind::Business},
                                                                        {"developer_workspace", OrganizationKind::DeveloperWorkspace},
                                                                        {"admin", OrganizationKind::Admin}});
};

template <>
struct portico::Schema<portico::identity::OrganizationStatus>
{
    using OrganizationStatus = portico::identity::OrganizationStatus;
    static constexpr auto choices = portico::choices<OrganizationStatus>(
        {{"active", OrganizationStatus::Active}, {"suspended", OrganizationStatus::Suspended}, {"revoked", OrganizationStatus::Revoked}});
};

template <>
struct portico::Schema<portico::identity::MembershipStatus>
{
    using MembershipStatus = portico::identity::MembershipStatus;
    static constexpr auto choices = portico::choices<MembershipStatus>({{"invited", MembershipStatus::Invited},
                                                                        {"active", MembershipStatus::Active},
                                                                        {"suspended", MembershipStatus::Suspended},
                                                                        {"removed", MembershipStatus::Removed}});
};

template <>
struct portico::Schema<portico::identity::SecurityPolicy>
{
    using T = portico::identity::SecurityPolicy;
    static constexpr auto fields =
        describe(field("mfaRequired", &T::mfaRequired), field("maxSessionHours", &T::maxSessionHours).range(1, 2160),
                 field("idleHours", &T::idleHours).range(1, 720), field("allowedLoginMethods", &T::allowedLoginMethods),
                 field("apiKeyMaxDays", &T::apiKeyMaxDays).range(1, 3650), field("ipAllowList", &T::ipAllowList).maxItems(100));
};

template <>
struct portico::Schema<portico::identity::Organization>
{
    using T = portico::identity::Organization;
    static constexpr auto fields =
        describe(field("id", &T::id).readOnly(), field("slug", &T::slug), field("name", &T::name), field("kind", &T::kind),
                 field("status", &T::status).readOnly(), field("logoUrl", &T::logoUrl).uri(), field("securityPolicy", &T::securityPolicy),
                 field("createdAt", &T::createdAt).readOnly(), field("updatedAt", &T::updatedAt).readOnly(),
                 field("version", &T::version).readOnly());
};

template <>
struct portico::Schema<portico::identity::Membership>
{
    using T = portico::identity::Membership;
    static constexpr auto fields = describe(field("id", &T::id).readOnly(), field("organizationId", &T::organizationId).readOnly(),
                                            field("userId", &T::userId).readOnly(), field("role", &T::role), field("status", &T::status),
                                            field("joinedAt", &T::joinedAt).readOnly(), field("createdAt", &T::createdAt).readOnly(),
                                            field("updatedAt", &T::updatedAt).readOnly(), field("version", &T::version).readOnly());
};

template <>
struct portico::Schema<portico::identity::MyOrganization>
{
    using T = portico::identity::MyOrganization;
    static constexpr auto fields = describe(field("id", &T::id), field("name", &T::name), field("slug", &T::slug), field("kind", &T::kind),
                                            field("status", &T::status), field("role", &T::role));
};
