#pragma once

#include "host/routing/table/RouteTable.h"

#include "portico/Response.h"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::routing
{

/// One thing that a service needs, as it was found just now.
struct DependencyHealth
{
    std::string name;
    bool healthy = true;
    std::chrono::microseconds latency{0};
    /// For people; no secrets, no paths.
    std::string detail;
    /// True if a host without it gets no more requests. False for shared dependencies that few requests need.
    bool neededToServe = true;
};

/// Knows how the host and its services are. Asked on worker threads, many at once; implemented by the daemon.
class HealthSource
{
public:
    virtual ~HealthSource() = default;
    virtual std::chrono::seconds uptime() const = 0;
    /// Checks the service's dependencies that the host provides: its database. The plugin's own report is in its generation.
    virtual std::vector<DependencyHealth> dependencies(std::string_view serviceId) = 0;
    /// Names of what keeps the service from being ready, beside failing dependencies (`migrations`, `stopping`); empty: nothing.
    virtual std::vector<std::string> notReady(std::string_view serviceId) = 0;
};

/// Answers the host's own routes on every origin: health, the API document and its viewer, and pages of services. Thread-safe.
/// @param entry A route whose `host` is not `None`, of this site.
void answerHostRoute(HealthSource& source, const Request& request, const RouteEntry& entry, const Site& site, Response& response);

} // namespace portico::host::routing
