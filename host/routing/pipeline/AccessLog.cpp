#include "host/routing/pipeline/AccessLog.h"

#include <string>

namespace portico::host::routing
{

void AccessLog::write(const http::Exchange& exchange, const tracing::ActiveSpan& trace, std::chrono::steady_clock::duration latency) const
{
    // Not 503: what is overloaded or switched off must not be kept busy with saying so.
    const bool failed = exchange.response.status >= 500 && exchange.response.status != 503;
    if (!_everything && !failed) return;
    const auto level = failed ? LogLevel::Warning : LogLevel::Information;
    if (!_log.enabled(level)) return;
    const auto& request = exchange.request;
    const auto micros = std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(latency).count());
    const auto traceId = trace.present ? tracing::toHex(trace.context.traceId) : std::string();
    _log.write(level, "request",
               {{"requestId", request.requestId},
                {"traceId", traceId},
                {"service", request.originService},
                {"method", name(request.method)},
                {"path", request.path},
                {"route", request.route},
                {"status", std::to_string(exchange.response.status)},
                {"micros", micros},
                {"received", std::to_string(exchange.bodyBytes)},
                {"sent", std::to_string(exchange.sentBytes)},
                {"delivered", exchange.delivered ? "true" : "false"},
                {"client", request.clientAddress},
                {"caller", request.caller->principalId}});
}

} // namespace portico::host::routing
