#include "host/control/ControlSocket.h"

#include <array>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <sys/socket.h>
#include <system_error>

namespace portico::host::control
{

std::optional<std::string> LineChannel::read()
{
    for (std::size_t searched = 0;;)
    {
        if (const auto end = _buffer.find('\n', searched); end != std::string::npos)
        {
            auto line = _buffer.substr(0, end);
            _buffer.erase(0, end + 1);
            return line;
        }
        if (_buffer.size() > maxLine) throw std::length_error("The line on the control socket is too long");
        searched = _buffer.size();
        std::array<char, 65536> chunk;
        const auto got = ::recv(_socket.get(), chunk.data(), chunk.size(), 0);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw std::system_error(errno, std::generic_category(), "Cannot read from the control socket");
        if (got == 0) return std::nullopt;
        _buffer.append(chunk.data(), static_cast<std::size_t>(got));
    }
}

void LineChannel::write(std::string_view line)
{
    std::string text(line);
    text.push_back('\n');
    for (std::size_t sent = 0; sent < text.size();)
    {
        const auto count = ::send(_socket.get(), text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) throw std::system_error(errno, std::generic_category(), "Cannot write to the control socket");
        sent += static_cast<std::size_t>(count);
    }
}

} // namespace portico::host::control
