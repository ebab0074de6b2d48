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
    /// Whether a host without it gets no more requests: not for what all hosts share and few requests need.
    bool neededToServe = true;
};

/// Knows how the host and its services are. Asked on worker threads, many at once; implemented by the daemon.
class HealthSource
{
public:
    virtual ~HealthSource() = default;
    virtual std::chrono::seconds uptime() const = 0;
    /// Asks what a service stands on by the host's doing: its database. What the plugin itself reports stands with its generation.
    virtual std::vector<DependencyHealth> dependencies(std::string_view serviceId) = 0;
    /// Names of what keeps the service from being ready, beside failing dependencies (`migrations`, `stopping`); empty: nothing.
    virtual std::vector<std::string> notReady(std::string_view serviceId) = 0;
};

/// What the host itself answers on every origin: health, the API document, the page to read it, and pages of services. Thread-safe.
/// @param entry A route whose `host` is not `None`, of this site.
void answerHostRoute(HealthSource& source, const Request& request, const RouteEntry& entry, const Site& site, Response& response);

} // namespace portico::host::routing
