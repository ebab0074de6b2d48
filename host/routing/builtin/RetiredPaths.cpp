#include "host/routing/builtin/RetiredPaths.h"

#include "host/routing/table/Decoding.h"

#include "portico/Problem.h"

namespace portico::host::routing
{

namespace
{

bool isRetired(const Request& request, const Site& site)
{
    const auto path = request.path;
    if (path == "/sso") return queryHas(request.query, "token");
    if (path == "/sso/handoff") return true;
    if (path == "/auth/callback") return queryHas(request.query, "token") || queryHas(request.query, "access_token");
    // The home of the gateway routes still exchanges one-time codes; everyone else uses the gateway.
    return path == "/sso/exchange" && !site.providesGateway;
}

} // namespace

void RetiredPaths::check(const Request& request, const Site& site)
{
    // Two first characters tell almost every living path from these.
    const auto path = request.path;
    if (path.size() < 4 || (path[1] != 's' && path[1] != 'a')) return;
    if (isRetired(request, site)) throw Problem::gone("endpoint_removed", "This address is no longer in use.");
}

} // namespace portico::host::routing
