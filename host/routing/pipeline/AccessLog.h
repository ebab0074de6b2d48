#pragma once

#include "host/http/Application.h"
#include "host/telemetry/Tracer.h"

#include "portico/Logger.h"

#include <chrono>

namespace portico::host::routing
{

/// One structured line a request, if asked for; failures of the server (5xx but 503) always. The query is left out: people put secrets
/// there. Thread-safe.
class AccessLog
{
public:
    AccessLog(Logger& log, bool everything) : _log(log), _everything(everything) {}
    void write(const http::Exchange& exchange, const tracing::ActiveSpan& trace, std::chrono::steady_clock::duration latency) const;

private:
    Logger& _log;
    bool _everything;
};

} // namespace portico::host::routing
