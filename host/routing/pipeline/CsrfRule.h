#pragma once

#include "host/routing/table/Origins.h"

#include "portico/Request.h"

namespace portico::host::routing
{

/// Keeps other sites from using the cookies of a browser (conventions, "CORS").
class CsrfRule
{
public:
    /// A request without cookies passes: nothing authenticates it, and native clients use the same routes.
    /// @throws Problem 403 `csrf_rejected`
    static void check(const Request& request, const AllowedOrigins& allowed);
};

} // namespace portico::host::routing
