#pragma once

#include "host/control/Refused.h"

#include <boost/json.hpp>

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace portico::host::admin
{

namespace json = boost::json;

/// The process at the other end of the control socket, as reported by the kernel.
struct Peer
{
    uid_t user = 0;
    pid_t process = 0;
    /// `anna (uid 1000, pid 4711)`, for the log and for operations.
    std::string text;
};

using control::Refused;

/// One request: `{"command":"reload","arguments":{"services":["crm"]}}`.
struct ControlRequest
{
    std::string command;
    boost::json::object arguments;
    Peer peer;

    /// A member of the arguments. @throws Refused `invalid_request` if it has another type
    std::string text(std::string_view name, std::string_view otherwise = {}) const;
    bool flag(std::string_view name) const;
    std::int64_t number(std::string_view name, std::int64_t otherwise) const;
    std::vector<std::string> texts(std::string_view name) const;
};

/// The commands of the control socket. Filled before the socket opens, then called concurrently on many threads.
class ControlCommands
{
public:
    using Handler = std::function<boost::json::value(const ControlRequest&)>;

    void add(std::string name, Handler handler) { _handlers.insert_or_assign(std::move(name), std::move(handler)); }
    /// One line of the protocol to the line that answers it:
    /// `{"ok":true,"result":…}` or `{"ok":false,"error":{"code":…,"message":…},"result":…}`.
    std::string answer(std::string_view line, const Peer& peer) const noexcept;
    /// The command of such a line; empty if it has none.
    static std::string commandOf(std::string_view line);

private:
    boost::json::value run(std::string_view line, const Peer& peer) const;

    std::map<std::string, Handler, std::less<>> _handlers;
};

} // namespace portico::host::admin
