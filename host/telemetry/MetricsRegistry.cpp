#include "host/telemetry/MetricsRegistry.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <stdexcept>

namespace portico::host::telemetry
{

namespace
{

/// Seconds, from a cached read to a failing request.
const prometheus::Histogram::BucketBoundaries& secondsBuckets()
{
    static const prometheus::Histogram::BucketBoundaries buckets = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                                    0.1,    0.25,  0.5,    1,     2.5,  5,     10};
    return buckets;
}

bool isLetter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool isName(std::string_view text) noexcept
{
    return !text.empty() && isLetter(text.front()) &&
           std::all_of(text.begin(), text.end(), [](char c) { return isLetter(c) || (c >= '0' && c <= '9'); });
}

bool isLabel(std::string_view text) noexcept { return isName(text) && !text.starts_with("__") && text != "le"; }

std::string prefixOf(std::string_view serviceId)
{
    std::string prefix = "portico_";
    if (serviceId.empty()) return prefix;
    std::transform(serviceId.begin(), serviceId.end(), std::back_inserter(prefix), [](char c) { return c == '-' ? '_' : c; });
    return prefix + "_";
}

/// Descriptions of the host's own metrics; plugins document theirs.
std::string_view helpOf(std::string_view name) noexcept
{
    constexpr std::pair<std::string_view, std::string_view> known[] = {
        {"portico_job_seconds", "Time that a job ran, by service."},
        {"portico_jobs_total", "Runs of jobs by service, type and outcome: done, failed, dead, not_now."},
        {"portico_endpoints_disabled", "Endpoints of a service's own signed messages that were given up."},
        {"portico_jobs_waiting", "Jobs that wait for their time or for a thread."},
        {"portico_jobs_running", "Jobs that run, on any host."},
        {"portico_jobs_dead", "Jobs that gave up and wait for an operator."},
        {"portico_jobs_overdue_seconds", "How long the job that waits for longest has been due."},
        {"portico_state_bytes", "Memory for the short-lived values of a service."},
        {"portico_blob_store_up", "0 while the bucket of blobs cannot be used, else 1."},
        {"portico_blob_store_requests_total", "Requests to the bucket of blobs by operation and outcome."},
        {"portico_blob_store_request_seconds", "Duration of requests to the bucket of blobs."},
        {"portico_shared_read_statements_total", "Statements that answered reads which several requests waited for, by service."},
        {"portico_shared_reads_total", "Reads that such statements answered, by service."},
        {"portico_state_store_up", "Whether the store of short-lived values answers: 1, or 0 while Redis is away."},
        {"portico_trace_spans_sent_total", "Spans that the collector took."},
        {"portico_trace_spans_dropped_total", "Spans that were dropped: queue_full, or not taken by the collector."},
    };
    for (const auto& [metric, help] : known)
        if (metric == name) return help;
    return {};
}

} // namespace

/// Completes names with the service's prefix.
class MetricsRegistry::ServiceMetrics final : public Metrics
{
public:
    ServiceMetrics(MetricsRegistry& registry, std::string_view serviceId) : _registry(registry), _prefix(prefixOf(serviceId)) {}
    void count(std::string_view name, double amount, Labels labels) override { _registry.count(full(name), amount, labels); }
    void gauge(std::string_view name, double value, Labels labels) override { _registry.gauge(full(name), value, labels); }
    void observe(std::string_view name, double seconds, Labels labels) override { _registry.observe(full(name), seconds, labels); }

private:
    std::string full(std::string_view name) const { return _prefix + std::string(name); }

    MetricsRegistry& _registry;
    const std::string _prefix;
};

MetricsRegistry::MetricsRegistry(std::size_t seriesLimit)
    : _seriesLimit(seriesLimit),
      _registry(std::make_shared<prometheus::Registry>()),
      _refused(&prometheus::BuildCounter()
                    .Name("portico_metrics_refused_total")
                    .Help("Measurements with a bad name, label or amount, or a name that another kind of metric has.")
                    .Register(*_registry)
                    .Add({}))
{
}

MetricsRegistry::~MetricsRegistry() = default;

Metrics& MetricsRegistry::of(std::string_view serviceId)
{
    const std::lock_guard lock(_mutex);
    auto found = _services.find(serviceId);
    if (found == _services.end())
        found = _services.emplace(std::string(serviceId), std::make_unique<ServiceMetrics>(*this, serviceId)).first;
    return *found->second;
}

std::string MetricsRegistry::text() const { return prometheus::TextSerializer().Serialize(_registry->Collect()); }

void MetricsRegistry::count(const std::string& name, double amount, Metrics::Labels labels)
{
    const std::lock_guard lock(_mutex);
    auto* found = amount >= 0 ? family(_counters, prometheus::BuildCounter(), name, labels) : nullptr;
    if (found == nullptr) return _refused->Increment();
    found->Add(labelsFor(name, labels)).Increment(amount);
}

void MetricsRegistry::gauge(const std::string& name, double value, Metrics::Labels labels)
{
    const std::lock_guard lock(_mutex);
    auto* found = family(_gauges, prometheus::BuildGauge(), name, labels);
    if (found == nullptr) return _refused->Increment();
    found->Add(labelsFor(name, labels)).Set(value);
}

void MetricsRegistry::observe(const std::string& name, double seconds, Metrics::Labels labels)
{
    const std::lock_guard lock(_mutex);
    auto* found = family(_histograms, prometheus::BuildHistogram(), name, labels);
    if (found == nullptr) return _refused->Increment();
    found->Add(labelsFor(name, labels), secondsBuckets()).Observe(seconds);
}

template <class T, class Builder>
prometheus::Family<T>* MetricsRegistry::family(Families<T>& families, Builder builder, const std::string& name, Metrics::Labels labels)
{
    if (!isName(name) || !std::ranges::all_of(labels, [](const auto& label) { return isLabel(label.first); })) return nullptr;
    if (const auto found = families.find(name); found != families.end()) return found->second;
    try
    {
        return families[name] = &builder.Name(name).Help(std::string(helpOf(name))).Register(*_registry);
    }
    catch (const std::invalid_argument&)
    {
        families.erase(name);
        return nullptr; // another kind of metric has the name
    }
}

prometheus::Labels MetricsRegistry::labelsFor(const std::string& name, Metrics::Labels labels)
{
    prometheus::Labels wanted;
    for (const auto& [label, value] : labels) wanted.insert_or_assign(std::string(label), std::string(value));
    auto& known = _series[name];
    if (known.contains(wanted)) return wanted;
    if (known.size() >= _seriesLimit) return {{"overflow", "true"}};
    return *known.insert(std::move(wanted)).first;
}

} // namespace portico::host::telemetry
