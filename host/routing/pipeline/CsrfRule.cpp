#include "host/routing/pipeline/CsrfRule.h"

#include "portico/Problem.h"

namespace portico::host::routing
{

void CsrfRule::check(const Request& request, const AllowedOrigins& allowed)
{
    if (!request.hasHeader("Cookie")) return;
    const bool reads = request.method == Method::Get || request.method == Method::Head;
    // Navigation and EventSource send no Origin and cannot send the header; an Origin that is sent must be ours all the same.
    if (reads && !request.hasHeader("Origin")) return;
    const bool registered = allowed.allows(request.header("Origin"));
    if (registered && (reads || request.header("X-Platform-Auth") == "1")) return;
    throw Problem::forbidden("csrf_rejected", "A request with cookies needs a registered Origin and the header X-Platform-Auth: 1.");
}

} // namespace portico::host::routing
