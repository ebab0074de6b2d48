#pragma once

#include "host/platform/outbound/GuardedHttpClient.h"
#include "host/platform/outbound/TraceSettings.h"
#include "host/telemetry/LogSink.h"
#include "host/telemetry/MetricsRegistry.h"
#include "host/telemetry/Tracer.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace portico::host::platform
{

/// Sends spans to a collector from a thread of its own, some hundreds at a time. Whoever hands one in never waits: what does not fit into
/// the queue is dropped and counted, as is what a collector does not take after a few attempts. Thread-safe.
class TraceExporter final : public tracing::SpanSink
{
public:
    TraceExporter(TraceSettings settings, LogSink& log, MetricsRegistry& metrics);
    ~TraceExporter() override;

    void take(tracing::Span span) noexcept override;
    /// Sends what waits, if the collector takes it within a second, and nothing afterwards.
    void stop();
    tracing::Tracer tracer() { return {*this, _settings.sampleOneIn}; }

private:
    enum class Outcome
    {
        Taken,
        Later,
        Never
    };

    void run();
    std::vector<tracing::Span> nextBatch();
    void deliver(const std::vector<tracing::Span>& batch);
    Outcome send(const std::string& body);
    void tell(bool works, const std::string& reason);
    void countDropped();
    bool pause(std::chrono::milliseconds time);

    const TraceSettings _settings;
    ServiceLogger _log;
    Metrics& _metrics;
    GuardedHttpClient _http;
    std::mutex _mutex;
    std::condition_variable _changed;
    std::vector<tracing::Span> _queue;
    bool _stopping = false;
    bool _ended = false;
    std::atomic<std::uint64_t> _overflown{0};
    /// What was said last; only the thread looks.
    bool _works = true;
    std::thread _thread;
};

} // namespace portico::host::platform
