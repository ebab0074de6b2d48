#pragma once

#include "catalog/Catalog.h"
#include "common/Ids.h"
#include "permissions/PlatformPower.h"
#include "records/Household.h"
#include "records/Organization.h"

#include "portico/Database.h"
#include "portico/Instant.h"
#include "portico/Table.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

enum class Effect : std::uint8_t
{
    Allow,
    Deny
};

constexpr auto schemaOf(const Effect*)
{
    using enum Effect;
    return portico::choices<Effect>({{"allow", Allow}, {"deny", Deny}});
}

/// A permission, or pattern, that one user is given or refused in one organization.
struct PermissionOverride
{
    std::string permission;
    Effect effect = Effect::Allow;
    std::optional<Instant> expiresAt = {};
    OverrideId id{};
    /// Permissions that a pattern matched when it was granted (`override_grants`). Empty: those that it matches now.
    std::vector<std::string> covered = {};

    /// Returns true if it covers the permission. Patterns that allow do not grow with the catalog; patterns that deny do.
    bool concerns(std::string_view wanted) const;
    bool holds(Instant now) const noexcept { return !expiresAt || *expiresAt > now; }
};

constexpr auto schemaOf(const PermissionOverride*)
{
    return describe(
        members<&PermissionOverride::permission, &PermissionOverride::effect, &PermissionOverride::expiresAt, &PermissionOverride::id>());
}

inline constexpr Table permissionOverrideTable{"permission_overrides", &PermissionOverride::id};

/// Input of a decision about a principal in one service: collected from rows, evaluated here without database access.
struct EvaluationInput
{
    ContextKind context = ContextKind::Personal;
    Role role = Role::Member;
    /// True for an operator who is currently a member of the admin organization.
    bool platformBypass = false;
    /// The organization is active, and so is the membership. Not looked at in personal context, as the next.
    bool inGoodStanding = false;
    /// True if the organization may use the service.
    bool organizationAccess = false;
    /// True for an external user who is restricted to other services.
    bool keptOut = false;
    /// The organization's changes of the service's bundles, by bundle id.
    std::vector<RoleBundle> bundleOverrides;
    std::vector<PermissionOverride> userOverrides;
};

/// Reason why a principal has no access to a service, regardless of permissions.
enum class Obstacle : std::uint8_t
{
    None,
    ServiceNotActive,
    ContextNotServed,
    MembershipInactive,
    NoServiceAccess,
    PersonalAccessOff
};

constexpr auto schemaOf(const Obstacle*)
{
    using enum Obstacle;
    return portico::choices<Obstacle>({{"none", None},
                                       {"service_not_active", ServiceNotActive},
                                       {"context_not_served", ContextNotServed},
                                       {"membership_inactive", MembershipInactive},
                                       {"no_service_access", NoServiceAccess},
                                       {"personal_access_off", PersonalAccessOff}});
}

Obstacle obstacle(const CatalogService& service, const EvaluationInput& input);
/// Returns true if the service may be used in this context; false is 403 `service_access_denied`.
inline bool mayEnter(const CatalogService& service, const EvaluationInput& input) { return obstacle(service, input) == Obstacle::None; }
/// Returns the bundles of the service with the organization's changes.
std::vector<RoleBundle> bundlesIn(const CatalogService& service, const EvaluationInput& input);

/// Returns the principal's permissions in an accessible service: bundles of the role, plus allows, minus denies; for operators all. Sorted
/// full names.
std::vector<std::string> effectivePermissions(const CatalogService& service, const EvaluationInput& input, Instant now);

/// State of a principal in the active context, by current rows.
struct ActiveStanding
{
    /// Empty for an organization's principal.
    UserId userId;
    /// Empty: personal context.
    std::optional<OrganizationId> organizationId;
    std::string organizationName;
    Role role = Role::Member;
    /// Membership and organization are both active. True in personal context.
    bool inGoodStanding = true;
    bool organizationSuspended = false;
    /// Networks from which the organization's context can be used; none: all.
    std::vector<std::string> ipAllowList;
    bool mfaRequired = false;
    /// The one chosen, in personal context.
    std::optional<MyHousehold> household;
    std::optional<PlatformRole> platformRole;
    /// The platform role has effect, unless the request comes from outside of `power.ipAllowList`.
    bool platformBypass = false;
    PlatformPower power;
    /// Services that an external user may access; empty for other users, who may access all.
    std::optional<std::vector<std::string>> onlyServices;
    /// True if the account is closed: nothing is accessible in any context.
    bool accountClosed = false;

    ContextKind kind() const noexcept { return organizationId ? ContextKind::Organization : ContextKind::Personal; }
};

/// Reads the input of the evaluator from rows.
namespace access_facts
{
/// SQL for a column of `role_bundle_overrides`: the permissions of an organization's bundle, with patterns expanded at the time of the
/// change.
inline constexpr std::string_view givenPermissions = "CASE WHEN covered = '[]' THEN permissions ELSE covered END AS permissions";
/// @param proof As of `platform_power::judge`
ActiveStanding standing(Session& session, const User& user, const std::optional<OrganizationId>& organizationId,
                        const std::optional<SignInProof>& proof);
/// Returns the state of an organization's principal: the rights of its owners.
ActiveStanding organizationStanding(Session& session, const OrganizationId& organizationId);

/// Sets the permissions that patterns of a user's overrides matched when they were granted.
void readCovered(Session& session, const OrganizationId& organization, const UserId& user, std::vector<PermissionOverride>& overrides);

/// Settings of an organization for one service, and for one user in it.
struct ServiceRows
{
    bool organizationAccess = false;
    std::vector<RoleBundle> bundleOverrides = {};
    std::vector<PermissionOverride> userOverrides = {};
};
/// The one function that makes the facts of an evaluation: for requests and for every answer about permissions.
EvaluationInput input(const ActiveStanding& standing, std::string_view serviceId, ServiceRows rows);
/// The same with the rows read for one service.
EvaluationInput input(Session& session, const ActiveStanding& standing, std::string_view serviceId);
} // namespace access_facts

} // namespace portico::identity
