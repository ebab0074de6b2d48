#pragma once

#include "portico/Instant.h"

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace portico::launchpad
{

/// The result of a fetch.
struct FetchOutcome
{
    /// JSON text of the payload; empty after a failure.
    std::string json;
    Instant fetchedAt{};
    /// Code of the failure (`timeout`, `http_503`, …); empty after a success.
    std::string error;
    /// Status of the app's answer; 0: there was none.
    int status = 0;
    /// The caller has no access any more: nothing older may be shown.
    bool revoked = false;
};

/// Lets one request fetch a widget while others that want the same wait for its outcome. Thread-safe.
class Flights
{
public:
    struct Flight;
    using TimePoint = std::chrono::steady_clock::time_point;

    /// Joins the running fetch of a key, or starts one. True if the caller started it and must call `land`.
    std::pair<std::shared_ptr<Flight>, bool> join(const std::string& key);
    /// Ends a fetch and wakes those that wait.
    void land(const std::string& key, const std::shared_ptr<Flight>& flight, FetchOutcome outcome);
    /// Waits for the outcome; empty if there is none by then.
    std::optional<FetchOutcome> wait(const std::shared_ptr<Flight>& flight, TimePoint until);

private:
    std::mutex _mutex;
    std::condition_variable _landed;
    std::map<std::string, std::shared_ptr<Flight>, std::less<>> _flights;
};

} // namespace portico::launchpad
