#pragma once

#include "host/admin/ControlCommands.h"
#include "host/admin/protocol/FileDescriptor.h"

#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

namespace portico::host::admin
{

/// Serves the control socket from its making to its end, on a few threads of its own, so that it works when nothing else does. Only root
/// and the user of the daemon are answered.
class ControlServer
{
public:
    /// Replaces a socket file that an instance left behind: the caller holds the lock of the state directory. `commands` must outlive this.
    /// @throws std::system_error
    ControlServer(std::filesystem::path path, const ControlCommands& commands);
    /// Waits for commands that run.
    ~ControlServer();
    ControlServer(const ControlServer&) = delete;
    ControlServer& operator=(const ControlServer&) = delete;

private:
    void serve();
    void converse(FileDescriptor connection);

    std::filesystem::path _path;
    const ControlCommands& _commands;
    FileDescriptor _listener;
    /// Readable once this server is to end.
    FileDescriptor _stop;
    std::vector<std::jthread> _threads;
};

} // namespace portico::host::admin
