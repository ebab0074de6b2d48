#pragma once

#include "portico/Export.h"

#include <initializer_list>
#include <string_view>
#include <utility>

namespace portico
{

/// Prometheus metrics. Names are completed to `portico_<service>_<name>`. Copies its arguments. Thread-safe.
class PORTICO_API Metrics
{
public:
    using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;
    virtual ~Metrics();
    virtual void count(std::string_view name, double amount = 1, Labels labels = {}) = 0;
    virtual void gauge(std::string_view name, double value, Labels labels = {}) = 0;
    /// A histogram of seconds.
    virtual void observe(std::string_view name, double seconds, Labels labels = {}) = 0;
};

} // namespace portico
