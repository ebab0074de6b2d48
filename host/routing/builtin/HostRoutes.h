#pragma once

#include "host/routing/builtin/HealthRoutes.h"
#include "host/routing/table/RouteTable.h"

#include "portico/Response.h"

namespace portico::host::routing
{

/// What the host itself answers on every origin: health, the API document and the page to read it. Thread-safe.
class HostRoutes
{
public:
    explicit HostRoutes(HealthSource& health) : _health(health) {}
    /// @param entry A route whose `host` is not `None`, of this site.
    void answer(const RouteEntry& entry, const Site& site, Response& response) const;

private:
    HealthRoutes _health;
};

} // namespace portico::host::routing
