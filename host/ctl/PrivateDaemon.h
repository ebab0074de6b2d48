#pragma once

#include "host/ctl/Client.h"

#include <filesystem>
#include <sys/types.h>

namespace portico::host::ctl
{

/// A daemon that porticoctl starts for one question and stops afterwards. Its state is a new folder below the temporary directory, its
/// database SQLite, and it listens on a free port of 127.0.0.1.
class PrivateDaemon
{
public:
    /// Returns once the daemon serves. @throws Refused `daemon_missing` where porticod is not beside porticoctl, and `daemon_failed` with
    /// the end of the daemon's log
    explicit PrivateDaemon(const std::filesystem::path& configuration);
    ~PrivateDaemon();
    PrivateDaemon(const PrivateDaemon&) = delete;
    PrivateDaemon& operator=(const PrivateDaemon&) = delete;

    Client client() const { return Client(_state / "control.sock"); }

private:
    void start(const std::filesystem::path& program, const std::filesystem::path& configuration);
    void waitUntilServing();
    bool ended();
    void stop() noexcept;
    std::string endOfLog() const;

    std::filesystem::path _state;
    pid_t _process = -1;
};

} // namespace portico::host::ctl
