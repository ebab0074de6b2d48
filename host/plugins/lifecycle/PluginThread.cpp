#include "host/plugins/lifecycle/PluginThread.h"

#include "host/plugins/lifecycle/DependencyUnavailable.h"

#include <exception>

namespace portico::host::plugins
{

PluginThread::PluginThread(std::function<void()> work)
{
    // The work is destroyed within `run`, on its thread, before the future is ready.
    std::packaged_task<Outcome(std::function<void()>)> task(&PluginThread::run);
    _outcome = task.get_future().share();
    _thread = std::thread(std::move(task), std::move(work));
}

PluginThread::~PluginThread()
{
    if (waitFor(std::chrono::milliseconds(0)))
        _thread.join();
    else
        _thread.detach();
}

PluginThread::Outcome PluginThread::run(std::function<void()> work)
{
    Outcome outcome;
    try
    {
        work();
    }
    catch (const std::exception& thrown)
    {
        outcome = {*thrown.what() ? thrown.what() : "an exception without a text", unavailableDependency(thrown)};
    }
    catch (...)
    {
        outcome.error = "something that is not a std::exception";
    }
    work = nullptr;
    return outcome;
}

} // namespace portico::host::plugins
