#pragma once

#include "host/platform/outbound/GuardedHttpClient.h"

#include "portico/Calls.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace portico::host::platform
{

/// Sends requests to other servers from one event loop, without a thread for each. The guarded client decides which addresses are allowed.
/// A connection is used once. The loop's thread starts with the first request. Thread-safe.
class HttpLoop
{
public:
    using Done = std::function<void(CallResult result)>;
    /// Runs blocking work elsewhere; false: it cannot.
    using Elsewhere = std::function<bool(std::function<void()> work)>;

    /// @param guard outlives this
    /// @param elsewhere where names are resolved; outlives this
    HttpLoop(const GuardedHttpClient& guard, Elsewhere elsewhere);
    /// Ends what is under way, as NotReached.
    ~HttpLoop();
    HttpLoop(const HttpLoop&) = delete;
    HttpLoop& operator=(const HttpLoop&) = delete;

    /// Sends a request that `requireSendable` accepts. `done` is called exactly once, on the loop's or another thread, and must neither
    /// block nor throw. `traceparent` is added unless empty or present.
    void send(HttpClient::Request request, const std::string& traceparent, Done done);

private:
    class Loop;
    struct Exchange;

    std::shared_ptr<Loop> loop();

    const GuardedHttpClient& _guard;
    const Elsewhere _elsewhere;
    std::mutex _mutex;
    bool _stopped = false;
    /// Shared with the threads that resolve names.
    std::shared_ptr<Loop> _loop;
};

} // namespace portico::host::platform
