#include "catalog/Completeness.h"

#include "catalog/Catalog.h"

#include <algorithm>
#include <array>
#include <set>

namespace portico::identity
{

namespace
{

/// Follows every reference to a permission and remembers which permissions were named.
class References
{
public:
    explicit References(const ServiceManifest& manifest)
    {
        for (const auto& entry : manifest.permissions) _unnamed.insert(entry.permission);
        _known = _unnamed;
    }

    /// Reports a pattern as dangling if it matches nothing.
    void follow(const std::string& where, const std::string& reference)
    {
        const auto matches = [&](const std::string& permission) { return permission == reference || covers(reference, permission); };
        if (std::ranges::none_of(_known, matches)) _dangling.push_back({where, reference});
        std::erase_if(_unnamed, matches);
    }

    std::vector<DanglingReference> dangling() { return std::move(_dangling); }
    std::vector<std::string> unnamed() const { return {_unnamed.begin(), _unnamed.end()}; }

private:
    std::set<std::string> _known;
    std::set<std::string> _unnamed;
    std::vector<DanglingReference> _dangling;
};

std::string at(std::string_view list, std::size_t index) { return std::string(list) + '[' + std::to_string(index) + ']'; }

RoleCheck checkRoles(const ServiceManifest& manifest)
{
    RoleCheck check;
    for (const auto& [text, role] : choicesOf<Role>())
    {
        const auto names = [wanted = role](const RoleBundle& bundle)
        { return std::ranges::find(bundle.roles, wanted) != bundle.roles.end(); };
        if (std::ranges::none_of(manifest.roleBundles, names)) check.missingRoles.emplace_back(text);
    }
    check.ok = check.missingRoles.empty();
    return check;
}

/// `GET /api/x` of those that the manifest writes down as neither open nor about the caller's own things, and without a permission. Routes
/// in code cannot be like that: there, no permission means the caller's own things.
std::vector<std::string> routesWithoutPermission(const ServiceManifest& manifest)
{
    constexpr std::array<std::string_view, 3> needNone{"none", "open", "self"};
    std::vector<std::string> found;
    for (const auto& route : manifest.routes)
        if (route.permission.empty() && std::ranges::find(needNone, route.auth) == needNone.end())
            found.push_back(route.method + " " + route.path);
    return found;
}

/// Returns none for a service whose routes are unknown here.
std::vector<std::string> permissionsWithoutRoute(const ServiceManifest& manifest, std::span<const std::string> routePermissions)
{
    const auto isNamed = [&](const std::string& permission)
    {
        return std::ranges::find(routePermissions, permission) != routePermissions.end() ||
               std::ranges::find(manifest.routes, permission, &ManifestRoute::permission) != manifest.routes.end();
    };
    std::vector<std::string> found;
    if (routePermissions.empty()) return found;
    for (const auto& entry : manifest.permissions)
        if (!isNamed(entry.permission)) found.push_back(entry.permission);
    return found;
}

ReferenceCheck checkReferences(const ServiceManifest& manifest, std::span<const std::string> routePermissions)
{
    ReferenceCheck check;
    References references(manifest);
    for (std::size_t i = 0; i < manifest.roleBundles.size(); ++i)
        for (const auto& permission : manifest.roleBundles[i].permissions) references.follow(at("roleBundles", i), permission);
    for (std::size_t i = 0; i < manifest.apiKeyScopes.size(); ++i)
    {
        const auto& scope = manifest.apiKeyScopes[i];
        if (scope.permissions.empty()) check.scopesWithoutPermissions.push_back(scope.scope);
        for (const auto& permission : scope.permissions) references.follow(at("apiKeyScopes", i), permission);
    }
    for (std::size_t i = 0; i < manifest.routes.size(); ++i)
        if (!manifest.routes[i].permission.empty()) references.follow(at("routes", i), manifest.routes[i].permission);
    for (const auto& permission : routePermissions) references.follow("code", permission);
    check.danglingReferences = references.dangling();
    check.unreferencedPermissions = references.unnamed();
    check.routesWithoutPermission = routesWithoutPermission(manifest);
    check.permissionsWithoutRoute = permissionsWithoutRoute(manifest, routePermissions);
    check.ok = check.danglingReferences.empty() && check.unreferencedPermissions.empty() && check.scopesWithoutPermissions.empty() &&
               check.routesWithoutPermission.empty();
    return check;
}

CountCheck atLeastOne(std::size_t count) { return {count > 0, static_cast<std::int64_t>(count)}; }

void appendList(std::string& out, std::string_view title, const std::vector<std::string>& names)
{
    if (names.empty()) return;
    out += out.empty() ? "" : "; ";
    out += title;
    for (const auto& name : names) out += (&name == &names.front() ? ": " : ", ") + name;
}

} // namespace

CompletenessReport checkCompleteness(const ServiceManifest& manifest, std::span<const std::string> routePermissions)
{
    CompletenessReport report;
    report.serviceId = manifest.serviceId;
    auto& checks = report.checks;
    checks.permissions = atLeastOne(manifest.permissions.size());
    checks.roleBundles = checkRoles(manifest);
    checks.apiKeyScopes = atLeastOne(manifest.apiKeyScopes.size());
    checks.referenceCoverage = checkReferences(manifest, routePermissions);
    report.complete = checks.permissions.ok && checks.roleBundles.ok && checks.apiKeyScopes.ok && checks.referenceCoverage.ok;
    return report;
}

std::string summary(const CompletenessReport& report)
{
    std::string out;
    const auto& references = report.checks.referenceCoverage;
    std::vector<std::string> dangling;
    for (const auto& reference : references.danglingReferences) dangling.push_back(reference.where + " names " + reference.permission);
    appendList(out, "roles that no bundle names", report.checks.roleBundles.missingRoles);
    appendList(out, "references to permissions that do not exist", dangling);
    appendList(out, "permissions that nothing names", references.unreferencedPermissions);
    appendList(out, "scopes without permissions", references.scopesWithoutPermissions);
    appendList(out, "routes without a permission", references.routesWithoutPermission);
    if (!report.checks.permissions.ok) appendList(out, "no permissions", {report.serviceId});
    if (!report.checks.apiKeyScopes.ok) appendList(out, "no API key scopes", {report.serviceId});
    return out;
}

} // namespace portico::identity
