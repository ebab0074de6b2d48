#pragma once

#include "host/telemetry/ActiveSpan.h"

#include "portico/Request.h"

#include <chrono>
#include <string>
#include <string_view>

namespace portico::host::tracing
{

/// Begins traces, or takes up those that requests bring. Without a sink nothing begins here, and what came in is passed on unchanged.
/// Thread-safe.
class Tracer
{
public:
    /// Does nothing but pass on.
    Tracer() = default;
    /// @param sampleOneIn of so many traces that begin here one is recorded; 0: none. Those that came in are recorded if they say so.
    Tracer(SpanSink& sink, std::uint64_t sampleOneIn) : _sink(&sink), _sampleOneIn(sampleOneIn) {}

    /// For a request: `traceparent` if there is exactly one and it is right, else a new trace. `tracestate` may come in several lines,
    /// which are one when they are joined. @param joined where that is done; it outlives the span
    ActiveSpan begin(std::span<const HeaderField> headers, std::string& joined) const;
    /// For work that nobody asked for.
    ActiveSpan beginRoot() const;
    /// For work that was asked for earlier: goes on with what `carriedTrace` gave, which outlives the span; a new trace for an empty text.
    ActiveSpan resume(std::string_view carried) const;

private:
    ActiveSpan goOn(std::string_view parent, std::string_view state) const;

    SpanSink* _sink = nullptr;
    std::uint64_t _sampleOneIn = 0;
};

/// The trace that the current thread works for, as text to be kept: a traceparent, and behind a blank the tracestate where there is one.
/// Empty without a trace.
std::string carriedTrace();

/// Tells the sink, if it is recorded, of the request that took so long until now and was answered with that status.
void finishServerSpan(const ActiveSpan& span, const Request& request, int status, std::chrono::steady_clock::duration took) noexcept;

/// A job while it runs: part of the trace of the request that enqueued it, or a trace of its own, which the current thread works for. Told
/// to the sink when it ends: as failed, unless `succeeded` was called.
class JobSpan
{
public:
    /// @param carried what `carriedTrace` gave when it was enqueued; outlives this
    JobSpan(const Tracer& tracer, std::string_view service, std::string_view type, std::string_view id, std::string_view carried);
    ~JobSpan();
    JobSpan(const JobSpan&) = delete;
    JobSpan& operator=(const JobSpan&) = delete;
    void succeeded() noexcept { _record.failed = false; }

private:
    const ActiveSpan _span;
    const TraceScope _scope;
    Span _record;
};

} // namespace portico::host::tracing
