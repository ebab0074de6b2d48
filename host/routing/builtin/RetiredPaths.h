#pragma once

#include "host/routing/table/RouteTable.h"

#include "portico/Request.h"

namespace portico::host::routing
{

/// Paths of earlier sign-in schemes, which put credentials into URLs: gone on every origin, with any method.
class RetiredPaths
{
public:
    /// @throws Problem 410 `endpoint_removed`
    static void check(const Request& request, const Site& site);
};

} // namespace portico::host::routing
