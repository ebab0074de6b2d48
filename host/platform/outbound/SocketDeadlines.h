#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace portico::host::platform
{

/// Ends exchanges that take too long: POCO bounds each read, so a peer that sends single bytes could block a thread forever. At its
/// deadline a socket is shut down (not closed), which wakes the waiting thread. One thread for all. Thread-safe.
class SocketDeadlines
{
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    SocketDeadlines() : _thread([this](const std::stop_token& stop) { run(stop); }) {}

    /// Shuts down every socket that is watched, now and from now on.
    void expireAll();

    /// Watches a socket until it goes out of scope. Holds a duplicate of the descriptor, so that the owner may close the socket at any time
    /// without a reuse of its number. @throws std::system_error when there are no descriptors left.
    class Watch
    {
    public:
        Watch(SocketDeadlines& deadlines, int descriptor, TimePoint deadline);
        Watch(const Watch&) = delete;
        Watch& operator=(const Watch&) = delete;
        ~Watch();
        /// Shuts the socket down now.
        void expire();
        /// True if the socket was shut down.
        bool expired() const;

    private:
        SocketDeadlines& _deadlines;
        std::multimap<TimePoint, Watch*>::iterator _place;
        int _descriptor;
        bool _expired = false;
        friend class SocketDeadlines;
    };

private:
    void run(const std::stop_token& stop);
    void expireFirst();
    /// Under the mutex, for a watch that has not expired.
    void expire(Watch& watch);

    mutable std::mutex _mutex;
    std::condition_variable_any _changed;
    std::multimap<TimePoint, Watch*> _watches;
    bool _allExpired = false;
    std::jthread _thread;
};

} // namespace portico::host::platform
