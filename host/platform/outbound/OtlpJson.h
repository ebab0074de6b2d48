#pragma once

#include "host/telemetry/Tracer.h"

#include <span>
#include <string>

namespace portico::host::platform
{

/// Who tells the collector.
struct TraceResource
{
    std::string version;
    /// Tells this host from others of the same services.
    std::string instance;
};

/// The body of a `POST /v1/traces` in OTLP's JSON form: one resource for each service, named by its id in the namespace `portico`; the host
/// itself is `host`.
std::string toOtlpJson(std::span<const tracing::Span> spans, const TraceResource& resource);

} // namespace portico::host::platform
