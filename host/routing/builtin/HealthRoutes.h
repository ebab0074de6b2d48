#pragma once

#include "host/routing/builtin/HealthSource.h"
#include "host/routing/table/RouteTable.h"

#include "portico/Response.h"

#include <deque>
#include <string>
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
    /// 200, or 503 with what is `failing`. Where no service is asked about: whether there are any that serve, and all that do are ready.
    void readiness(const Site& site, Response& response) const;
    /// Dependencies with latency; 503 when one fails, unless the manifest asks for the brief form.
    void health(const Site& site, Response& response) const;

private:
    std::vector<std::string> failing(const Site& site) const;
    std::vector<std::string> failingOfAll(const std::deque<Site>& sites) const;
    /// What the host asked just now, and what the plugin said last.
    std::vector<DependencyHealth> dependencies(const Site& site) const;

    HealthSource& _source;
};

} // namespace portico::host::routing
