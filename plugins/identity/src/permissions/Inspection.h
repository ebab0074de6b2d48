#pragma once

#include "permissions/PersonAccess.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Source of a permission or of its denial: `role_bundle`, `org_service_access`, `personal_access`, `user_override`, `platform_bypass`.
struct PermissionSource
{
    std::string type;
    std::optional<std::string> bundleId = {};
    std::optional<Role> role = {};
    std::optional<std::string> serviceId = {};
    std::optional<OverrideId> overrideId = {};
};

constexpr auto schemaOf(const PermissionSource*)
{
    return describe(field<&PermissionSource::type>(), field<&PermissionSource::bundleId>().omitEmpty(),
                    field<&PermissionSource::role>().omitEmpty(), field<&PermissionSource::serviceId>("service_id").omitEmpty(),
                    field<&PermissionSource::overrideId>().omitEmpty());
}

struct EffectivePermission
{
    std::string permission;
    std::string serviceId;
    std::string resource;
    std::string action;
    Effect effect = Effect::Allow;
    std::vector<PermissionSource> sources;
};

constexpr auto schemaOf(const EffectivePermission*)
{
    return describe(field<&EffectivePermission::permission>(), field<&EffectivePermission::serviceId>("service_id"),
                    members<&EffectivePermission::resource, &EffectivePermission::action, &EffectivePermission::effect,
                            &EffectivePermission::sources>());
}

struct DeniedPermission
{
    std::string permission;
    std::string reason;
    std::vector<PermissionSource> sources;
};

constexpr auto schemaOf(const DeniedPermission*)
{
    return describe(members<&DeniedPermission::permission, &DeniedPermission::reason, &DeniedPermission::sources>());
}

struct InspectedAccess
{
    std::string serviceId;
    std::string status;
    std::optional<std::string> plan;
    Instant grantedAt{};
};

constexpr auto schemaOf(const InspectedAccess*)
{
    return describe(field<&InspectedAccess::serviceId>("service_id"),
                    members<&InspectedAccess::status, &InspectedAccess::plan, &InspectedAccess::grantedAt>());
}

struct InspectedBundle
{
    std::string serviceId;
    std::string bundleId;
    Role role = Role::Member;
    std::vector<std::string> permissions;
};

constexpr auto schemaOf(const InspectedBundle*)
{
    return describe(field<&InspectedBundle::serviceId>("service_id"),
                    members<&InspectedBundle::bundleId, &InspectedBundle::role, &InspectedBundle::permissions>());
}

struct SourceBreakdown
{
    std::vector<InspectedAccess> orgServiceAccess;
    std::vector<InspectedBundle> roleBundles;
    std::vector<UserOverride> userOverrides;
};

constexpr auto schemaOf(const SourceBreakdown*)
{
    return describe(members<&SourceBreakdown::orgServiceAccess, &SourceBreakdown::roleBundles, &SourceBreakdown::userOverrides>());
}

/// Permissions of a user, with reasons.
struct PermissionInspection
{
    UserId userId;
    std::optional<OrganizationId> organizationId;
    ContextKind context = ContextKind::Personal;
    Role role = Role::Member;
    std::optional<PlatformRole> platformRole;
    bool platformBypass = false;
    std::optional<std::string> serviceId;
    std::int64_t revision = 0;
    Instant evaluatedAt{};
    std::vector<std::string> effectivePermissions;
    std::vector<EffectivePermission> effectivePermissionEntries;
    std::vector<DeniedPermission> deniedEntries;
    SourceBreakdown sourceBreakdown;
};

constexpr auto schemaOf(const PermissionInspection*)
{
    return describe(members<&PermissionInspection::userId, &PermissionInspection::organizationId, &PermissionInspection::context,
                            &PermissionInspection::role, &PermissionInspection::platformRole, &PermissionInspection::platformBypass>(),
                    field<&PermissionInspection::serviceId>("service_id"),
                    members<&PermissionInspection::revision, &PermissionInspection::evaluatedAt,
                            &PermissionInspection::effectivePermissions, &PermissionInspection::effectivePermissionEntries,
                            &PermissionInspection::deniedEntries, &PermissionInspection::sourceBreakdown>());
}

/// @param serviceId empty: all services of the catalog.
PermissionInspection inspect(const Catalog& catalog, const PersonAccess& person, const std::optional<std::string>& serviceId, Instant now);

} // namespace portico::identity
