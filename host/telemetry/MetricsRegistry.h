#pragma once

#include "portico/Metrics.h"

#include <prometheus/family.h>
#include <prometheus/registry.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace prometheus
{
class Counter;
class Gauge;
class Histogram;
} // namespace prometheus

namespace portico::host::telemetry
{

/// All metrics of the host and its services. Series live as long as the host, so a reload loses no counts. Thread-safe.
class MetricsRegistry
{
public:
    /// @param seriesLimit how many sets of labels one metric may have; what comes after is counted under `overflow="true"`, because each
    /// series costs memory here and in every scraper, for ever.
    explicit MetricsRegistry(std::size_t seriesLimit = 1000);
    ~MetricsRegistry();

    /// The metrics of a service, `portico_<service>_…`; those of the host for an empty id, `portico_…`. Lives as long as the registry.
    Metrics& of(std::string_view serviceId);
    /// All series in the text format 0.0.4, for the metrics endpoint (`text/plain; version=0.0.4; charset=utf-8`).
    std::string text() const;

    void count(const std::string& name, double amount, Metrics::Labels labels);
    void gauge(const std::string& name, double value, Metrics::Labels labels);
    void observe(const std::string& name, double seconds, Metrics::Labels labels);

private:
    class ServiceMetrics;
    template <class T>
    using Families = std::map<std::string, prometheus::Family<T>*, std::less<>>;

    /// Null for what cannot be measured so.
    template <class T, class Builder>
    prometheus::Family<T>* family(Families<T>& families, Builder builder, const std::string& name, Metrics::Labels labels);
    /// Those of the overflow where the limit is reached.
    prometheus::Labels labelsFor(const std::string& name, Metrics::Labels labels);

    const std::size_t _seriesLimit;
    mutable std::mutex _mutex;
    std::shared_ptr<prometheus::Registry> _registry;
    Families<prometheus::Counter> _counters;
    Families<prometheus::Gauge> _gauges;
    Families<prometheus::Histogram> _histograms;
    /// Sets of labels that each metric has, for the limit.
    std::map<std::string, std::set<prometheus::Labels>, std::less<>> _series;
    std::map<std::string, std::unique_ptr<ServiceMetrics>, std::less<>> _services;
    prometheus::Counter* _refused;
};

} // namespace portico::host::telemetry
