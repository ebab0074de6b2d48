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

constexpr auto schemaOf(const OrganizationKind*)
{
    using enum OrganizationKind;
    return portico::choices<OrganizationKind>({{"business", Business}, {"developer_workspace", DeveloperWorkspace}, {"admin", Admin}});
}

enum class OrganizationStatus : std::uint8_t
{
    Active,
    Suspended,
    Revoked
};

constexpr auto schemaOf(const OrganizationStatus*)
{
    using enum OrganizationStatus;
    return portico::choices<OrganizationStatus>({{"active", Active}, {"suspended", Suspended}, {"revoked", Revoked}});
}

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

constexpr auto schemaOf(const SecurityPolicy*)
{
    return describe(
        field("mfaRequired", &SecurityPolicy::mfaRequired), field("maxSessionHours", &SecurityPolicy::maxSessionHours).range(1, 2160),
        field("idleHours", &SecurityPolicy::idleHours).range(1, 720), field("allowedLoginMethods", &SecurityPolicy::allowedLoginMethods),
        field("apiKeyMaxDays", &SecurityPolicy::apiKeyMaxDays).range(1, 3650),
        field("ipAllowList", &SecurityPolicy::ipAllowList).maxItems(100));
}

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

constexpr auto schemaOf(const Organization*)
{
    return describe(field("id", &Organization::id).readOnly(), field("slug", &Organization::slug), field("name", &Organization::name),
                    field("kind", &Organization::kind), field("status", &Organization::status).readOnly(),
                    field("logoUrl", &Organization::logoUrl).uri(), field("securityPolicy", &Organization::securityPolicy),
                    field("createdAt", &Organization::createdAt).readOnly(), field("updatedAt", &Organization::updatedAt).readOnly(),
                    field("version", &Organization::version).readOnly());
}

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

constexpr auto schemaOf(const Membership*)
{
    return describe(field("id", &Membership::id).readOnly(), field("organizationId", &Membership::organizationId).readOnly(),
                    field("userId", &Membership::userId).readOnly(), field("role", &Membership::role), field("status", &Membership::status),
                    field("joinedAt", &Membership::joinedAt).readOnly(), field("createdAt", &Membership::createdAt).readOnly(),
                    field("updatedAt", &Membership::updatedAt).readOnly(), field("version", &Membership::version).readOnly());
}

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

constexpr auto schemaOf(const MyOrganization*)
{
    return describe(field("id", &MyOrganization::id), field("name", &MyOrganization::name), field("slug", &MyOrganization::slug),
                    field("kind", &MyOrganization::kind), field("status", &MyOrganization::status), field("role", &MyOrganization::role));
}

} // namespace portico::identity
