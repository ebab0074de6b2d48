#pragma once

#include "common/Ids.h"
#include "common/Names.h"
#include "common/Role.h"
#include "records/SecurityPolicy.h"

#include "portico/Database.h"
#include "portico/Instant.h"

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
    /// What those become who prove an address there; empty: nothing.
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
    /// It is deleted then, unless somebody takes that back.
    std::optional<Instant> deletionAt;

    // Of other tables, for those that it is shown to (`complete`).
    /// The owner who has been a member for longest.
    std::optional<UserId> ownerUserId;
    /// Active members.
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
/// The organization whose members alone can hold a platform role.
std::optional<Organization> findAdmin(Session& session);
/// Keeps others from changing it, and who belongs to it, until the transaction ends. @throws Problem 404
Organization lock(Transaction& transaction, const OrganizationId& id);
/// The one guard around changes of keys, OAuth clients and apps: those of a developer workspace that is closed stay as they are, through
/// whatever door somebody comes. The storage of keys and clients asks it itself; routes ask first, so that this is what is answered.
/// @throws Problem 403 `developer_workspace_suspended`, `developer_workspace_revoked`
void requireOpenWorkspace(Transaction& transaction, const std::optional<OrganizationId>& id);
/// The same of an organization that was read; any other than a developer workspace passes.
void refuseClosedWorkspace(const Organization& organization);
/// Writes what can be changed, under the next version. The caller holds the lock.
void update(Transaction& transaction, Organization& organization, Instant now);
/// Reads what is shown beside the row.
void complete(Session& session, Organization& organization);

/// Active memberships in active organizations, by when they began.
std::vector<MyOrganization> ofUser(Session& session, const UserId& userId);
/// Active member of the active admin organization now.
bool isOperator(Session& session, const UserId& userId);
/// Member of the admin organization, suspended there or not.
bool belongsToAdmin(Session& session, const UserId& userId);

} // namespace organizations

} // namespace portico::identity
