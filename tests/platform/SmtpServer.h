#pragma once

#include "host/platform/mail/MailTransport.h"

#include <Poco/Net/ServerSocket.h>
#include <Poco/Net/StreamSocket.h>

#include <array>
#include <future>
#include <map>
#include <string>
#include <utility>

namespace portico::tests
{

/// Speaks to one client: a set answer by command, 250 to the others.
class SmtpServer
{
public:
    using Answers = std::map<std::string, std::string>;

    /// @param resets resets the connection after the answer to a message
    explicit SmtpServer(Answers answers, bool resets = false)
        : _socket(Poco::Net::SocketAddress("127.0.0.1", 0)),
          _answers(std::move(answers)),
          _resets(resets),
          _dialog(std::async(std::launch::async, [this] { return serve(); }))
    {
    }
    host::platform::MailSettings settings() const
    {
        host::platform::MailSettings settings;
        settings.server = "127.0.0.1";
        settings.port = _socket.address().port();
        settings.security = host::platform::MailSecurity::None;
        return settings;
    }
    /// All that the client sent, once it has gone.
    std::string dialog() { return _dialog.get(); }
    /// The message of such a dialog, as RFC 5321 4.5.2 has the receiver read it.
    static std::string messageIn(const std::string& dialog)
    {
        const auto begin = dialog.find("DATA\r\n") + 6;
        auto message = dialog.substr(begin, dialog.find("\r\n.\r\n", begin) + 2 - begin);
        for (auto at = message.find("\r\n.."); at != std::string::npos; at = message.find("\r\n..", at + 3)) message.erase(at + 2, 1);
        return message;
    }

private:
    std::string serve()
    {
        auto connection = _socket.acceptConnection();
        std::string received;
        std::string pending;
        bool inData = false;
        reply(connection, "220 sink");
        std::array<char, 4'096> buffer{};
        for (int size = connection.receiveBytes(buffer.data(), buffer.size()); size > 0;
             size = connection.receiveBytes(buffer.data(), buffer.size()))
        {
            received.append(buffer.data(), static_cast<std::size_t>(size));
            pending.append(buffer.data(), static_cast<std::size_t>(size));
            for (auto end = pending.find("\r\n"); end != std::string::npos; end = pending.find("\r\n"))
            {
                const auto line = pending.substr(0, end);
                pending.erase(0, end + 2);
                if (inData && line != ".") continue;
                const bool isMessageEnd = inData;
                inData = line == "DATA";
                reply(connection, inData ? "354 continue" : answerTo(line));
                if (!isMessageEnd || !_resets) continue;
                connection.setLinger(true, 0);
                connection.close();
                return received;
            }
        }
        return received;
    }
    std::string answerTo(const std::string& line) const
    {
        const auto found = _answers.find(line.substr(0, 4));
        if (found != _answers.end()) return found->second;
        if (line.starts_with("AUTH")) return "235 welcome";
        if (line.starts_with("STARTTLS")) return "502 what";
        return "250 fine";
    }
    static void reply(Poco::Net::StreamSocket& connection, const std::string& text)
    {
        const auto line = text + "\r\n";
        connection.sendBytes(line.data(), static_cast<int>(line.size()));
    }

    Poco::Net::ServerSocket _socket;
    const Answers _answers;
    const bool _resets;
    std::future<std::string> _dialog;
};

} // namespace portico::tests
