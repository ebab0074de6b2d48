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

struct CountCheck
{
    bool ok = false;
    std::int64_t count = 0;
};

struct RoleCheck
{
    bool ok = false;
    std::vector<std::string> missingRoles;
};

struct ReferenceCheck
{
    bool ok = false;
    std::vector<DanglingReference> danglingReferences;
    std::vector<std::string> unreferencedPermissions;
    std::vector<std::string> scopesWithoutPermissions;
    std::vector<std::string> routesWithoutPermission;
};

struct CompletenessChecks
{
    CountCheck permissions;
    RoleCheck roleBundles;
    CountCheck apiKeyScopes;
    ReferenceCheck referenceCoverage;
};

/// Whether a service's manifest hangs together; only a complete service becomes active.
struct CompletenessReport
{
    std::string serviceId;
    bool complete = false;
    CompletenessChecks checks;
};

/// @param routePermissions full names that the service's routes name in code.
CompletenessReport checkCompleteness(const ServiceManifest& manifest, std::span<const std::string> routePermissions);

/// What is missing, in one line for the log; empty for a complete service.
std::string summary(const CompletenessReport& report);

} // namespace portico::identity

template <>
struct portico::Schema<portico::identity::DanglingReference>
{
    using T = portico::identity::DanglingReference;
    static constexpr auto fields = describe(field("where", &T::where), field("permission", &T::permission));
};

template <>
struct portico::Schema<portico::identity::CountCheck>
{
    using T = portico::identity::CountCheck;
    static constexpr auto fields = describe(field("ok", &T::ok), field("count", &T::count));
};

template <>
struct portico::Schema<portico::identity::RoleCheck>
{
    using T = portico::identity::RoleCheck;
    static constexpr auto fields = describe(field("ok", &T::ok), field("missingRoles", &T::missingRoles));
};

template <>
struct portico::Schema<portico::identity::ReferenceCheck>
{
    using T = portico::identity::ReferenceCheck;
    static constexpr auto fields = describe(field("ok", &T::ok), field("danglingReferences", &T::danglingReferences),
                                            field("unreferencedPermissions", &T::unreferencedPermissions),
                                            field("scopesWithoutPermissions", &T::scopesWithoutPermissions),
                                            field("routesWithoutPermission", &T::routesWithoutPermission));
};

template <>
struct portico::Schema<portico::identity::CompletenessChecks>
{
    using T = portico::identity::CompletenessChecks;
    static constexpr auto fields = describe(field("permissions", &T::permissions), field("roleBundles", &T::roleBundles),
                                            field("apiKeyScopes", &T::apiKeyScopes), field("referenceCoverage", &T::referenceCoverage));
};

template <>
struct portico::Schema<portico::identity::CompletenessReport>
{
    using T = portico::identity::CompletenessReport;
    static constexpr auto fields =
        describe(field("service_id", &T::serviceId), field("complete", &T::complete), field("checks", &T::checks));
};
