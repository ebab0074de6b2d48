#include "catalog/ManifestPlan.h"

#include "portico/Json.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

template <class T>
void compare(ManifestPlan& plan, const std::string& kind, const std::vector<T>& before, const std::vector<T>& after, std::string T::*name)
{
    for (const auto& entry : after)
    {
        const auto old = std::ranges::find(before, entry.*name, name);
        if (old == before.end())
            plan.added.push_back({kind, entry.*name});
        else if (toJson(*old) != toJson(entry))
            plan.changed.push_back({kind, entry.*name});
    }
    for (const auto& entry : before)
        if (std::ranges::find(after, entry.*name, name) == after.end()) plan.removed.push_back({kind, entry.*name});
}

/// The rest of the manifest, member by member.
void compareMembers(ManifestPlan& plan, const ServiceManifest& before, const ServiceManifest& after)
{
    for (const std::string name : {"name",
                                   "version",
                                   "description",
                                   "vendor",
                                   "surface_kind",
                                   "surface_group",
                                   "launchable",
                                   "household_capable",
                                   "personalAccess",
                                   "contexts",
                                   "launchUrl",
                                   "iconUrl",
                                   "callbackUrls",
                                   "categories",
                                   "mobile",
                                   "nativeClient",
                                   "origins",
                                   "previewOriginPatterns",
                                   "embedOrigins",
                                   "frontchannelLogoutUrl",
                                   "backchannelLogoutUrl",
                                   "widget",
                                   "routes",
                                   "retired",
                                   "onboarding",
                                   "landing",
                                   "collections",
                                   "store",
                                   "commerce"})
    {
        std::string old, now;
        appendJson(old, before, {name});
        appendJson(now, after, {name});
        if (old != now) plan.changed.push_back({"member", name});
    }
}

} // namespace

std::vector<std::string> ManifestPlan::removedOf(std::string_view kind) const
{
    std::vector<std::string> names;
    for (const auto& item : removed)
        if (item.kind == kind) names.push_back(item.name);
    return names;
}

ManifestPlan planOf(const CatalogService& rows, const ServiceManifest& before, const ServiceManifest& after)
{
    ManifestPlan plan;
    compare(plan, "permission", rows.permissions, after.permissions, &PermissionEntry::permission);
    compare(plan, "role_bundle", rows.bundles, after.roleBundles, &RoleBundle::id);
    compare(plan, "api_key_scope", rows.scopes, after.apiKeyScopes, &ScopeEntry::scope);
    compare(plan, "bindable_resource", rows.bindableTypes, after.bindableResources, &BindableType::type);
    compareMembers(plan, before, after);
    return plan;
}

} // namespace portico::identity
