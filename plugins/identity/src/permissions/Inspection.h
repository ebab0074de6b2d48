#pragma once

#include "permissions/PersonAccess.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Where a permission comes from, or what takes it: `role_bundle`, `org_service_access`, `personal_access`, `user_override`,
/// `platform_bypass`.
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
    return describe(field("type", &PermissionSource::type), field("bundleId", &PermissionSource::bundleId).omitEmpty(),
                    field("role", &PermissionSource::role).omitEmpty(), field("service_id", &PermissionSource::serviceId).omitEmpty(),
                    field("overrideId", &PermissionSource::overrideId).omitEmpty());
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
    return describe(field("permission", &EffectivePermission::permission), field("service_id", &EffectivePermission::serviceId),
                    field("resource", &EffectivePermission::resource), field("action", &EffectivePermission::action),
                    field("effect", &EffectivePermission::effect), field("sources", &EffectivePermission::sources));
}

struct DeniedPermission
{
    std::string permission;
    std::string reason;
    std::vector<PermissionSource> sources;
};

constexpr auto schemaOf(const DeniedPermission*)
{
    return describe(field("permission", &DeniedPermission::permission), field("reason", &DeniedPermission::reason),
                    field("sources", &DeniedPermission::sources));
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
    return describe(field("service_id", &InspectedAccess::serviceId), field("status", &InspectedAccess::status),
                    field("plan", &InspectedAccess::plan), field("grantedAt", &InspectedAccess::grantedAt));
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
    return describe(field("service_id", &InspectedBundle::serviceId), field("bundleId", &InspectedBundle::bundleId),
                    field("role", &InspectedBundle::role), field("permissions", &InspectedBundle::permissions));
}

struct SourceBreakdown
{
    std::vector<InspectedAccess> orgServiceAccess;
    std::vector<InspectedBundle> roleBundles;
    std::vector<UserOverride> userOverrides;
};

constexpr auto schemaOf(const SourceBreakdown*)
{
    return describe(field("orgServiceAccess", &SourceBreakdown::orgServiceAccess), field("roleBundles", &SourceBreakdown::roleBundles),
                    field("userOverrides", &SourceBreakdown::userOverrides));
}

/// What someone may do, and why.
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
    return describe(field("userId", &PermissionInspection::userId), field("organizationId", &PermissionInspection::organizationId),
                    field("context", &PermissionInspection::context), field("role", &PermissionInspection::role),
                    field("platformRole", &PermissionInspection::platformRole),
                    field("platformBypass", &PermissionInspection::platformBypass), field("service_id", &PermissionInspection::serviceId),
                    field("revision", &PermissionInspection::revision), field("evaluatedAt", &PermissionInspection::evaluatedAt),
                    field("effectivePermissions", &PermissionInspection::effectivePermissions),
                    field("effectivePermissionEntries", &PermissionInspection::effectivePermissionEntries),
                    field("deniedEntries", &PermissionInspection::deniedEntries),
                    field("sourceBreakdown", &PermissionInspection::sourceBreakdown));
}

/// @param serviceId empty: all services of the catalog.
PermissionInspection inspect(const Catalog& catalog, const PersonAccess& person, const std::optional<std::string>& serviceId, Instant now);

} // namespace portico::identity
