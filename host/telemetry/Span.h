#pragma once

#include "host/telemetry/TraceContext.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace portico::host::tracing
{

/// The numbers are those of OTLP.
enum class SpanKind : std::uint8_t
{
    Internal = 1,
    Server = 2,
    Client = 3,
    Consumer = 5
};

/// Something that has happened, as it is told to a collector.
struct Span
{
    using Value = std::variant<std::string, std::int64_t>;

    TraceContext context;
    /// Zero: the first of its trace.
    SpanId parent{};
    SpanKind kind = SpanKind::Internal;
    std::string name;
    /// The Portico service that it belongs to; empty: the host.
    std::string service;
    std::chrono::system_clock::time_point begin;
    std::chrono::system_clock::duration took{};
    /// Names are those of OpenTelemetry's semantic conventions; they outlive the span.
    std::vector<std::pair<std::string_view, Value>> attributes;
    bool failed = false;
};

/// Takes spans that have ended. Must not block, whatever becomes of them. Thread-safe.
class SpanSink
{
public:
    virtual ~SpanSink() = default;
    virtual void take(Span span) noexcept = 0;
};

} // namespace portico::host::tracing
