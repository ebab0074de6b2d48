#pragma once

#include <csignal>

namespace portico::host::daemon
{

/// The signals that the daemon answers to, blocked in all threads from its making: make it before the first thread.
/// `Poco::Util::ServerApplication` waits for INT, QUIT and TERM only, and HUP would end the process.
class Signals
{
public:
    enum class Request
    {
        Stop,
        Reload
    };

    Signals();
    /// Waits for the next one. Only the main thread calls this.
    Request wait() const;
    /// Makes `wait` return Stop, from any thread.
    static void requestStop();

private:
    sigset_t _signals{};
};

} // namespace portico::host::daemon
