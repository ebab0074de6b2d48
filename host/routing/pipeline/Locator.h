#pragma once

#include "host/http/Application.h"
#include "host/routing/pipeline/RequestState.h"

namespace portico::host::routing
{

/// The stage that answers which route a request is for. Works on the table in the request's state. Thread-safe.
class Locator
{
public:
    /// The service whose origin was called: by the listener, else by Host; else what is answered everywhere. @throws Problem 404
    /// `not_found` for a host that nobody serves.
    static void findSite(http::Exchange& exchange, RequestState& state);
    /// The route and its decoded parameters. @throws Problem 404 `not_found`, 405 `method_not_allowed`, 410 `endpoint_removed`, 503
    /// `service_…`
    static void findRoute(Request& request, RequestState& state);
    /// All methods of a path, with the route of the method that a preflight asks for, if any. @throws Problem as findRoute, but never 405.
    static MethodSet findMethods(const Request& request, RequestState& state);
};

} // namespace portico::host::routing
