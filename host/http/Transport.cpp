#include "host/http/Transport.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <utility>

#include <Poco/Exception.h>
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

constexpr unsigned char protocols[] = "\x08http/1.1";

int selectProtocol(SSL*, const unsigned char** out, unsigned char* outLength, const unsigned char* offered, unsigned offeredLength, void*)
{
    unsigned char* selected = nullptr;
    const int result = ::SSL_select_next_proto(&selected, outLength, protocols, sizeof protocols - 1, offered, offeredLength);
    *out = selected;
    // Rejects a client that offers protocols without HTTP/1.1. A client that offers none does not get here.
    return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/// Encrypted keys: without this OpenSSL would ask on the terminal.
int noPassphrase(char*, int, int, void*) { return 0; }

void checkTls(int result, const char* what, const std::string& file)
{
    if (result == 1) return;
    ::ERR_clear_error();
    throw std::runtime_error(std::string("TLS: ") + what + " " + file +
                             ": not usable; expected a readable PEM file, unencrypted, of a certificate chain and its own private key");
}

Poco::AutoPtr<Poco::Net::Context> makeContext(const TlsSettings& settings)
{
    using Poco::Net::Context;
    Context::Params parameters;
    parameters.verificationMode = Context::VERIFY_NONE;
    // TLS 1.2 with forward secrecy and authenticated encryption only; TLS 1.3 has nothing else.
    parameters.cipherList = "ECDHE+AESGCM:ECDHE+CHACHA20";
    Poco::AutoPtr<Context> context(new Context(Context::TLS_SERVER_USE, parameters));
    context->requireMinimumProtocol(Context::PROTO_TLSV1_2);
    SSL_CTX* ssl = context->sslContext();
    ::SSL_CTX_set_default_passwd_cb(ssl, noPassphrase);
    checkTls(::SSL_CTX_use_certificate_chain_file(ssl, settings.certificateChainFile.c_str()), "certificate",
             settings.certificateChainFile);
    checkTls(::SSL_CTX_use_PrivateKey_file(ssl, settings.privateKeyFile.c_str(), SSL_FILETYPE_PEM), "private key", settings.privateKeyFile);
    checkTls(::SSL_CTX_check_private_key(ssl), "private key", settings.privateKeyFile);
    ::SSL_CTX_set_alpn_select_cb(ssl, selectProtocol, nullptr);
    // Non-blocking writes may be repeated from another buffer; idle sessions give their buffers back.
    ::SSL_CTX_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    ::SSL_CTX_set_options(ssl, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    return context;
}

/// Result of a system call; 0 bytes is the end of the stream.
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

TlsContext::TlsContext(TlsSettings settings) : _settings(std::move(settings)) { reload(); }

void TlsContext::reload()
try
{
    auto fresh = makeContext(_settings);
    const std::lock_guard lock(_mutex);
    _context = fresh;
}
catch (const Poco::Exception& error)
{
    throw std::runtime_error("TLS: " + error.displayText());
}

SslPointer TlsContext::accept(int descriptor) const noexcept
{
    const std::lock_guard lock(_mutex);
    SslPointer ssl(::SSL_new(_context->sslContext()));
    if (!ssl || ::SSL_set_fd(ssl.get(), descriptor) != 1) return nullptr;
    ::SSL_set_accept_state(ssl.get());
    return ssl;
}

void blockPipeSignal() noexcept
{
    sigset_t pipe;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
}

Transport::Transport(FileDescriptor socket, SslPointer ssl) noexcept : _socket(std::move(socket)), _ssl(std::move(ssl)) {}

Transport::~Transport() = default;

/// Clears the thread's error queue first. A leftover error would be attributed to this call and end a connection that only waits.
template <class Call>
Transport::Result Transport::callSsl(Call call) noexcept
{
    ::ERR_clear_error();
    std::size_t bytes = 0;
    const int result = call(bytes);
    if (result > 0) return {Status::Moved, bytes};
    switch (::SSL_get_error(_ssl.get(), result))
    {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        return {Status::Blocked};
    case SSL_ERROR_ZERO_RETURN:
        return {Status::Ended};
    default:
        // Other code uses the queue, too.
        ::ERR_clear_error();
        return {Status::Failed};
    }
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
