#include "host/admin/MetricsText.h"

#include <cstdio>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace portico::host::admin
{

namespace
{

using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

void appendEscaped(std::string& out, std::string_view value)
{
    for (const char c : value)
    {
        if (c == '\\' || c == '"') out.push_back('\\');
        if (c == '\n')
            out.append("\\n");
        else
            out.push_back(c);
    }
}

/// Lines of one metric after another.
class Writer
{
public:
    void metric(std::string_view name, std::string_view type, std::string_view help)
    {
        _text.append("# HELP ")
            .append(name)
            .append(" ")
            .append(help)
            .append("\n# TYPE ")
            .append(name)
            .append(" ")
            .append(type)
            .append("\n");
    }

    void sample(std::string_view name, Labels labels, const std::string& value)
    {
        _text.append(name);
        char separator = '{';
        for (const auto& [label, content] : labels)
        {
            _text.push_back(std::exchange(separator, ','));
            _text.append(label).append("=\"");
            appendEscaped(_text, content);
            _text.push_back('"');
        }
        _text.append(separator == '{' ? " " : "} ").append(value).append("\n");
    }
    void sample(std::string_view name, Labels labels, std::uint64_t value) { sample(name, labels, std::to_string(value)); }

    void single(std::string_view name, std::string_view type, std::string_view help, std::uint64_t value)
    {
        metric(name, type, help);
        sample(name, {}, value);
    }

    std::string take() { return std::move(_text); }

private:
    std::string _text;
};

/// Microseconds as seconds, without what floating point would add.
std::string seconds(std::uint64_t micros)
{
    char text[40];
    std::snprintf(text, sizeof text, "%llu.%06llu", static_cast<unsigned long long>(micros / 1'000'000),
                  static_cast<unsigned long long>(micros % 1'000'000));
    return text;
}

void writeRoutes(const std::vector<routing::RouteSample>& samples, Writer& writer)
{
    writer.metric("portico_http_requests_total", "counter",
                  "Answers by service, route and status; status 0: one that is not counted by itself.");
    for (const auto& route : samples)
        for (const auto& [status, count] : route.answers)
            writer.sample("portico_http_requests_total",
                          {{"service", route.service}, {"route", route.route}, {"status", std::to_string(status)}}, count);

    writer.metric("portico_http_request_seconds", "histogram", "Time from the head of a request to the end of its response.");
    for (const auto& route : samples)
    {
        std::uint64_t below = 0;
        for (std::size_t i = 0; i < routing::latencyBoundsMicros.size(); ++i)
        {
            below += route.latency[i];
            writer.sample("portico_http_request_seconds_bucket",
                          {{"service", route.service}, {"route", route.route}, {"le", seconds(routing::latencyBoundsMicros[i])}}, below);
        }
        below += route.latency.back();
        writer.sample("portico_http_request_seconds_bucket", {{"service", route.service}, {"route", route.route}, {"le", "+Inf"}}, below);
        writer.sample("portico_http_request_seconds_sum", {{"service", route.service}, {"route", route.route}},
                      seconds(route.latencySumMicros));
        writer.sample("portico_http_request_seconds_count", {{"service", route.service}, {"route", route.route}}, below);
    }
}

void writeServer(const http::ServerStatistics& server, Writer& writer)
{
    writer.single("portico_http_connections", "gauge", "Open connections.", server.connections);
    writer.single("portico_http_connections_accepted_total", "counter", "Accepted connections.", server.connectionsAccepted);
    writer.single("portico_http_connections_refused_total", "counter", "Connections beyond http.maxConnections.",
                  server.connectionsRefused);
    writer.single("portico_http_requests_in_flight", "gauge", "Requests under way.", server.requestsInFlight);
    writer.single("portico_http_received_bytes_total", "counter", "Bytes received.", server.bytesReceived);
    writer.single("portico_http_sent_bytes_total", "counter", "Bytes sent.", server.bytesSent);
    writer.single("portico_http_requests_aborted_total", "counter", "Requests whose client went away before the end of the response.",
                  server.requestsAborted);
    writer.metric("portico_http_refusals_total", "counter", "Requests that never reached a route, by status; status 0: any other.");
    for (std::size_t i = 0; i < server.refused.size(); ++i)
    {
        const int status = i < http::ServerStatistics::refusalStatuses.size() ? http::ServerStatistics::refusalStatuses[i] : 0;
        writer.sample("portico_http_refusals_total", {{"status", std::to_string(status)}}, server.refused[i]);
    }
}

void writeServices(const std::vector<plugins::ServiceReport>& services, Writer& writer)
{
    writer.metric("portico_service_serving", "gauge", "1 if the service serves.");
    for (const auto& service : services)
        writer.sample("portico_service_serving", {{"service", service.serviceId}}, service.state == plugins::State::Serving ? 1 : 0);
    writer.metric("portico_service_generations", "gauge", "Loaded copies of the plugin by state; resident ones go with the next restart.");
    for (const auto& service : services)
    {
        std::map<std::string_view, std::uint64_t> byState{{"resident", 0}};
        for (const auto& generation : service.generations) ++byState[name(generation.state)];
        for (const auto& [state, count] : byState)
            writer.sample("portico_service_generations", {{"service", service.serviceId}, {"state", state}}, count);
    }
}

} // namespace

std::string metricsText(const MetricsSources& sources)
{
    Writer writer;
    writer.single("portico_uptime_seconds", "gauge", "Time since the daemon started.",
                  static_cast<std::uint64_t>(sources.state.uptime().count()));
    writeServices(sources.lifecycle.status(), writer);
    writeServer(sources.server(), writer);
    writeRoutes(sources.routes.samples(), writer);
    return writer.take() + sources.registry.text();
}

} // namespace portico::host::admin
