#include "host/admin/MetricsEndpoint.h"

namespace portico::host::admin
{

namespace
{

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
