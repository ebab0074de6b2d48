#pragma once

#include "host/plugins/package/Manifest.h"
#include "host/plugins/runtime/Contracts.h"

#include "portico/Routes.h"

#include <memory>
#include <string>
#include <vector>

namespace portico::host::plugins
{

/// Result of comparing declared routes with a manifest.
struct RouteFindings
{
    /// Routes without an access declaration, and permissions, scopes and bound resources that the manifest lacks.
    std::vector<std::string> faults;
    /// Resources that a key may be restricted to by the manifest, and that no route binds: such a key would not be restricted.
    std::vector<std::string> warnings;
};

/// Completes the routes' permissions with the service's id and compares them with the manifest.
RouteFindings checkRoutes(std::vector<RouteDeclaration>& declarations, const Manifest& manifest);

/// The routes of a generation, taken apart: data for the route table, and the handlers, which belong to the generation. Nothing in `routes`
/// points into the plugin.
struct CollectedRoutes
{
    std::shared_ptr<const std::vector<RouteInfo>> routes;
    /// `routes[i].slot` is an index of this.
    std::vector<std::unique_ptr<Handler>> handlers;
};

CollectedRoutes collectRoutes(std::vector<RouteDeclaration> declarations);

} // namespace portico::host::plugins
