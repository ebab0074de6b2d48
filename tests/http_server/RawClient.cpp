#include "http_server/RawClient.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/x509.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

namespace portico::test
{

namespace
{

host::FileDescriptor connected(int family, const sockaddr* address, socklen_t length)
{
    host::FileDescriptor socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval patience{60, 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (::connect(socket.get(), address, length) != 0) throw std::runtime_error("the client cannot connect");
    return socket;
}

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

} // namespace

RawClient::RawClient(unsigned short port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    _socket = connected(AF_INET, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    const int on = 1;
    ::setsockopt(_socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

RawClient::RawClient(const std::string& unixPath)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    unixPath.copy(address.sun_path, sizeof address.sun_path - 1);
    _socket = connected(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

void RawClient::startTls()
{
    _tls.reset(::SSL_CTX_new(::TLS_client_method()));
    _ssl.reset(::SSL_new(_tls.get()));
    ::SSL_set_fd(_ssl.get(), _socket.get());
    const unsigned char protocols[] = "\x08http/1.1";
    ::SSL_set_alpn_protos(_ssl.get(), protocols, sizeof protocols - 1);
    if (::SSL_connect(_ssl.get()) != 1) throw std::runtime_error("the TLS handshake failed");
}

std::string RawClient::certificateFingerprint() const
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned length = 0;
    const std::unique_ptr<X509, void (*)(X509*)> certificate(::SSL_get1_peer_certificate(_ssl.get()), ::X509_free);
    ::X509_digest(certificate.get(), ::EVP_sha256(), digest.data(), &length);
    return {reinterpret_cast<const char*>(digest.data()), length};
}

bool RawClient::send(std::string_view bytes)
{
    while (!bytes.empty())
    {
        const auto sent = _ssl ? ::SSL_write(_ssl.get(), bytes.data(), static_cast<int>(bytes.size()))
                               : ::send(_socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        // A server that has refused may have closed already; what it answered is there to be read.
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

bool RawClient::hasInput(std::chrono::milliseconds patience)
{
    pollfd poll{_socket.get(), POLLIN, 0};
    return !_received.empty() || ::poll(&poll, 1, static_cast<int>(patience.count())) > 0;
}

bool RawClient::fill()
{
    std::array<char, 16384> buffer;
    const auto count = _ssl ? ::SSL_read(_ssl.get(), buffer.data(), static_cast<int>(buffer.size()))
                            : ::recv(_socket.get(), buffer.data(), buffer.size(), 0);
    if (count < 0 && !_ssl && (errno == EAGAIN || errno == EWOULDBLOCK)) throw std::runtime_error("the server neither answers nor closes");
    if (count <= 0) return false;
    _received.append(buffer.data(), static_cast<std::size_t>(count));
    return true;
}

std::string RawClient::readLine()
{
    std::size_t end = 0;
    while ((end = _received.find("\r\n")) == std::string::npos)
        if (!fill()) throw std::runtime_error("the connection ended within a response");
    auto line = _received.substr(0, end);
    _received.erase(0, end + 2);
    return line;
}

RawResponse RawClient::receive(bool toHead)
{
    RawResponse response;
    const auto statusLine = readLine();
    if (statusLine.rfind("HTTP/1.1 ", 0) != 0) throw std::runtime_error("not a status line: " + statusLine);
    response.status = std::atoi(statusLine.c_str() + 9);
    response.head = statusLine + "\r\n";
    for (auto line = readLine(); !line.empty(); line = readLine())
    {
        response.head += line + "\r\n";
        const auto colon = line.find(": ");
        auto& value = response.headers[lower(line.substr(0, colon))];
        value += (value.empty() ? "" : ", ") + line.substr(colon + 2);
    }
    const bool bodiless = toHead || response.status == 204 || response.status == 304 || response.status < 200;
    if (!bodiless) readBody(response);
    return response;
}

std::size_t RawClient::take(std::string& out, std::size_t bytes)
{
    while (_received.size() < bytes && fill()) {}
    const auto count = std::min(bytes, _received.size());
    out.append(_received, 0, count);
    _received.erase(0, count);
    return count;
}

void RawClient::readBody(RawResponse& response)
{
    if (response.header("transfer-encoding") == "chunked") return readChunks(response);
    if (!response.has("content-length"))
    {
        while (fill()) {}
        response.body = std::exchange(_received, {});
        return;
    }
    const auto length = std::stoull(response.header("content-length"));
    response.cut = take(response.body, length) < length;
}

void RawClient::readChunks(RawResponse& response)
try
{
    while (true)
    {
        const auto size = std::stoull(readLine(), nullptr, 16);
        if (take(response.body, size) < size) throw std::runtime_error("cut");
        if (!readLine().empty()) throw std::runtime_error("a chunk is longer than it says");
        if (size == 0) return;
    }
}
catch (const std::runtime_error&)
{
    response.cut = true;
}

bool RawClient::ended() { return _received.empty() && !fill(); }

std::string RawClient::read(std::size_t bytes)
{
    std::string out;
    take(out, bytes);
    return out;
}

void RawClient::finishSending() { ::shutdown(_socket.get(), SHUT_WR); }

void RawClient::reset()
{
    const linger hard{1, 0};
    ::setsockopt(_socket.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    _socket.close();
}

void RawClient::shrinkReceiveBuffer()
{
    const int bytes = 64 * 1024;
    ::setsockopt(_socket.get(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

} // namespace portico::test
