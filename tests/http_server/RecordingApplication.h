#pragma once

#include "host/http/Application.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace portico::test
{

/// A route of the application: how its requests are admitted, and what answers them.
struct TestRoute
{
    host::http::Admission admission;
    std::function<void(host::http::Exchange&)> handle;
    /// Only with `admission.prepareFirst`.
    std::function<bool(host::http::Exchange&)> prepare = [](host::http::Exchange&) { return true; };
    /// Only with `admission.waits`.
    std::function<void(std::function<void()> ready)> fetch = {};
    /// False: the loop gives it to a worker.
    bool loopSuffices = true;
};

/// Serves routes by path and keeps count, so that a test can tell what the server did. Routes are added before the server starts.
class RecordingApplication final : public host::http::Application
{
public:
    RecordingApplication();

    void route(const std::string& path, TestRoute route) { _routes[path] = std::move(route); }
    /// Route for all paths without another route; the default is 404.
    void routeOthers(TestRoute route) { _missing = std::move(route); }
    /// Handled on the loop, without a body.
    void route(const std::string& path, std::function<void(host::http::Exchange&)> handle);

    host::http::Admission admit(host::http::Exchange& exchange) noexcept override;
    void fetch(host::http::Exchange& exchange, std::function<void()> ready) noexcept override;
    void resume(host::http::Exchange& exchange, host::http::Admission& admission) noexcept override;
    bool handleOnLoop(host::http::Exchange& exchange) noexcept override;
    bool prepare(host::http::Exchange& exchange) noexcept override;
    void handle(host::http::Exchange& exchange) noexcept override;
    void refuse(host::http::Exchange& exchange, int status, std::string_view code, std::string_view detail) noexcept override;
    void finished(host::http::Exchange& exchange) noexcept override;

    /// Requests that reached `admit`, were refused by the server, and were finished.
    int admitted() const { return _admitted; }
    int refused() const { return _refused; }
    /// Refused before they could be admitted: these are finished as well.
    int refusedUnadmitted() const { return _refusedUnadmitted; }
    int handled() const { return _handled; }
    int finishedCount() const { return _finished; }
    int delivered() const { return _delivered; }
    /// True if `finished` was ever called twice for one exchange, or while a source was there.
    bool misused() const { return _misused; }
    /// Waits until that many exchanges are finished; false after a minute.
    bool awaitFinished(int count);
    /// Waits until that many have been handed to a handler.
    bool awaitHandling(int count);

private:
    struct State;
    const TestRoute& routeOf(const host::http::Exchange& exchange) const;
    bool await(const std::atomic<int>& counter, int count);

    std::map<std::string, TestRoute, std::less<>> _routes;
    TestRoute _missing;
    std::mutex _mutex;
    std::condition_variable _changed;
    std::atomic<int> _admitted{0};
    std::atomic<int> _refused{0};
    std::atomic<int> _refusedUnadmitted{0};
    std::atomic<int> _handling{0};
    std::atomic<int> _handled{0};
    std::atomic<int> _finished{0};
    std::atomic<int> _delivered{0};
    std::atomic<bool> _misused{false};
};

/// Blocks handlers until a test opens it.
class Gate
{
public:
    void open()
    {
        {
            const std::lock_guard lock(_mutex);
            _open = true;
        }
        _changed.notify_all();
    }
    void pass()
    {
        std::unique_lock lock(_mutex);
        _changed.wait(lock, [this] { return _open; });
    }

private:
    std::mutex _mutex;
    std::condition_variable _changed;
    bool _open = false;
};

} // namespace portico::test
