#include "catalog/Catalog.h"

#include <algorithm>
#include <optional>

namespace portico::identity
{

bool CatalogService::isCallback(std::string_view url) const { return std::ranges::find(callbackUrls, url) != callbackUrls.end(); }

namespace
{

/// Matches like the host: the star matches letters, digits and hyphens.
bool fitsPreview(std::string_view pattern, std::string_view origin)
{
    const auto star = pattern.find('*');
    const auto before = pattern.substr(0, star), after = pattern.substr(star + 1);
    if (origin.size() <= before.size() + after.size() || !origin.starts_with(before) || !origin.ends_with(after)) return false;
    const auto free = origin.substr(before.size(), origin.size() - before.size() - after.size());
    return free.size() <= 63 &&
           std::ranges::all_of(free, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

} // namespace

bool CatalogService::isOwnOrigin(std::string_view candidate) const
{
    if (candidate.empty()) return false;
    const auto fits = [&](const std::string& pattern) { return fitsPreview(pattern, candidate); };
    return candidate == origin || std::ranges::find(origins, candidate) != origins.end() ||
           std::ranges::any_of(previewOriginPatterns, fits);
}

bool CatalogService::servesContext(ContextKind kind) const { return std::ranges::find(contexts, kind) != contexts.end(); }

const ScopeEntry* CatalogService::scope(std::string_view wanted) const
{
    const auto found = std::ranges::find(scopes, wanted, &ScopeEntry::scope);
    return found == scopes.end() ? nullptr : &*found;
}

bool CatalogService::opens(const std::vector<std::string>& held, std::string_view permission) const
{
    const auto opensIt = [&](const std::string& scopeName)
    {
        const auto* entry = scope(scopeName);
        return entry && std::ranges::find(entry->permissions, permission) != entry->permissions.end();
    };
    return std::ranges::any_of(held, opensIt);
}

Risk CatalogService::risk(const ScopeEntry& scope) const
{
    Risk highest = Risk::Low;
    for (const auto& entry : permissions)
        if (std::ranges::find(scope.permissions, entry.permission) != scope.permissions.end()) highest = std::max(highest, entry.risk);
    return highest;
}

bool CatalogService::hasPermission(std::string_view permission) const { return std::ranges::binary_search(_all, permission); }

bool CatalogService::exempt(std::string_view permission) const
{
    return std::ranges::any_of(permissions,
                               [&](const PermissionEntry& entry) { return entry.permission == permission && entry.apiKeyExempt; });
}

void CatalogService::expand()
{
    _all.clear();
    for (const auto& entry : permissions) _all.push_back(entry.permission);
    std::ranges::sort(_all);
    for (const auto& [text, role] : choicesOf<Role>()) _byRole[role] = expandBundles(bundles, role, _all);
}

const std::vector<std::string>& CatalogService::ofRole(Role role) const { return _byRole.at(role); }

std::vector<std::string> expandBundles(const std::vector<RoleBundle>& bundles, Role role, const std::vector<std::string>& all)
{
    std::vector<std::string> held;
    for (const auto& permission : all)
    {
        const auto gives = [&](const RoleBundle& bundle)
        {
            return std::ranges::find(bundle.roles, role) != bundle.roles.end() &&
                   std::ranges::any_of(bundle.permissions, [&](const std::string& pattern) { return covers(pattern, permission); });
        };
        if (std::ranges::any_of(bundles, gives)) held.push_back(permission);
    }
    return held;
}

const CatalogService* Catalog::find(std::string_view serviceId) const
{
    const auto found = services.find(serviceId);
    return found == services.end() ? nullptr : &found->second;
}

bool Catalog::isRegisteredOrigin(std::string_view origin) const
{
    return std::ranges::any_of(services, [&](const auto& entry) { return entry.second.active() && entry.second.isOwnOrigin(origin); });
}

namespace
{
struct Parts
{
    std::string_view service, resource, action;
};

std::optional<Parts> split(std::string_view permission) noexcept
{
    const auto dot = permission.find('.');
    const auto colon = permission.find(':');
    if (dot == std::string_view::npos || colon == std::string_view::npos || colon < dot) return std::nullopt;
    return Parts{permission.substr(0, dot), permission.substr(dot + 1, colon - dot - 1), permission.substr(colon + 1)};
}
} // namespace

bool covers(std::string_view pattern, std::string_view permission) noexcept
{
    const auto wanted = split(pattern);
    const auto found = split(permission);
    return wanted && found && wanted->service == found->service && (wanted->resource == "*" || wanted->resource == found->resource) &&
           (wanted->action == "*" || wanted->action == found->action);
}

} // namespace portico::identity
