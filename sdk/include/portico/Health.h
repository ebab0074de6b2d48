#pragma once

#include <chrono>
#include <string>

namespace portico
{

/// One dependency in a health answer. A value.
struct HealthCheck
{
    std::string name;
    bool healthy = true;
    /// For everyone to read: no secrets, no addresses, no exception texts.
    std::string detail{};
    /// How long the dependency took to answer; zero where there was nothing to wait for.
    std::chrono::microseconds latency{0};
    /// False: the service does without. Then it is told of by `/health` alone, and takes requests and the place of an older copy all the
    /// same.
    bool neededToServe = true;
};

} // namespace portico
