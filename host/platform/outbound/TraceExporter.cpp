#include "host/platform/outbound/TraceExporter.h"

#include "host/base/Text.h"

#include "portico/Problem.h"

#include <boost/json.hpp>

#include <algorithm>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string_view>

namespace portico::host::platform
{

namespace json = boost::json;

namespace
{

/// Input of clients need not be UTF-8; JSON must be.
std::string printable(std::string_view text)
{
    std::string out;
    for (const char c : text) out.push_back(c >= 0x20 && c < 0x7F ? c : '?');
    return out;
}

json::object attribute(std::string_view key, std::string_view value)
{
    return {{"key", key}, {"value", {{"stringValue", printable(value)}}}};
}

json::object attribute(std::string_view key, const telemetry::Span::Value& value)
{
    if (const auto* text = std::get_if<std::string>(&value)) return attribute(key, std::string_view(*text));
    // 64-bit numbers are text in protobuf's JSON.
    return {{"key", key}, {"value", {{"intValue", std::to_string(std::get<std::int64_t>(value))}}}};
}

std::string nanoseconds(std::chrono::system_clock::time_point time)
{
    return std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count());
}

json::object spanJson(const telemetry::Span& span)
{
    json::array attributes;
    for (const auto& [key, value] : span.attributes) attributes.push_back(attribute(key, value));
    json::object object{{"traceId", telemetry::toHex(span.context.traceId)},
                        {"spanId", telemetry::toHex(span.context.spanId)},
                        {"name", printable(span.name)},
                        {"kind", static_cast<int>(span.kind)},
                        {"startTimeUnixNano", nanoseconds(span.begin)},
                        {"endTimeUnixNano", nanoseconds(span.begin + span.took)},
                        {"attributes", std::move(attributes)},
                        {"status", span.failed ? json::object{{"code", 2}} : json::object{}}};
    if (!telemetry::isZero(span.parent)) object["parentSpanId"] = telemetry::toHex(span.parent);
    return object;
}

using namespace std::chrono_literals;

constexpr std::size_t queueSpans = 4096;
constexpr std::size_t batchSpans = 512;
constexpr auto batchWait = 1s;
constexpr auto exportTimeout = 5s;
/// When the host stops, it waits only briefly for a collector.
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

std::string toOtlpJson(std::span<const telemetry::Span> spans, const TraceResource& resource)
{
    std::map<std::string_view, json::array> byService;
    for (const auto& span : spans) byService[span.service.empty() ? "host" : std::string_view(span.service)].push_back(spanJson(span));
    json::array resources;
    for (auto& [service, recorded] : byService)
        resources.push_back({{"resource",
                              {{"attributes",
                                {attribute("service.namespace", std::string_view("portico")), attribute("service.name", service),
                                 attribute("service.version", std::string_view(resource.version)),
                                 attribute("service.instance.id", std::string_view(resource.instance))}}}},
                             {"scopeSpans", {{{"scope", {{"name", "portico"}}}, {"spans", std::move(recorded)}}}}});
    return json::serialize(json::object{{"resourceSpans", std::move(resources)}});
}

std::string tracesUrl(const std::string& endpoint)
{
    const auto host = endpoint.find("://");
    const auto path = host == std::string::npos ? host : endpoint.find('/', host + 3);
    if (path == std::string::npos) return endpoint + "/v1/traces";
    return path + 1 == endpoint.size() ? endpoint + "v1/traces" : endpoint;
}

std::vector<std::pair<std::string, std::string>> parseHeaderLines(const std::string& text, const std::string& key)
{
    std::vector<std::pair<std::string, std::string>> headers;
    std::istringstream in(text);
    std::string line;
    for (int number = 1; std::getline(in, line); ++number)
    {
        const auto content = trimmed(line, whiteSpace);
        if (content.empty() || content.front() == '#') continue;
        const auto colon = content.find(':');
        const auto name = trimmed(content.substr(0, colon));
        if (colon == std::string_view::npos || name.empty() || name.find_first_of(" \t\"") != std::string_view::npos)
            throw std::runtime_error("The file of " + key + ": line " + std::to_string(number) +
                                     " is not a header: expected 'Name: value'. Correct it.");
        headers.emplace_back(name, trimmed(content.substr(colon + 1)));
    }
    return headers;
}

TraceExporter::TraceExporter(TraceSettings settings, telemetry::LogSink& log, telemetry::MetricsRegistry& metrics)
    : _settings(std::move(settings)), _log(log, {}), _metrics(metrics.of({})), _http(clientSettings(_settings))
{
    // There from the beginning, so that an alert on their rise has something to compare with.
    _metrics.count("trace_spans_sent_total", 0, {});
    for (const char* reason : {"queue_full", "collector"}) _metrics.count("trace_spans_dropped_total", 0, {{"reason", reason}});
    _queue.reserve(queueSpans);
    _thread = std::thread([this] { run(); });
}

void TraceExporter::take(telemetry::Span span) noexcept
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
std::vector<telemetry::Span> TraceExporter::nextBatch()
{
    std::unique_lock lock(_mutex);
    // A few at a time cost the collector as much as many: wait for company, but not for long.
    while (!_stopping && _queue.empty()) _changed.wait_for(lock, batchWait);
    if (!_stopping && _queue.size() < batchSpans)
        _changed.wait_for(lock, batchWait, [this] { return _stopping || _queue.size() >= batchSpans; });
    const auto count = static_cast<std::ptrdiff_t>(std::min(_queue.size(), batchSpans));
    std::vector<telemetry::Span> batch(std::make_move_iterator(_queue.begin()), std::make_move_iterator(_queue.begin() + count));
    _queue.erase(_queue.begin(), _queue.begin() + count);
    return batch;
}

void TraceExporter::deliver(const std::vector<telemetry::Span>& batch)
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
        _log.warning("the collector does not take traces; they are dropped until it does",
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
