#pragma once

#include "host/admin/ControlCommands.h"
#include "host/base/FileDescriptor.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <poll.h>
#include <string>
#include <thread>
#include <vector>

namespace portico::host::admin
{

/// Threads for commands, one for each that runs: as many as ran at once, so that none waits for another. A few are there from the start,
/// for the day on which no thread can be had. Thread-safe.
class CommandThreads
{
public:
    /// @throws std::system_error
    explicit CommandThreads(std::size_t atFirst);
    /// Waits for what runs; what no thread was found for yet is dropped.
    ~CommandThreads();

    /// `work` throws nothing. Where no thread can be had, it waits for one of those that there are.
    void run(std::function<void()> work);

private:
    void addThread();
    void serve(const std::stop_token& stop);

    std::mutex _mutex;
    std::condition_variable_any _wake;
    std::deque<std::function<void()>> _queue;
    std::size_t _idle = 0;
    std::vector<std::jthread> _threads;
};

/// Limits of the control socket.
struct ControlLimits
{
    /// Maximum connections. One more replaces the connection that has been silent for longest; without a silent one it is refused.
    std::size_t connections = 64;
    /// Number of these that are reserved for root, so that the daemon's user cannot block it.
    std::size_t keptForRoot = 8;
    /// Maximum concurrent runs of one command; further ones wait, so that slow commands leave room for others.
    std::size_t sameCommand = 4;
    /// From the connection to the end of its first request.
    std::chrono::milliseconds firstRequest{5'000};
    /// From an answer to the end of the next request.
    std::chrono::milliseconds nextRequest{30'000};
    /// A longer request is refused.
    std::size_t requestBytes = 1'048'576;
};

/// Serves the control socket on its own threads, so that it works when no other part does. One thread waits for all connections, and
/// each costs nothing more until its request is complete: silent clients block no others. Only root and the daemon's user are
/// answered.
class ControlServer
{
public:
    /// Replaces a socket file that an earlier instance left behind: the caller has the lock of the state directory. `commands` must outlive
    /// this.
    /// @throws std::system_error
    ControlServer(std::filesystem::path path, const ControlCommands& commands, ControlLimits limits = {});
    /// Waits for commands that run.
    ~ControlServer();

private:
    using TimePoint = std::chrono::steady_clock::time_point;
    struct Conversation
    {
        FileDescriptor socket;
        Peer peer;
        bool allowed = false;
        TimePoint deadline;
        /// Received bytes of requests that are not answered.
        std::string input;
        /// The request that waits or runs, and its command.
        std::string request;
        std::string command;
        bool broken = false;
    };
    using Conversations = std::list<Conversation>;
    using Place = Conversations::iterator;

    void serve();
    std::vector<pollfd> waitedFor(bool listening) const;
    int pollTimeout(bool listening) const;
    /// False if no connection can be taken now.
    bool accept();
    bool makeRoom(const Peer& peer);
    /// False if the conversation is over.
    bool receive(Conversation& conversation) const;
    void takeRequests();
    bool takeRequest(Place place);
    void takeBackFinished();
    void startWaiting();
    void answer(Place place);
    bool send(int socket, std::string line) const;

    std::filesystem::path _path;
    const ControlCommands& _commands;
    const ControlLimits _limits;
    FileDescriptor _listener;
    /// Readable once this server is to end.
    FileDescriptor _stop;
    /// Readable when a command is done.
    FileDescriptor _wake;
    // Used by the waiting thread; a running conversation belongs to its command. Each is in order of arrival.
    Conversations _reading;
    Conversations _waiting;
    Conversations _running;
    std::map<std::string, std::size_t, std::less<>> _runs;
    std::mutex _mutex;
    /// Guarded by `_mutex`.
    std::vector<Place> _finished;
    CommandThreads _threads;
    std::jthread _acceptThread;
};

} // namespace portico::host::admin
