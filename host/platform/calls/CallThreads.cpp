#include "host/platform/calls/CallThreads.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace portico::host::platform
{

namespace
{
constexpr std::chrono::seconds idleLife{5};
}

struct CallThreads::State
{
    struct Lane
    {
        std::deque<std::function<void()>> queue;
        std::size_t threads = 0;
        std::size_t idle = 0;
        std::condition_variable wake;
    };
    mutable std::mutex mutex;
    std::condition_variable ended;
    std::map<std::string, Lane, std::less<>> lanes;
    std::map<std::thread::id, std::thread> running;
    /// Threads that have returned, or are about to, and have to be joined.
    std::vector<std::thread> finished;
    bool stopping = false;

    void serve(Lane& lane);
    void leave(Lane& lane);
};

/// Runs the work of one lane until there is none for a while.
void CallThreads::State::serve(Lane& lane)
{
    std::unique_lock lock(mutex);
    while (true)
    {
        ++lane.idle;
        lane.wake.wait_for(lock, idleLife, [&] { return stopping || !lane.queue.empty(); });
        --lane.idle;
        if (stopping || lane.queue.empty()) return leave(lane);
        auto work = std::move(lane.queue.front());
        lane.queue.pop_front();
        lock.unlock();
        work();
        work = nullptr;
        lock.lock();
    }
}

/// Called with the mutex locked. A thread that `stop` has abandoned is no longer listed.
void CallThreads::State::leave(Lane& lane)
{
    --lane.threads;
    const auto self = running.find(std::this_thread::get_id());
    if (self != running.end())
    {
        finished.push_back(std::move(self->second));
        running.erase(self);
    }
    ended.notify_all();
}

CallThreads::CallThreads() : _state(std::make_shared<State>()) {}

CallThreads::~CallThreads() { stop(std::chrono::milliseconds(0)); }

bool CallThreads::run(const std::string& lane, std::function<void()> work)
{
    std::vector<std::thread> finished;
    {
        const std::lock_guard lock(_state->mutex);
        auto& found = _state->lanes[lane];
        if (_state->stopping || found.queue.size() >= queueLimit) return false;
        found.queue.push_back(std::move(work));
        if (found.idle < found.queue.size() && found.threads < threadsPerLane) try
            {
                // A lane stays where it is: maps do not move their elements.
                std::thread thread([state = _state, &found] { state->serve(found); });
                ++found.threads;
                const auto id = thread.get_id();
                _state->running.emplace(id, std::move(thread));
            }
            catch (const std::system_error&)
            {
                if (found.threads == 0)
                {
                    found.queue.pop_back();
                    return false;
                }
            }
        found.wake.notify_one();
        finished.swap(_state->finished);
    }
    for (auto& thread : finished) thread.join();
    return true;
}

void CallThreads::stop(std::chrono::milliseconds patience)
{
    std::vector<std::thread> finished;
    std::vector<std::function<void()>> dropped;
    {
        std::unique_lock lock(_state->mutex);
        _state->stopping = true;
        for (auto& [name, lane] : _state->lanes)
        {
            for (auto& work : lane.queue) dropped.push_back(std::move(work));
            lane.queue.clear();
            lane.wake.notify_all();
        }
        _state->ended.wait_for(lock, patience, [this] { return _state->running.empty(); });
        for (auto& [id, thread] : _state->running) thread.detach();
        _state->running.clear();
        finished.swap(_state->finished);
    }
    for (auto& thread : finished) thread.join();
}

std::size_t CallThreads::threadCount() const
{
    const std::lock_guard lock(_state->mutex);
    return _state->running.size();
}

} // namespace portico::host::platform
