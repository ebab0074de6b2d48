#pragma once

#include "host/base/FileDescriptor.h"
#include "host/control/Refused.h"

#include <boost/json/object.hpp>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>

namespace portico::host::ctl
{

/// No daemon answers on the control socket: exit code 3.
class Unreachable : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/// The daemon refused or could not do it, or porticoctl itself: exit code 1.
using control::Refused;

/// Asks the daemon.
class Client
{
public:
    explicit Client(std::filesystem::path socket) : _socket(std::move(socket)) {}
    /// Uses the packaged socket if it exists, else that of the state directory `./.portico`. There it only accepts a daemon of the same
    /// user, since another user's process could collect root's passwords.
    static Client byDefault();
    /// Waits until the command is done, however long that takes. @throws Unreachable, Refused
    boost::json::value call(std::string_view command, boost::json::object arguments = {}) const;
    /// Returns user and group of the daemon, as reported by the kernel. @throws Unreachable
    std::pair<uid_t, gid_t> daemonUser() const;

private:
    struct Connection
    {
        FileDescriptor socket;
        uid_t user = 0;
        gid_t group = 0;
    };
    Connection connect() const;

    std::filesystem::path _socket;
    bool _ownOnly = false;
};

} // namespace portico::host::ctl
