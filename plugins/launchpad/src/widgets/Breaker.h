#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace portico::launchpad
{

/// Stops calls to apps that fail: after five failures within 60 s an app is skipped for 30 s. Then one trial call decides whether the
/// circuit closes or opens again. Thread-safe.
class Breaker
{
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    /// Returns whether to call the app. True obliges to report the result.
    bool allows(std::string_view service, TimePoint now);
    void succeeded(std::string_view service);
    void failed(std::string_view service, TimePoint now);
    /// True while the app is skipped. Obliges to nothing.
    bool isOpen(std::string_view service, TimePoint now) const;

private:
    struct Circuit
    {
        std::deque<TimePoint> failures;
        /// Epoch: closed.
        TimePoint openUntil{};
        /// Time at which a trial call counts as lost.
        TimePoint triedUntil{};
    };
    mutable std::mutex _mutex;
    std::map<std::string, Circuit, std::less<>> _circuits;
};

} // namespace portico::launchpad
