#pragma once

#include "common/Ids.h"
#include "permissions/Role.h"

#include "portico/Table.h"
#include "portico/interfaces/Directory.h"

#include <optional>
#include <string>
#include <string_view>
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
struct Organization : Versioned
{
    OrganizationId id;
    std::string slug;
    std::string name;
    OrganizationKind kind = OrganizationKind::Business;
    OrganizationStatus status = OrganizationStatus::Active;
    std::optional<std::string> logoUrl;
    SecurityPolicy securityPolicy;
};

constexpr auto schemaOf(const Organization*)
{
    return describe(field("id", &Organization::id), field("slug", &Organization::slug), field("name", &Organization::name),
                    field("kind", &Organization::kind), field("status", &Organization::status), field("logoUrl", &Organization::logoUrl),
                    field("securityPolicy", &Organization::securityPolicy), versioned<Organization>());
}

struct Membership : Versioned
{
    MembershipId id;
    UserId userId;
    Role role = Role::Member;
    MembershipStatus status = MembershipStatus::Active;
    Instant joinedAt{};
};

constexpr auto schemaOf(const Membership*)
{
    return describe(field("id", &Membership::id), field("userId", &Membership::userId), field("role", &Membership::role),
                    field("status", &Membership::status), field("joinedAt", &Membership::joinedAt), versioned<Membership>());
}

inline constexpr Table membershipTable{"memberships", {.where = "status <> 'removed'"}, &Membership::userId};

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

/// Rows of organizations, memberships and of which services an organization may use.
namespace organizations
{
/// 2 to 40 lower-case letters, digits and single hyphens between them.
bool isSlug(std::string_view text) noexcept;

std::optional<Organization> find(Session& session, const OrganizationId& id);
std::optional<Organization> findBySlug(Session& session, std::string_view slug);
/// The organization whose members alone can hold a platform role.
std::optional<Organization> findAdmin(Session& session);
/// Active memberships in active organizations, by when they began.
std::vector<MyOrganization> ofUser(Session& session, const UserId& userId);
/// Active member of the active admin organization now.
bool isOperator(Session& session, const UserId& userId);

void grantService(Session& session, const OrganizationId& id, std::string_view serviceId, Instant now);
/// Gives a service to all organizations there are.
void grantToAll(Session& session, std::string_view serviceId, Instant now);
bool hasService(Session& session, const OrganizationId& id, std::string_view serviceId);
} // namespace organizations

/// `identity.directory`: who belongs to an organization. Thread-safe.
class Members final : public interfaces::Directory
{
public:
    explicit Members(Database& database) : _database(database) {}
    std::optional<interfaces::DirectoryMember> member(std::string_view organizationId, std::string_view userId) override;
    std::optional<interfaces::DirectoryMember> memberByEmail(std::string_view organizationId, std::string_view email) override;

private:
    Database& _database;
};

} // namespace portico::identity
