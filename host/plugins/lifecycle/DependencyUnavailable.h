#pragma once

#include "host/plugins/lifecycle/LifecycleReport.h"

#include <chrono>
#include <exception>
#include <stdexcept>
#include <string>

namespace portico::host::plugins
{

/// A plugin could not be started because something that it needs is away for now. Carries on what was thrown on another thread.
class DependencyUnavailable : public std::runtime_error
{
public:
    DependencyUnavailable(std::string dependency, const std::string& text) : std::runtime_error(text), _dependency(std::move(dependency)) {}
    /// Name from `unavailableDependency`.
    const std::string& dependency() const noexcept { return _dependency; }

private:
    std::string _dependency;
};

/// Name of the unavailable dependency, as text after "waits for", if an error has no other cause: a retry may succeed. Empty for every
/// other error, such as a refusal, a wrong migration or a damaged file, since a retry cannot resolve these.
std::string unavailableDependency(const std::exception& error);

/// How long after a failed start the next one is tried: the first time, twice as long every further time, and at most.
struct RetryTimes
{
    std::chrono::milliseconds first{1'000};
    std::chrono::milliseconds longest{15'000};
};

/// Returns the next wait after an attempt that failed because `what` is unavailable. @param triesBefore failed attempts since the last
/// command of an operator
Waiting waitFor(std::string what, unsigned triesBefore, const RetryTimes& times, std::chrono::steady_clock::time_point now);

} // namespace portico::host::plugins
