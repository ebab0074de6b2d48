#pragma once

#include "host/platform/outbound/GuardedHttpClient.h"
#include "host/telemetry/LogSink.h"
#include "host/telemetry/MetricsRegistry.h"
#include "host/telemetry/Tracer.h"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace portico::host::platform
{

/// Identifies the sender to the collector.
struct TraceResource
{
    std::string version;
    /// Distinguishes this host from others with the same services.
    std::string instance;
};

/// The body of a `POST /v1/traces` in OTLP's JSON form: one resource for each service, named by its id in the namespace `portico`; the host
/// itself is `host`.
std::string toOtlpJson(std::span<const telemetry::Span> spans, const TraceResource& resource);

struct TraceSettings
{
    /// The whole URL; empty: nothing is recorded.
    std::string endpoint;
    std::uint64_t sampleOneIn = 1;
    /// For the collector, secrets among them.
    std::vector<std::pair<std::string, std::string>> headers;
    /// See HttpClientSettings.
    std::string certificateAuthorities;
    TraceResource resource;
};

/// `http://127.0.0.1:4318` completed with the path that OTLP has.
std::string tracesUrl(const std::string& endpoint);
/// Lines `Name: value`; empty ones and those with `#` in front are left out. @throws std::runtime_error with the number of a wrong one
std::vector<std::pair<std::string, std::string>> parseHeaderLines(const std::string& text, const std::string& key);

/// Sends spans to a collector from its own thread, some hundreds at a time. Producers never wait: spans that exceed the queue are dropped
/// and counted, as are those that the collector rejects after a few attempts. Thread-safe.
class TraceExporter final : public telemetry::SpanSink
{
public:
    TraceExporter(TraceSettings settings, telemetry::LogSink& log, telemetry::MetricsRegistry& metrics);
    ~TraceExporter() override { stop(); }

    void take(telemetry::Span span) noexcept override;
    /// Sends pending spans, if the collector accepts them within a second, and none afterwards.
    void stop();
    telemetry::Tracer tracer() { return {*this, _settings.sampleOneIn}; }

private:
    enum class Outcome
    {
        Taken,
        Later,
        Never
    };

    void run();
    std::vector<telemetry::Span> nextBatch();
    void deliver(const std::vector<telemetry::Span>& batch);
    Outcome send(const std::string& body);
    void tell(bool works, const std::string& reason);
    void countDropped();
    bool pause(std::chrono::milliseconds time);

    const TraceSettings _settings;
    telemetry::ServiceLogger _log;
    Metrics& _metrics;
    GuardedHttpClient _http;
    std::mutex _mutex;
    std::condition_variable _changed;
    std::vector<telemetry::Span> _queue;
    bool _stopping = false;
    bool _ended = false;
    std::atomic<std::uint64_t> _overflown{0};
    /// The last logged state; used by the thread only.
    bool _works = true;
    std::thread _thread;
};

} // namespace portico::host::platform
