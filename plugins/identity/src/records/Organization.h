#pragma once

#include "common/Ids.h"
#include "common/Names.h"
#include "common/Role.h"
#include "records/SecurityPolicy.h"

#include "portico/Instant.h"
#include "portico/Table.h"

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

enum class DomainStatus : std::uint8_t
{
    Pending,
    Verified
};

constexpr auto schemaOf(const DomainStatus*)
{
    using enum DomainStatus;
    return portico::choices<DomainStatus>({{"pending", Pending}, {"verified", Verified}});
}

/// A domain as the organization that claims it shows it.
struct ClaimedDomain
{
    std::string domain;
    DomainStatus status = DomainStatus::Pending;
    /// Role of users who join by a verified address of the domain; empty: no auto-join.
    std::optional<Role> autoJoinRole;
    bool operator==(const ClaimedDomain&) const = default;
};

constexpr auto schemaOf(const ClaimedDomain*)
{
    return describe(members<&ClaimedDomain::domain, &ClaimedDomain::status, &ClaimedDomain::autoJoinRole>());
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
    /// Time of a scheduled deletion, unless it is cancelled.
    std::optional<Instant> deletionAt;

    // Members from other tables, filled by `complete`.
    // The active owner who has been a member for longest.
    std::optional<UserId> ownerUserId;
    /// Number of active members.
    std::int64_t memberCount = 0;
    std::vector<ClaimedDomain> domains;
};

namespace organizations
{
/// 2 to 40 lower-case letters, digits and single hyphens between them.
bool isSlug(std::string_view text) noexcept;
} // namespace organizations

constexpr auto schemaOf(const Organization*)
{
    return describe(field<&Organization::id>().readOnly(),
                    field<&Organization::slug>().required().matches(organizations::isSlug, "invalid_slug",
                                                                    "2 to 40 lower-case letters, digits and single hyphens between them"),
                    named(field<&Organization::name>().required().trimmed().maxLength(120)), field<&Organization::kind>().readOnly(),
                    field<&Organization::status>().readOnly(), field<&Organization::logoUrl>().uri(),
                    field<&Organization::ownerUserId>().readOnly().transient(), field<&Organization::memberCount>().readOnly().transient(),
                    field<&Organization::securityPolicy>(), field<&Organization::domains>().readOnly().transient(),
                    field<&Organization::deletionAt>(), versioned<Organization>());
}

inline constexpr GlobalTable organizationTable{"organizations", &Organization::id};

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
    return describe(members<&MyOrganization::id, &MyOrganization::name, &MyOrganization::slug, &MyOrganization::kind,
                            &MyOrganization::status, &MyOrganization::role>());
}

/// Rows of organizations and memberships.
namespace organizations
{
std::optional<Organization> find(Session& session, const OrganizationId& id);
std::optional<Organization> findBySlug(Session& session, std::string_view slug);
/// Returns the admin organization, whose members can hold a platform role.
std::optional<Organization> findAdmin(Session& session);
/// Locks the organization and its members until the transaction ends. @throws Problem 404
Organization lock(Transaction& transaction, const OrganizationId& id);
/// Rejects changes of keys, OAuth clients and apps of a closed developer workspace. The storage of keys and clients calls it. Routes call
/// it first, so that its error takes precedence.
/// @throws Problem 403 `developer_workspace_suspended`, `developer_workspace_revoked`
void requireOpenWorkspace(Transaction& transaction, const std::optional<OrganizationId>& id);
/// Does the same for an organization that was read; does nothing for other kinds.
void refuseClosedWorkspace(const Organization& organization);
/// Reads members for answers from other tables.
void complete(Session& session, Organization& organization);

/// Active memberships in active organizations, by when they began.
std::vector<MyOrganization> ofUser(Session& session, const UserId& userId);
/// Active member of the active admin organization now.
bool isOperator(Session& session, const UserId& userId);
/// Member of the admin organization, suspended there or not.
bool belongsToAdmin(Session& session, const UserId& userId);

} // namespace organizations

} // namespace portico::identity
