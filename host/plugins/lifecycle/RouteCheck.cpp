#include "host/plugins/lifecycle/RouteCheck.h"

#include "host/base/Text.h"

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

std::vector<std::string> accessFaults(const Access& access, const Manifest& manifest)
{
    std::vector<std::string> faults;
    if (!access.open && !access.bearer && !access.apiKey && !access.cookie)
        faults.emplace_back("expected an access declaration, found none: say access::open(), access::bearer(…) or another");
    if (!access.permission.empty() && !manifest.hasPermission(access.permission))
        faults.push_back(unknown("permission", access.permission, manifest.permissions));
    if (!access.apiKey) return faults;
    // Without a permission and without a scope any valid key will do: routes that tell a key about itself, or what is the same for
    // everyone.
    const bool anyKey = access.scope.empty() && access.permission.empty();
    if (!anyKey && !manifest.hasScope(access.scope)) faults.push_back(unknown("scope", access.scope, manifest.apiKeyScopes));
    if (manifest.exemptsFromKeys(access.permission))
        faults.push_back("it takes API keys, but the manifest exempts '" + access.permission + "' from them: use access::bearer(…)");
    return faults;
}

RouteInfo takeInfo(RouteDeclaration& declaration, std::size_t slot)
{
    return {.method = declaration.method,
            .pattern = std::move(declaration.pattern),
            .access = std::move(declaration.access),
            .body = declaration.body,
            .bodyLimit = declaration.bodyLimit,
            .onEveryOrigin = declaration.onEveryOrigin,
            .execution = declaration.execution,
            .idempotencyKey = declaration.idempotencyKey,
            .anyOrigin = declaration.anyOrigin,
            .undocumented = declaration.undocumented,
            .cacheControl = std::move(declaration.cacheControl),
            .operation = std::move(declaration.operation),
            .components = std::move(declaration.components),
            .slot = slot};
}
} // namespace

CollectedRoutes collectRoutes(std::vector<RouteDeclaration> declarations, const Manifest& manifest)
{
    CollectedRoutes collected;
    std::vector<RouteInfo> routes;
    for (auto& declaration : declarations)
    {
        auto route = takeInfo(declaration, collected.handlers.size());
        collected.handlers.push_back(std::move(declaration.handler));
        completePermission(route.access.permission, manifest);
        for (const auto& fault : accessFaults(route.access, manifest))
            collected.faults.push_back(std::string(name(route.method)) + " " + route.pattern + ": " + fault);
        routes.push_back(std::move(route));
    }
    collected.routes = std::make_shared<const std::vector<RouteInfo>>(std::move(routes));
    return collected;
}

} // namespace portico::host::plugins
