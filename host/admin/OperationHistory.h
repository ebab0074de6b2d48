#pragma once

#include "host/plugins/LifecycleReport.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <deque>
#include <mutex>

namespace portico::host::admin
{

/// As the control socket tells it.
boost::json::object operationJson(const plugins::OperationResult& operation);

/// The last operations that were asked for, the newest first. Thread-safe.
class OperationHistory
{
public:
    void add(const plugins::OperationResult& operation, Instant now);
    boost::json::array list() const;

private:
    static constexpr std::size_t capacity = 200;

    mutable std::mutex _mutex;
    std::deque<boost::json::object> _operations;
};

} // namespace portico::host::admin
