#pragma once

#include "host/telemetry/TraceContext.h"

#include "portico/system/HostRequest.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace portico::host::telemetry
{

/// The numbers are those of OTLP.
enum class SpanKind : std::uint8_t
{
    Internal = 1,
    Server = 2,
    Client = 3,
    Consumer = 5
};

/// A completed operation, as recorded for a collector.
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

/// Receives ended spans. Must not block, whatever happens to them. Thread-safe.
class SpanSink
{
public:
    virtual ~SpanSink() = default;
    virtual void take(Span span) noexcept = 0;
};

/// Position of a request or a job in its trace while it runs. Without a trace it is empty and costs nothing. A value; one thread at a time.
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

/// The request or job of the current thread. Log lines, crash reports, and calls of other servers and databases belong to it. Its arguments
/// must outlive it; contexts nest. The getters are async-signal-safe.
class RequestContext
{
public:
    RequestContext(const system::HostRequest& request, const ActiveSpan& span) noexcept : RequestContext(&request, span) {}
    /// For a job.
    explicit RequestContext(const ActiveSpan& span) noexcept : RequestContext(nullptr, span) {}
    ~RequestContext();
    RequestContext(const RequestContext&) = delete;
    RequestContext& operator=(const RequestContext&) = delete;
    /// Null outside of all contexts, and for a job. Route and caller are set later.
    static const system::HostRequest* request() noexcept;
    /// Null outside of all contexts, and where there is no trace.
    static const ActiveSpan* span() noexcept;

private:
    RequestContext(const system::HostRequest* request, const ActiveSpan& span) noexcept;

    const system::HostRequest* const _request;
    const ActiveSpan& _span;
    const RequestContext* const _outer;
};

/// A call of another server or a database for the current request or job. Empty without a trace; recorded when it ends.
class ClientSpan
{
public:
    /// Child of the current thread's RequestContext.
    ClientSpan() : ClientSpan(RequestContext::span()) {}
    /// Child of this span; null: empty.
    explicit ClientSpan(const ActiveSpan* outer);
    ~ClientSpan();
    ClientSpan(const ClientSpan&) = delete;
    ClientSpan& operator=(const ClientSpan&) = delete;

    /// Context for the other server; null without a trace.
    const TraceContext* context() const noexcept { return _span.present ? &_span.context : nullptr; }
    bool recording() const noexcept { return _span.sink != nullptr; }
    /// Only while recording.
    Span& record() noexcept { return _record; }

private:
    ActiveSpan _span;
    Span _record;
};

/// Begins traces, or continues those of requests. Without a sink no trace begins, and an incoming context is passed on unchanged.
/// Thread-safe.
class Tracer
{
public:
    /// Does nothing but pass on.
    Tracer() = default;
    /// @param sampleOneIn records one of this many traces that begin here; 0: none. Incoming traces are recorded if they are sampled.
    Tracer(SpanSink& sink, std::uint64_t sampleOneIn) : _sink(&sink), _sampleOneIn(sampleOneIn) {}

    /// For a request: `traceparent` if there is exactly one and it is right, else a new trace. `tracestate` may come in several lines,
    /// which are one when they are joined. @param joined where that is done; it outlives the span
    ActiveSpan begin(std::span<const HeaderField> headers, std::string& joined) const;
    /// For work without a request.
    ActiveSpan beginRoot() const;
    /// For deferred work: continues the trace of `carriedTrace`, whose text outlives the span; a new trace for an empty text.
    ActiveSpan resume(std::string_view carried) const;

private:
    ActiveSpan goOn(std::string_view parent, std::string_view state) const;

    SpanSink* _sink = nullptr;
    std::uint64_t _sampleOneIn = 0;
};

/// The trace that the current thread works for, as text to be kept: a traceparent, and behind a blank the tracestate where there is one.
/// Empty without a trace.
std::string carriedTrace();

/// Records the span of the answered request, with its status and duration, if the trace is recorded.
void finishServerSpan(const ActiveSpan& span, const system::HostRequest& request, int status,
                      std::chrono::steady_clock::duration took) noexcept;

/// A running job: part of the trace of the request that enqueued it, or a new trace, and the current thread's context. It is recorded when
/// it ends: as failed, unless `succeeded` was called.
class JobSpan
{
public:
    /// @param carried what `carriedTrace` gave when it was enqueued; outlives this
    JobSpan(const Tracer& tracer, std::string_view service, std::string_view type, std::string_view id, std::string_view carried);
    ~JobSpan();
    void succeeded() noexcept { _record.failed = false; }

private:
    const ActiveSpan _span;
    const RequestContext _context;
    Span _record;
};

} // namespace portico::host::telemetry
