#pragma once

#include "host/admin/HostState.h"
#include "host/data/ServiceDatabase.h"
#include "host/http/ServerStatistics.h"
#include "host/plugins/lifecycle/Lifecycle.h"
#include "host/routing/table/RouteMeter.h"
#include "host/telemetry/MetricsRegistry.h"

#include <functional>
#include <map>
#include <string>

namespace portico::host::admin
{

/// Where the numbers come from; all outlive the text.
struct MetricsSources
{
    const HostState& state;
    const platform::MetricsRegistry& registry;
    const routing::RouteMeters& routes;
    const plugins::Lifecycle& lifecycle;
    std::function<http::ServerStatistics()> server;
    /// By service; `host` for the host's own.
    std::function<std::map<std::string, data::DatabaseStats>()> databases{};
};

/// Every metric of the daemon in Prometheus' text format 0.0.4.
std::string metricsText(const MetricsSources& sources);

} // namespace portico::host::admin
