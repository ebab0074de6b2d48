#include "host/http/Transport.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <linux/sockios.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

namespace portico::host::http
{

namespace
{

/// What a system call's answer means; 0 bytes is the end of the stream.
Transport::Result fromCall(ssize_t result) noexcept
{
    if (result > 0) return {Transport::Status::Moved, static_cast<std::size_t>(result)};
    if (result == 0) return {Transport::Status::Ended};
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {Transport::Status::Blocked};
    return {Transport::Status::Failed};
}

template <class Call>
ssize_t uninterrupted(Call call) noexcept
{
    ssize_t result = 0;
    do result = call();
    while (result < 0 && errno == EINTR);
    return result;
}

} // namespace

Transport::Transport(FileDescriptor socket, SslPointer ssl) noexcept : _socket(std::move(socket)), _ssl(std::move(ssl)) {}

Transport::~Transport() = default;

Transport::Result Transport::fromSsl(int result, std::size_t bytes) noexcept
{
    if (result > 0) return {Status::Moved, bytes};
    switch (::SSL_get_error(_ssl.get(), result))
    {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        return {Status::Blocked};
    case SSL_ERROR_ZERO_RETURN:
        return {Status::Ended};
    default:
        // Others use the queue, too.
        ::ERR_clear_error();
        return {Status::Failed};
    }
}

/// What anybody has left in the thread's queue of errors would be taken for this call's, and end a connection that only waits.
template <class Call>
Transport::Result Transport::callSsl(Call call) noexcept
{
    ::ERR_clear_error();
    std::size_t bytes = 0;
    const int result = call(bytes);
    return fromSsl(result, bytes);
}

Transport::Result Transport::handshake() noexcept
{
    if (!_ssl) return {Status::Moved};
    return callSsl([this](std::size_t&) { return ::SSL_do_handshake(_ssl.get()); });
}

Transport::Result Transport::receive(char* buffer, std::size_t size) noexcept
{
    if (_ssl) return callSsl([&](std::size_t& bytes) { return ::SSL_read_ex(_ssl.get(), buffer, size, &bytes); });
    return fromCall(uninterrupted([&] { return ::recv(_socket.get(), buffer, size, 0); }));
}

Transport::Result Transport::send(std::string_view first, std::string_view second, bool more) noexcept
{
    if (_ssl)
    {
        const auto part = first.empty() ? second : first;
        return callSsl([&](std::size_t& bytes) { return ::SSL_write_ex(_ssl.get(), part.data(), part.size(), &bytes); });
    }
    const int flags = MSG_NOSIGNAL | (more ? MSG_MORE : 0);
    if (second.empty()) return fromCall(uninterrupted([&] { return ::send(_socket.get(), first.data(), first.size(), flags); }));
    std::array<iovec, 2> parts{iovec{const_cast<char*>(first.data()), first.size()},
                               iovec{const_cast<char*>(second.data()), second.size()}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    return fromCall(uninterrupted([&] { return ::sendmsg(_socket.get(), &message, flags); }));
}

Transport::Result Transport::sendFile(int file, std::uint64_t offset, std::uint64_t count) noexcept
{
    if (!_ssl)
    {
        auto position = static_cast<off_t>(offset);
        // One call must not keep the loop from other connections.
        const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(count, 1024 * 1024));
        return fromCall(uninterrupted([&] { return ::sendfile(_socket.get(), file, &position, wanted); }));
    }
    std::array<char, 16 * 1024> buffer;
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(count, buffer.size()));
    const auto read = uninterrupted([&] { return ::pread(file, buffer.data(), wanted, static_cast<off_t>(offset)); });
    if (read <= 0) return {read == 0 ? Status::Ended : Status::Failed};
    return send({buffer.data(), static_cast<std::size_t>(read)}, {}, false);
}

Transport::Result Transport::discard() noexcept
{
    std::array<char, 16 * 1024> buffer;
    return fromCall(uninterrupted([&] { return ::recv(_socket.get(), buffer.data(), buffer.size(), 0); }));
}

std::uint64_t Transport::acknowledged(std::uint64_t sent) const noexcept
{
    if (_ssl) sent = ::BIO_number_written(::SSL_get_wbio(_ssl.get()));
    int queued = 0;
    ::ioctl(_socket.get(), SIOCOUTQ, &queued);
    return sent - std::min(sent, static_cast<std::uint64_t>(queued));
}

void Transport::endSending() noexcept
{
    if (_ssl)
    {
        ::SSL_shutdown(_ssl.get());
        ::ERR_clear_error();
    }
    ::shutdown(_socket.get(), SHUT_WR);
}

void Transport::shutdown() noexcept { ::shutdown(_socket.get(), SHUT_RDWR); }

} // namespace portico::host::http
