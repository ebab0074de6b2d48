#include "CallbackListener.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace portico::mobiletool
{

namespace
{

constexpr std::size_t longestRequest = 16 * 1024;
constexpr int requestMs = 5000;

bool isReadable(int socket, std::chrono::milliseconds longest)
{
    pollfd wanted{socket, POLLIN, 0};
    return ::poll(&wanted, 1, static_cast<int>(std::max<std::int64_t>(0, longest.count()))) > 0;
}

/// Reads a request up to its empty line. Empty: it is too long, slow or cut.
std::string readHead(int connection)
{
    std::string head;
    char part[2048];
    while (head.size() < longestRequest && head.find("\r\n\r\n") == std::string::npos)
    {
        if (!isReadable(connection, std::chrono::milliseconds(requestMs))) return {};
        const auto count = ::recv(connection, part, sizeof part, 0);
        if (count <= 0) return {};
        head.append(part, static_cast<std::size_t>(count));
    }
    return head.find("\r\n\r\n") == std::string::npos ? std::string() : head;
}

/// The target of a GET; empty for anything else.
std::string targetOf(const std::string& head)
{
    constexpr std::string_view get = "GET ";
    const auto end = head.find(' ', get.size());
    return head.starts_with(get) && end != std::string::npos ? head.substr(get.size(), end - get.size()) : std::string();
}

void answer(int connection, const char* status, const std::string& text)
{
    const auto page = "<!doctype html><meta charset=utf-8><title>Portico</title><p>" + text + "</p>";
    const auto response = std::string("HTTP/1.1 ") + status +
                          "\r\nContent-Type: text/html; charset=utf-8\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n"
                          "Content-Security-Policy: default-src 'none'\r\nConnection: close\r\nContent-Length: " +
                          std::to_string(page.size()) + "\r\n\r\n" + page;
    for (std::size_t sent = 0; sent < response.size();)
    {
        const auto count = ::send(connection, response.data() + sent, response.size() - sent, MSG_NOSIGNAL);
        if (count <= 0) return;
        sent += static_cast<std::size_t>(count);
    }
    ::shutdown(connection, SHUT_WR);
}

} // namespace

CallbackListener::CallbackListener(int port) : _socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int reuse = 1;
    socklen_t size = sizeof address;
    if (_socket < 0 || ::setsockopt(_socket, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse) != 0 ||
        ::bind(_socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 || ::listen(_socket, 8) != 0 ||
        ::getsockname(_socket, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    {
        const std::string why = std::strerror(errno);
        if (_socket >= 0) ::close(_socket);
        throw std::runtime_error("Cannot listen on port " + std::to_string(port) + " of 127.0.0.1: " + why +
                                 ". Choose another with --port.");
    }
    _port = ntohs(address.sin_port);
}

CallbackListener::~CallbackListener() { ::close(_socket); }

std::string CallbackListener::redirectUri() const { return "http://127.0.0.1:" + std::to_string(_port) + "/callback"; }

CallbackListener::Verdict CallbackListener::wait(std::chrono::seconds longest, const std::function<Verdict(const std::string& url)>& finish)
{
    const auto end = std::chrono::steady_clock::now() + longest;
    const auto left = [&] { return std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()); };
    while (left().count() > 0)
    {
        if (!isReadable(_socket, left())) continue;
        const int connection = ::accept4(_socket, nullptr, nullptr, SOCK_CLOEXEC);
        if (connection < 0) continue;
        const auto target = targetOf(readHead(connection));
        auto verdict = Verdict::Foreign;
        if (!target.starts_with("/callback?"))
            answer(connection, "404 Not Found", "There is nothing here.");
        else
        {
            verdict = finish(redirectUri() + target.substr(std::string_view("/callback").size()));
            if (verdict == Verdict::Done)
                answer(connection, "200 OK", "You are signed in. You can close this page.");
            else
                answer(connection, "400 Bad Request", "The sign-in failed. Read the message of portico-mobile.");
        }
        ::close(connection);
        if (verdict != Verdict::Foreign) return verdict;
    }
    return Verdict::Foreign;
}

} // namespace portico::mobiletool
