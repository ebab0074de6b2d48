#pragma once

#include "portico/Metrics.h"

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace portico::testing
{

/// Keeps every measurement; labels are compared whatever their order. Thread-safe.
class PORTICO_API FakeMetrics final : public Metrics
{
public:
    ~FakeMetrics() override;
    void count(std::string_view name, double amount, Labels labels) override;
    void gauge(std::string_view name, double value, Labels labels) override;
    void observe(std::string_view name, double seconds, Labels labels) override;

    /// Sum of a counter, 0 if it was never counted.
    double counted(std::string_view name, Labels labels = {}) const;
    /// Last value of a gauge, 0 if it was never set.
    double gauged(std::string_view name, Labels labels = {}) const;
    std::vector<double> observed(std::string_view name, Labels labels = {}) const;

private:
    using Key = std::pair<std::string, std::map<std::string, std::string>>;
    static Key keyOf(std::string_view name, Labels labels);

    mutable std::mutex _mutex;
    std::map<Key, double> _counters;
    std::map<Key, double> _gauges;
    std::map<Key, std::vector<double>> _observations;
};

} // namespace portico::testing
