#include "host/ctl/Client.h"

#include "host/base/UnixSocket.h"
#include "host/control/ControlSocket.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <cerrno>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace portico::host::ctl
{

namespace json = boost::json;

namespace
{

constexpr const char* packagedSocket = "/run/portico/control.sock";

std::string reason(const std::system_error& error, const std::filesystem::path& socket)
{
    if (error.code() == std::errc::no_such_file_or_directory)
        return "Cannot connect to the daemon: the socket " + socket.string() +
               " does not exist. Is porticod running? Use --socket for another path.";
    if (error.code() == std::errc::connection_refused)
        return "No daemon at " + socket.string() + ": the one that made this socket has ended.";
    if (error.code() == std::errc::permission_denied)
        return "No access to " + socket.string() + ": only root and the user of the daemon may use it (try sudo).";
    return error.what();
}

void ask(control::LineChannel& channel, const std::string& request)
{
    try
    {
        channel.write(request);
    }
    catch (const std::system_error& error)
    {
        // A daemon that refuses without reading has written why.
        if (error.code() != std::errc::broken_pipe && error.code() != std::errc::connection_reset) throw;
    }
}

json::value unpack(const std::string& line)
{
    json::error_code error;
    auto answer = json::parse(line, error);
    auto* object = error ? nullptr : answer.if_object();
    const auto* ok = object ? object->if_contains("ok") : nullptr;
    if (!ok || !ok->is_bool()) throw Unreachable("What answers on the control socket is no Portico daemon.");
    auto result = object->contains("result") ? std::move(object->at("result")) : json::value{};
    if (ok->get_bool()) return result;
    const auto& fault = object->at("error").as_object();
    throw Refused(std::string(fault.at("code").as_string()), std::string(fault.at("message").as_string()), std::move(result));
}

} // namespace

Client Client::byDefault()
{
    std::error_code ignored;
    if (std::filesystem::exists(packagedSocket, ignored)) return Client(packagedSocket);
    Client client("./.portico/control.sock");
    client._ownOnly = true;
    return client;
}

Client::Connection Client::connect() const
{
    auto socket = connectUnix(_socket);
    ucred credentials{};
    socklen_t size = sizeof credentials;
    if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0)
        throw std::system_error(errno, std::generic_category(), "Cannot tell whose the control socket is");
    if (_ownOnly && credentials.uid != ::geteuid())
        throw Unreachable("What answers at " + _socket.string() + " is of another user (uid " + std::to_string(credentials.uid) +
                          "): it is not asked unless --socket names it.");
    return {std::move(socket), credentials.uid, credentials.gid};
}

json::value Client::call(std::string_view command, json::object arguments) const
try
{
    control::LineChannel channel(connect().socket);
    ask(channel, json::serialize(json::object{{"command", command}, {"arguments", std::move(arguments)}}));
    const auto line = channel.read();
    if (!line) throw Unreachable("The daemon ended without an answer; its log says why.");
    return unpack(*line);
}
catch (const std::system_error& error)
{
    throw Unreachable(reason(error, _socket));
}

std::pair<uid_t, gid_t> Client::daemonUser() const
try
{
    const auto connection = connect();
    return {connection.user, connection.group};
}
catch (const std::system_error& error)
{
    throw Unreachable(reason(error, _socket));
}

} // namespace portico::host::ctl
