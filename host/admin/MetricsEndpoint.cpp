#include "host/admin/MetricsEndpoint.h"

#include <cstdio>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <sys/resource.h>
#include <utility>

namespace portico::host::admin
{

namespace
{

using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

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
        for (const auto part : std::initializer_list<std::string_view>{"# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n"})
            _text += part;
    }

    void sample(std::string_view name, const Labels& labels, const std::string& value)
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
    void sample(std::string_view name, const Labels& labels, std::uint64_t value) { sample(name, labels, std::to_string(value)); }

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
                  "Answers by service, route and status; status 0: all statuses without a counter.");
    for (const auto& route : samples)
        for (const auto& [status, count] : route.answers)
            writer.sample("portico_http_requests_total",
                          {{"service", route.service}, {"route", route.route}, {"status", std::to_string(status)}}, count);

    writer.metric("portico_http_request_seconds", "histogram", "Time from the head of a request to the end of its response.");
    for (const auto& route : samples)
    {
        std::uint64_t below = 0;
        for (std::size_t i = 0; i < route.latency.size(); ++i)
        {
            below += route.latency[i];
            const auto bound = i < routing::latencyBoundsMicros.size() ? seconds(routing::latencyBoundsMicros[i]) : "+Inf";
            writer.sample("portico_http_request_seconds_bucket", {{"service", route.service}, {"route", route.route}, {"le", bound}},
                          below);
        }
        const Labels labels{{"service", route.service}, {"route", route.route}};
        writer.sample("portico_http_request_seconds_sum", labels, seconds(route.latencySumMicros));
        writer.sample("portico_http_request_seconds_count", labels, below);
    }
}

void writeServer(const http::ServerStatistics& server, Writer& writer)
{
    writer.single("portico_http_connections", "gauge", "Open connections.", server.connections);
    writer.single("portico_http_connections_accepted_total", "counter", "Accepted connections.", server.connectionsAccepted);
    writer.single("portico_http_connections_refused_total", "counter",
                  "Connections beyond http.maxConnections or http.connectionsPerAddress.", server.connectionsRefused);
    writer.single("portico_http_requests_in_flight", "gauge", "Requests under way.", server.requestsInFlight);
    writer.single("portico_http_streams", "gauge", "Event streams that are open.", server.streams);
    writer.single("portico_http_streams_overrun_total", "counter", "Event streams that were cut off because their reader was too slow.",
                  server.streamsOverrun);
    writer.single("portico_http_body_memory_bytes", "gauge", "Request bodies in memory, of http.bodyMemoryBytes.", server.bodyMemoryBytes);
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

void writeWorkers(const http::ServerStatistics& server, Writer& writer)
{
    const std::pair<std::string_view, const http::WorkerPoolStatistics&> lanes[] = {
        {"worker", server.workers}, {"heavy", server.heavyWorkers}, {"long", server.longWorkers}};
    const auto each =
        [&](std::string_view name, std::string_view type, std::string_view help, std::uint64_t http::WorkerPoolStatistics::*value)
    {
        writer.metric(name, type, help);
        for (const auto& [lane, pool] : lanes) writer.sample(name, {{"lane", lane}}, pool.*value);
    };
    using Pool = http::WorkerPoolStatistics;
    each("portico_http_workers", "gauge",
         "Threads that run handlers: worker, heavy for password hashing and the like, and long for what works for seconds.",
         &Pool::threads);
    each("portico_http_workers_busy", "gauge", "Those that run one now.", &Pool::busy);
    each("portico_http_worker_queue", "gauge", "Requests that wait for such a thread.", &Pool::queued);
    each("portico_http_worker_queue_limit", "gauge", "Requests that may wait.", &Pool::maxQueued);
    each("portico_http_worker_queue_refused_total", "counter", "Requests that found the queue full and got 503.", &Pool::refused);
}

void writeDatabases(const std::map<std::string, data::DatabaseStats>& databases, Writer& writer)
{
    const auto each = [&](std::string_view name, std::string_view type, std::string_view help, auto value)
    {
        writer.metric(name, type, help);
        for (const auto& [service, stats] : databases)
        {
            writer.sample(name, {{"service", service}, {"pool", "sessions"}}, static_cast<std::uint64_t>(stats.sessions.*value));
            // PostgreSQL has no separate writers.
            if (stats.writer.maximum > 0)
                writer.sample(name, {{"service", service}, {"pool", "writer"}}, static_cast<std::uint64_t>(stats.writer.*value));
        }
    };
    using Pool = data::PoolStats;
    each("portico_database_sessions_in_use", "gauge", "Database sessions that are in use, by service and pool.", &Pool::inUse);
    each("portico_database_sessions_idle", "gauge", "Database sessions that are open and not in use.", &Pool::idle);
    each("portico_database_sessions_limit", "gauge", "Database sessions that may be in use.", &Pool::maximum);
    each("portico_database_sessions_waited_for", "gauge", "Units of work that wait for a session.", &Pool::waiting);
    each("portico_database_sessions_opened_total", "counter", "Database sessions that were opened.", &Pool::opened);
    each("portico_database_open_failures_total", "counter", "Database sessions that could not be opened.", &Pool::openFailures);
    each("portico_database_session_timeouts_total", "counter", "Units of work that waited for a session in vain.", &Pool::timeouts);
    each("portico_database_statements_prepared_total", "counter", "Statements that were prepared; those kept by a session count once.",
         &Pool::statementsPrepared);
}

/// Writes the kernel's numbers about this process; missing ones are left out.
void writeProcess(Writer& writer)
{
    if (const auto bytes = residentBytes(); bytes > 0)
        writer.single("process_resident_memory_bytes", "gauge", "Memory of the daemon that is in RAM.", bytes);
    rusage usage{};
    if (::getrusage(RUSAGE_SELF, &usage) == 0)
    {
        const auto micros = [](const timeval& time)
        { return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000 + static_cast<std::uint64_t>(time.tv_usec); };
        writer.metric("process_cpu_seconds_total", "counter", "Processor time of the daemon.");
        writer.sample("process_cpu_seconds_total", {}, seconds(micros(usage.ru_utime) + micros(usage.ru_stime)));
    }
    std::error_code error;
    const auto files = std::distance(std::filesystem::directory_iterator("/proc/self/fd", error), std::filesystem::directory_iterator());
    if (!error) writer.single("process_open_fds", "gauge", "Open files and sockets.", static_cast<std::uint64_t>(files));
}

std::map<std::string_view, std::uint64_t> inFlight(const plugins::ServiceReport& service)
{
    std::map<std::string_view, std::uint64_t> byState{{"serving", 0}, {"draining", 0}};
    for (const auto& generation : service.generations)
        if (const auto found = byState.find(name(generation.state)); found != byState.end()) found->second += generation.inFlight;
    return byState;
}

void writeServices(const std::vector<plugins::ServiceReport>& services, Writer& writer)
{
    std::vector<std::pair<std::string_view, const plugins::GenerationReport*>> serving;
    writer.metric("portico_service_serving", "gauge", "1 if the service serves.");
    for (const auto& service : services)
    {
        writer.sample("portico_service_serving", {{"service", service.serviceId}}, service.state == plugins::State::Serving ? 1 : 0);
        for (const auto& generation : service.generations)
            if (generation.state == plugins::State::Serving) serving.emplace_back(service.serviceId, &generation);
    }
    writer.metric("portico_service_info", "gauge", "Always 1; version and SHA-256 of the generation that serves.");
    for (const auto& [service, of] : serving)
        writer.sample("portico_service_info", {{"service", service}, {"version", of->version}, {"sha256", of->sha256}}, 1);
    writer.metric("portico_service_generation", "gauge", "Number of the generation that serves; it rises with each reload.");
    for (const auto& [service, of] : serving) writer.sample("portico_service_generation", {{"service", service}}, of->number);
    writer.metric("portico_service_in_flight", "gauge", "Requests, jobs and calls inside a plugin, by the state of its generation.");
    for (const auto& service : services)
        for (const auto& [state, count] : inFlight(service))
            writer.sample("portico_service_in_flight", {{"service", service.serviceId}, {"state", state}}, count);
    writer.metric("portico_service_generations", "gauge", "Loaded copies of the plugin by state; resident ones go with the next restart.");
    for (const auto& service : services)
    {
        std::map<std::string_view, std::uint64_t> byState{{"resident", 0}};
        for (const auto& generation : service.generations) ++byState[name(generation.state)];
        for (const auto& [state, count] : byState)
            writer.sample("portico_service_generations", {{"service", service.serviceId}, {"state", state}}, count);
    }
}

http::ServerSettings smallServer()
{
    http::ServerSettings settings;
    settings.loops = 1;
    settings.workers = 1;
    settings.heavyWorkers = 1;
    settings.longWorkers = 1;
    settings.maxConnections = 32;
    return settings;
}

} // namespace

std::string metricsText(const MetricsSources& sources)
{
    Writer writer;
    writer.single("portico_uptime_seconds", "gauge", "Time since the daemon started.",
                  static_cast<std::uint64_t>(sources.state.uptime().count()));
    writer.metric("portico_build_info", "gauge", "Always 1; the version of the daemon.");
    writer.sample("portico_build_info", {{"version", sources.state.version}}, 1);
    writeProcess(writer);
    writeServices(sources.lifecycle.status(), writer);
    const auto server = sources.server();
    writeServer(server, writer);
    writeWorkers(server, writer);
    if (sources.databases) writeDatabases(sources.databases(), writer);
    writeRoutes(sources.routes.samples(), writer);
    return writer.take() + sources.registry.text();
}

MetricsEndpoint::MetricsEndpoint(const std::string& address, std::function<std::string()> text)
    : _text(std::move(text)), _server(smallServer(), *this)
{
    http::ListenerSettings listener;
    listener.address = address;
    _address = _server.listen(listener).address;
    _server.start();
}

MetricsEndpoint::~MetricsEndpoint() { _server.stop(std::chrono::milliseconds(0)); }

http::Admission MetricsEndpoint::admit(http::Exchange& exchange) noexcept
{
    if (exchange.request.path == "/metrics") return {};
    refuse(exchange, 404, "not_found", "The metrics are at /metrics.");
    http::Admission admission;
    admission.answered = true;
    return admission;
}

void MetricsEndpoint::handle(http::Exchange& exchange) noexcept
{
    exchange.response.contentType = "text/plain; version=0.0.4; charset=utf-8";
    exchange.response.body = _text();
}

void MetricsEndpoint::refuse(http::Exchange& exchange, int status, std::string_view, std::string_view detail) noexcept
{
    exchange.response.status = status;
    exchange.response.contentType = "text/plain; charset=utf-8";
    exchange.response.body = detail;
}

} // namespace portico::host::admin
