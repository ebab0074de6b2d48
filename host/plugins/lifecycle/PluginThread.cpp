#include "host/plugins/lifecycle/PluginThread.h"

#include "host/plugins/lifecycle/DependencyUnavailable.h"

#include <condition_variable>
#include <exception>
#include <mutex>

namespace portico::host::plugins
{

struct PluginThread::State
{
    std::mutex mutex;
    std::condition_variable ended;
    bool done = false;
    std::string error;
    std::string away;
};

PluginThread::PluginThread(std::function<void()> work)
    : _state(std::make_shared<State>()), _thread(&PluginThread::run, _state, std::move(work))
{
}

PluginThread::~PluginThread()
{
    if (waitFor(std::chrono::milliseconds(0)))
        _thread.join();
    else
        _thread.detach();
}

void PluginThread::run(const std::shared_ptr<State>& state, std::function<void()> work)
{
    std::string error;
    std::string away;
    try
    {
        work();
    }
    catch (const std::exception& thrown)
    {
        error = *thrown.what() ? thrown.what() : "an exception without a text";
        away = unavailableDependency(thrown);
    }
    catch (...)
    {
        error = "something that is not a std::exception";
    }
    // What the work holds goes on this thread, before anyone is told that it has ended.
    work = nullptr;
    const std::lock_guard lock(state->mutex);
    state->error = std::move(error);
    state->away = std::move(away);
    state->done = true;
    state->ended.notify_all();
}

bool PluginThread::waitFor(std::chrono::milliseconds patience)
{
    std::unique_lock lock(_state->mutex);
    return _state->ended.wait_for(lock, patience, [this] { return _state->done; });
}

const std::string& PluginThread::error() const noexcept { return _state->error; }

const std::string& PluginThread::away() const noexcept { return _state->away; }

} // namespace portico::host::plugins
