#include "host/plugins/runtime/RouteCheck.h"

#include "host/base/Text.h"

#include <algorithm>

namespace portico::host::plugins
{

namespace
{
/// `contacts:read` is completed with the service's id.
void completePermission(std::string& permission, const Manifest& manifest)
{
    if (!permission.empty() && permission.find('.') == std::string::npos) permission = manifest.serviceId + "." + permission;
}

std::string unknown(const std::string& kind, const std::string& name, const std::vector<std::string>& known)
{
    const auto meant = nearestName(name, known);
    return "expected a " + kind + " that the manifest lists, found '" + name +
           "': " + (meant.empty() ? "add it to the manifest" : "did you mean '" + meant + "'?");
}

bool narrows(const Manifest& manifest, std::string_view scope, const std::string& type)
{
    const auto found = manifest.bindable.find(scope);
    return found != manifest.bindable.end() && std::ranges::find(found->second, type) != found->second.end();
}

std::vector<std::string> accessFaults(const Access& access, const Manifest& manifest)
{
    std::vector<std::string> faults;
    if (!access.open && !access.bearer && !access.apiKey && !access.cookie && !access.service)
        faults.emplace_back("expected an access declaration, found none: say access::open(), access::bearer(…) or another");
    if (!access.permission.empty() && !manifest.hasPermission(access.permission))
        faults.push_back(unknown("permission", access.permission, manifest.permissions));
    if (!access.apiKey) return faults;
    // Without a permission and without a scope any valid key will do: routes that tell a key about itself, or what is the same for
    // everyone.
    const bool anyKey = access.scope.empty() && access.permission.empty();
    if (!anyKey && !manifest.hasScope(access.scope)) faults.push_back(unknown("scope", access.scope, manifest.apiKeyScopes));
    if (!access.otherScope.empty() && !manifest.hasScope(access.otherScope))
        faults.push_back(unknown("scope", access.otherScope, manifest.apiKeyScopes));
    if (manifest.exemptsFromKeys(access.permission))
        faults.push_back("it takes API keys, but the manifest exempts '" + access.permission + "' from them: use access::bearer(…)");
    for (const auto& binding : access.bindings)
        if (!narrows(manifest, access.scope, binding.type) && !narrows(manifest, access.otherScope, binding.type))
            faults.push_back("it binds '" + binding.type + "', but the manifest does not list that as bindable of the scope '" +
                             access.scope + "': add it there");
    return faults;
}

/// Types that a key may be narrowed to by the scope, and that the route does not look at.
std::vector<std::string> unboundTypes(const Access& access, const Manifest& manifest)
{
    if (!access.apiKey) return {};
    std::vector<std::string> types;
    for (const auto& scope : {access.scope, access.otherScope})
        if (const auto found = manifest.bindable.find(scope); found != manifest.bindable.end())
            for (const auto& type : found->second)
                if (std::ranges::find(types, type) == types.end()) types.push_back(type);
    for (const auto& binding : access.bindings) std::erase(types, binding.type);
    return types;
}
} // namespace

RouteFindings checkRoutes(std::vector<RouteDeclaration>& declarations, const Manifest& manifest)
{
    RouteFindings found;
    auto neverBound = manifest.bindableTypes;
    for (auto& route : declarations)
    {
        completePermission(route.access.permission, manifest);
        const auto place = std::string(name(route.method)) + " " + route.pattern + ": ";
        for (const auto& fault : accessFaults(route.access, manifest)) found.faults.push_back(place + fault);
        for (const auto& type : unboundTypes(route.access, manifest))
            found.warnings.push_back(place + "a key may be narrowed to single resources of the type '" + type +
                                     "', and nothing says which one this is about: bind(\"" + type +
                                     "\", <path parameter>), or bindInHandler(\"" + type + "\") where the handler asks caller.reaches");
        for (const auto& binding : route.access.bindings) std::erase(neverBound, binding.type);
    }
    for (const auto& type : neverBound)
        found.warnings.push_back("bindableResources: no route binds a '" + type +
                                 "', so that a key narrowed to some reaches all: bind it, or remove it from the manifest");
    return found;
}

CollectedRoutes collectRoutes(std::vector<RouteDeclaration> declarations)
{
    CollectedRoutes collected;
    std::vector<RouteInfo> routes;
    for (auto& declaration : declarations)
    {
        routes.push_back({static_cast<Route&&>(declaration), collected.handlers.size()});
        collected.handlers.push_back(std::move(declaration.handler));
    }
    collected.routes = std::make_shared<const std::vector<RouteInfo>>(std::move(routes));
    return collected;
}

} // namespace portico::host::plugins
