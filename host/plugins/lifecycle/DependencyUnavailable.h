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
    /// As `unavailableDependency` names it.
    const std::string& dependency() const noexcept { return _dependency; }

private:
    std::string _dependency;
};

/// What is away, in words that fit behind "waits for", when an error says that and no more: the same may succeed later. Empty for every
/// other error: a refusal, a migration that is wrong, a file that is damaged, which nobody cures by trying again.
std::string unavailableDependency(const std::exception& error);

/// How long after a failed start the next one is tried: the first time, twice as long every further time, and at most.
struct RetryTimes
{
    std::chrono::milliseconds first{1'000};
    std::chrono::milliseconds longest{15'000};
};

/// What a try that failed for want of `what` leaves. @param triesBefore of those that failed since an operator last asked
Waiting waitFor(std::string what, unsigned triesBefore, const RetryTimes& times, std::chrono::steady_clock::time_point now);

} // namespace portico::host::plugins
