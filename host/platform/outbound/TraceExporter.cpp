#include "host/platform/outbound/TraceExporter.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::host::platform
{

namespace
{

using namespace std::chrono_literals;

constexpr std::size_t queueSpans = 4096;
constexpr std::size_t batchSpans = 512;
constexpr auto batchWait = 1s;
constexpr auto exportTimeout = 5s;
/// At the end of the host nobody waits for a collector.
constexpr auto lastTimeout = 1s;
constexpr int attempts = 4;

HttpClientSettings clientSettings(const TraceSettings& settings)
{
    HttpClientSettings client;
    // The operator has named the collector: it may be anywhere.
    client.allowedNetworks = {"0.0.0.0/0", "::/0"};
    client.certificateAuthorities = settings.certificateAuthorities;
    client.connectTimeout = 2s;
    return client;
}

} // namespace

TraceExporter::TraceExporter(TraceSettings settings, LogSink& log, MetricsRegistry& metrics)
    : _settings(std::move(settings)), _log(log, {}), _metrics(metrics.of({})), _http(clientSettings(_settings))
{
    // There from the beginning, so that an alert on their rise has something to compare with.
    _metrics.count("trace_spans_sent_total", 0, {});
    for (const char* reason : {"queue_full", "collector"}) _metrics.count("trace_spans_dropped_total", 0, {{"reason", reason}});
    _queue.reserve(queueSpans);
    _thread = std::thread([this] { run(); });
}

TraceExporter::~TraceExporter() { stop(); }

void TraceExporter::take(tracing::Span span) noexcept
{
    const std::lock_guard lock(_mutex);
    if (_stopping || _queue.size() == queueSpans)
    {
        _overflown.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    _queue.push_back(std::move(span)); // there is room: nothing is allocated
    if (_queue.size() == batchSpans) _changed.notify_one();
}

void TraceExporter::stop()
{
    {
        std::unique_lock lock(_mutex);
        _stopping = true;
        _changed.notify_all();
        // An exchange that is under way may take its time; the host's is over.
        if (!_changed.wait_for(lock, lastTimeout, [this] { return _ended; })) _http.interrupt();
    }
    if (_thread.joinable()) _thread.join();
}

void TraceExporter::run()
{
    for (;;)
    {
        const auto batch = nextBatch();
        countDropped();
        if (batch.empty()) break;
        deliver(batch);
    }
    const std::lock_guard lock(_mutex);
    _ended = true;
    _changed.notify_all();
}

/// Empty only when there will be no more.
std::vector<tracing::Span> TraceExporter::nextBatch()
{
    std::unique_lock lock(_mutex);
    // A few at a time cost the collector as much as many: wait for company, but not for long.
    while (!_stopping && _queue.empty()) _changed.wait_for(lock, batchWait);
    if (!_stopping && _queue.size() < batchSpans)
        _changed.wait_for(lock, batchWait, [this] { return _stopping || _queue.size() >= batchSpans; });
    const auto count = static_cast<std::ptrdiff_t>(std::min(_queue.size(), batchSpans));
    std::vector<tracing::Span> batch(std::make_move_iterator(_queue.begin()), std::make_move_iterator(_queue.begin() + count));
    _queue.erase(_queue.begin(), _queue.begin() + count);
    return batch;
}

void TraceExporter::deliver(const std::vector<tracing::Span>& batch)
{
    const auto body = toOtlpJson(batch, _settings.resource);
    auto wait = std::chrono::milliseconds(500);
    for (int attempt = 1;; ++attempt, wait *= 2)
    {
        const bool last = pause(0ms);
        const auto outcome = send(body);
        if (outcome == Outcome::Taken) return _metrics.count("trace_spans_sent_total", static_cast<double>(batch.size()), {});
        if (outcome == Outcome::Never || last || attempt == attempts) break;
        pause(wait);
    }
    _metrics.count("trace_spans_dropped_total", static_cast<double>(batch.size()), {{"reason", "collector"}});
    // Nor would it take the rest now.
    if (!pause(0ms)) return;
    const std::lock_guard lock(_mutex);
    _overflown.fetch_add(_queue.size(), std::memory_order_relaxed);
    _queue.clear();
}

TraceExporter::Outcome TraceExporter::send(const std::string& body)
{
    try
    {
        HttpClient::Request request{"POST", _settings.endpoint, _settings.headers, body, exportTimeout, 65'536};
        request.headers.emplace_back("Content-Type", "application/json");
        const auto response = _http.send(request);
        const bool taken = response.status >= 200 && response.status < 300;
        tell(taken, "status " + std::to_string(response.status));
        if (taken) return Outcome::Taken;
        const bool passes = response.status == 429 || (response.status >= 502 && response.status <= 504);
        return passes ? Outcome::Later : Outcome::Never;
    }
    catch (const Problem& problem)
    {
        tell(false, problem.detail());
        return Outcome::Later;
    }
    catch (const std::exception& error)
    {
        tell(false, error.what());
        return Outcome::Never;
    }
}

void TraceExporter::tell(bool works, const std::string& reason)
{
    if (works == _works) return;
    _works = works;
    if (works)
        _log.information("the collector takes traces again");
    else
        _log.warning("the collector does not take traces; they are dropped meanwhile",
                     {{"endpoint", _settings.endpoint}, {"reason", reason}});
}

void TraceExporter::countDropped()
{
    if (const auto dropped = _overflown.exchange(0, std::memory_order_relaxed); dropped > 0)
        _metrics.count("trace_spans_dropped_total", static_cast<double>(dropped), {{"reason", "queue_full"}});
}

/// True if the host ends.
bool TraceExporter::pause(std::chrono::milliseconds time)
{
    std::unique_lock lock(_mutex);
    return _changed.wait_for(lock, time, [this] { return _stopping; });
}

} // namespace portico::host::platform
