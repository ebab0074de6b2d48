#include "host/admin/OperationHistory.h"

#include "portico/Instant.h"

#include <numeric>

namespace portico::host::admin
{

namespace json = boost::json;

json::object operationJson(const plugins::OperationResult& operation)
{
    json::array steps;
    std::chrono::microseconds took{0};
    for (const auto& step : operation.steps)
    {
        took += step.took;
        steps.push_back({{"name", step.name},
                         {"service", step.serviceId},
                         {"ok", step.succeeded},
                         {"microseconds", step.took.count()},
                         {"detail", step.message}});
    }
    // Those that the lifecycle does not carry out have no number.
    return {{"id", operation.id == 0 ? json::value() : json::value(operation.id)},
            {"command", operation.command},
            {"service", operation.serviceId},
            {"status", operation.succeeded ? "done" : "failed"},
            {"microseconds", took.count()},
            {"requestedBy", operation.requestedBy},
            {"steps", std::move(steps)},
            {"messages", json::array(operation.messages.begin(), operation.messages.end())}};
}

void OperationHistory::add(const plugins::OperationResult& operation, Instant now)
{
    auto entry = operationJson(operation);
    entry["endedAt"] = toString(now);
    const std::lock_guard lock(_mutex);
    _operations.push_front(std::move(entry));
    if (_operations.size() > capacity) _operations.pop_back();
}

json::array OperationHistory::list() const
{
    const std::lock_guard lock(_mutex);
    json::array operations;
    for (const auto& operation : _operations) operations.emplace_back(operation);
    return operations;
}

} // namespace portico::host::admin
