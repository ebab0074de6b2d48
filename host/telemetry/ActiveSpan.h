#pragma once

#include "host/telemetry/Span.h"

namespace portico::host::tracing
{

/// Where a request or a job stands while it runs. Without a trace it is empty and costs nothing. A value; one thread at a time.
struct ActiveSpan
{
    TraceContext context;
    SpanId parent{};
    /// There is a trace: one that came in, or one that begins here.
    bool present = false;
    /// Null: nothing is recorded here; what came in is passed on as it is.
    SpanSink* sink = nullptr;
};

/// Random, never zero. @throws std::runtime_error when the kernel has no randomness
TraceId makeTraceId();
SpanId makeSpanId();

/// Says what the current thread works for, so that log lines, calls of other servers and databases belong to it. The span must outlive the
/// scope; scopes nest.
class TraceScope
{
public:
    explicit TraceScope(const ActiveSpan& span) noexcept;
    ~TraceScope();
    TraceScope(const TraceScope&) = delete;
    TraceScope& operator=(const TraceScope&) = delete;
    /// Null outside of all scopes, and where there is no trace.
    static const ActiveSpan* current() noexcept;

private:
    const ActiveSpan* const _outer;
};

/// A call of something else on behalf of what the current thread works for. Empty without a trace; told to the sink when it ends.
class ClientSpan
{
public:
    /// Of the current thread's TraceScope.
    ClientSpan() : ClientSpan(TraceScope::current()) {}
    /// Of this one; null: empty.
    explicit ClientSpan(const ActiveSpan* outer);
    ~ClientSpan();
    ClientSpan(const ClientSpan&) = delete;
    ClientSpan& operator=(const ClientSpan&) = delete;

    /// What the other side is to be told; null without a trace.
    const TraceContext* context() const noexcept { return _span.present ? &_span.context : nullptr; }
    bool recording() const noexcept { return _span.sink != nullptr; }
    /// Only while recording.
    Span& record() noexcept { return _record; }

private:
    ActiveSpan _span;
    Span _record;
};

} // namespace portico::host::tracing
