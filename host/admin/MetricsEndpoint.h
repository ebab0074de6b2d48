#pragma once

#include "host/admin/HostState.h"
#include "host/data/ServiceDatabase.h"
#include "host/http/Application.h"
#include "host/http/Server.h"
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
    const telemetry::MetricsRegistry& registry;
    const routing::RouteMeters& routes;
    const plugins::Lifecycle& lifecycle;
    std::function<http::ServerStatistics()> server;
    /// By service; `host` for the host's own.
    std::function<std::map<std::string, data::DatabaseStats>()> databases{};
};

/// Every metric of the daemon in Prometheus' text format 0.0.4.
std::string metricsText(const MetricsSources& sources);

/// Serves `/metrics` on a separate listener, since the numbers are for the operator only. @param address such as `127.0.0.1:9464`. @throws
/// std::runtime_error that names the address and what is wrong
class MetricsEndpoint final : private http::Application
{
public:
    /// @param address such as `127.0.0.1:9464`. @throws std::runtime_error that names the address and what is wrong
    MetricsEndpoint(const std::string& address, std::function<std::string()> text);
    ~MetricsEndpoint() override;

    const std::string& address() const noexcept { return _address; }

private:
    http::Admission admit(http::Exchange& exchange) noexcept override;
    bool prepare(http::Exchange&) noexcept override { return true; }
    void handle(http::Exchange& exchange) noexcept override;
    void refuse(http::Exchange& exchange, int status, std::string_view code, std::string_view detail) noexcept override;
    void finished(http::Exchange&) noexcept override {}

    const std::function<std::string()> _text;
    http::Server _server;
    std::string _address;
};

} // namespace portico::host::admin
