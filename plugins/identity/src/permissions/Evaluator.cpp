#include "permissions/Evaluator.h"

#include "permissions/Pattern.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

std::vector<std::string> bundlePermissions(const CatalogService& service, const EvaluationInput& input)
{
    if (input.bundleOverrides.empty()) return service.ofRole(input.role);
    auto bundles = service.bundles;
    for (auto& bundle : bundles)
    {
        const auto changed = std::ranges::find(input.bundleOverrides, bundle.id, &RoleBundle::id);
        if (changed != input.bundleOverrides.end()) bundle = *changed;
    }
    return expandBundles(bundles, input.role, service.all());
}

/// Patterns of one effect that hold now.
std::vector<std::string_view> patterns(const EvaluationInput& input, Effect effect, Instant now)
{
    std::vector<std::string_view> found;
    for (const auto& entry : input.userOverrides)
        if (entry.effect == effect && (!entry.expiresAt || *entry.expiresAt > now)) found.push_back(entry.permission);
    return found;
}

bool anyCovers(const std::vector<std::string_view>& patterns, std::string_view permission)
{
    return std::ranges::any_of(patterns, [&](std::string_view pattern) { return covers(pattern, permission); });
}

} // namespace

bool mayEnter(const CatalogService& service, const EvaluationInput& input)
{
    if (!service.active() || !service.servesContext(input.context)) return false;
    const bool inOrganization = input.context == ContextKind::Organization;
    if (inOrganization && !input.inGoodStanding) return false;
    // Operators need no access of the organization to the service, but a place in the organization as everybody.
    if (input.platformBypass) return true;
    return inOrganization ? input.organizationAccess : service.personalAccess;
}

std::vector<std::string> effectivePermissions(const CatalogService& service, const EvaluationInput& input, Instant now)
{
    if (!mayEnter(service, input)) return {};
    if (input.platformBypass) return service.all();
    auto held = bundlePermissions(service, input);
    if (input.userOverrides.empty()) return held;
    const auto allows = patterns(input, Effect::Allow, now);
    const auto denies = patterns(input, Effect::Deny, now);
    std::vector<std::string> result;
    for (const auto& permission : service.all())
        if ((std::ranges::binary_search(held, permission) || anyCovers(allows, permission)) && !anyCovers(denies, permission))
            result.push_back(permission);
    return result;
}

} // namespace portico::identity
