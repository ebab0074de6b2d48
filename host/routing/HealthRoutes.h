#pragma once

#include "host/routing/HealthSource.h"
#include "host/routing/RouteTable.h"

#include "portico/Response.h"

#include <vector>

namespace portico::host::routing
{

/// `/healthz`, `/readyz` and `/health` of every origin. Thread-safe.
class HealthRoutes
{
public:
    explicit HealthRoutes(HealthSource& source) : _source(source) {}
    /// 200 as long as the process answers at all.
    void liveness(Response& response) const;
    /// 200, or 503 with what is `failing`.
    void readiness(const Site& site, Response& response) const;
    /// Dependencies with latency; 503 when one fails.
    void health(const Site& site, Response& response) const;

private:
    /// What the host asked just now, and what the plugin said last.
    std::vector<DependencyHealth> dependencies(const Site& site) const;

    HealthSource& _source;
};

} // namespace portico::host::routing
