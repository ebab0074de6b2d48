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
    /// Public text: no secrets, addresses or exception texts.
    std::string detail{};
    /// How long the dependency took to answer; zero if there was nothing to wait for.
    std::chrono::microseconds latency{0};
    /// If false, a failure shows in `/health` only; readiness and reloads ignore it.
    bool neededToServe = true;
};

} // namespace portico
