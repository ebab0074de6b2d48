#pragma once

#include "catalog/Manifest.h"

#include "portico/Schema.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace portico::identity
{

struct DanglingReference
{
    std::string where;
    std::string permission;
};

constexpr auto schemaOf(const DanglingReference*) { return describe(members<&DanglingReference::where, &DanglingReference::permission>()); }

struct CountCheck
{
    bool ok = false;
    std::int64_t count = 0;
};

constexpr auto schemaOf(const CountCheck*) { return describe(members<&CountCheck::ok, &CountCheck::count>()); }

struct RoleCheck
{
    bool ok = false;
    std::vector<std::string> missingRoles;
};

constexpr auto schemaOf(const RoleCheck*) { return describe(members<&RoleCheck::ok, &RoleCheck::missingRoles>()); }

struct ReferenceCheck
{
    bool ok = false;
    std::vector<DanglingReference> danglingReferences;
    std::vector<std::string> unreferencedPermissions;
    std::vector<std::string> scopesWithoutPermissions;
    std::vector<std::string> routesWithoutPermission;
    /// Permissions that no route requires yet. Not a fault: a catalog may prepare for a later version.
    std::vector<std::string> permissionsWithoutRoute;
};

constexpr auto schemaOf(const ReferenceCheck*)
{
    return describe(members<&ReferenceCheck::ok, &ReferenceCheck::danglingReferences, &ReferenceCheck::unreferencedPermissions,
                            &ReferenceCheck::scopesWithoutPermissions, &ReferenceCheck::routesWithoutPermission,
                            &ReferenceCheck::permissionsWithoutRoute>());
}

struct CompletenessChecks
{
    CountCheck permissions;
    RoleCheck roleBundles;
    CountCheck apiKeyScopes;
    ReferenceCheck referenceCoverage;
};

constexpr auto schemaOf(const CompletenessChecks*)
{
    return describe(members<&CompletenessChecks::permissions, &CompletenessChecks::roleBundles, &CompletenessChecks::apiKeyScopes,
                            &CompletenessChecks::referenceCoverage>());
}

/// Consistency of a service's manifest. Only a complete service can be activated.
struct CompletenessReport
{
    std::string serviceId;
    bool complete = false;
    CompletenessChecks checks;
};

constexpr auto schemaOf(const CompletenessReport*)
{
    return describe(field<&CompletenessReport::serviceId>("service_id"),
                    members<&CompletenessReport::complete, &CompletenessReport::checks>());
}

/// @param routePermissions full names that the service's routes name in code.
CompletenessReport checkCompleteness(const ServiceManifest& manifest, std::span<const std::string> routePermissions);

/// Returns what is missing, in one line for the log; empty for a complete service.
std::string summary(const CompletenessReport& report);

} // namespace portico::identity
