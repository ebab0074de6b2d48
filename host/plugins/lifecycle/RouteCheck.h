#pragma once

#include "host/plugins/package/Manifest.h"
#include "host/plugins/runtime/Contracts.h"

#include "portico/Routes.h"

#include <memory>
#include <string>
#include <vector>

namespace portico::host::plugins
{

/// The routes of a generation, taken apart: data for the route table, and the handlers, which belong to the generation. Nothing in `routes`
/// points into the plugin.
struct CollectedRoutes
{
    std::shared_ptr<const std::vector<RouteInfo>> routes;
    /// `routes[i].slot` is an index of this.
    std::vector<std::unique_ptr<Handler>> handlers;
    /// Routes without an access declaration, and permissions and scopes that the manifest lacks.
    std::vector<std::string> faults;
};

CollectedRoutes collectRoutes(std::vector<RouteDeclaration> declarations, const Manifest& manifest);

} // namespace portico::host::plugins
