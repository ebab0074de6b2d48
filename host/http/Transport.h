#pragma once

#include "host/base/FileDescriptor.h"
#include "host/http/ServerSettings.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>

#include <Poco/AutoPtr.h>
#include <Poco/Net/Context.h>
#include <openssl/ssl.h>

namespace portico::host::http
{

struct SslDeleter
{
    void operator()(SSL* ssl) const noexcept { ::SSL_free(ssl); }
};
using SslPointer = std::unique_ptr<SSL, SslDeleter>;

/// The certificate of a listener: TLS 1.2 or later, ALPN `http/1.1`. Thread-safe.
class TlsContext
{
public:
    /// @throws std::runtime_error that names the file, for a certificate or key that cannot be used.
    explicit TlsContext(TlsSettings settings);

    /// Reads the files again. Connections that are open keep the certificate they began with; if this throws, so do new ones.
    void reload();
    /// A new session for an accepted socket, which stays the caller's. Null when there is no memory.
    SslPointer accept(int descriptor) const noexcept;

private:
    const TlsSettings _settings;
    mutable std::mutex _mutex;
    Poco::AutoPtr<Poco::Net::Context> _context;
};

/// For each thread that uses a `Transport`: OpenSSL and sendfile raise SIGPIPE.
void blockPipeSignal() noexcept;

/// A connected, non-blocking socket, plain or under TLS. One thread, which has called `blockPipeSignal`.
class Transport
{
public:
    enum class Status
    {
        Moved,   ///< `bytes` were moved.
        Blocked, ///< Nothing moves until the next event.
        Ended,   ///< The peer sends nothing more.
        Failed
    };
    struct Result
    {
        Status status;
        std::size_t bytes = 0;
    };

    Transport(FileDescriptor socket, SslPointer ssl) noexcept;
    Transport(Transport&&) noexcept = default;
    ~Transport();

    int descriptor() const noexcept { return _socket.get(); }
    bool secure() const noexcept { return _ssl != nullptr; }

    /// `Moved` once the handshake is done; at once without TLS.
    Result handshake() noexcept;
    Result receive(char* buffer, std::size_t size) noexcept;
    /// Sends from the front of `first`, then of `second`. @param more More follows at once: hold back a short segment.
    Result send(std::string_view first, std::string_view second, bool more) noexcept;
    /// Sends from a file: without copying, if the connection is plain.
    Result sendFile(int file, std::uint64_t offset, std::uint64_t count) noexcept;
    /// How much the peer's side has acknowledged of what was sent. @param sent All bytes that `send` and `sendFile` have moved.
    std::uint64_t acknowledged(std::uint64_t sent) const noexcept;
    /// Reads and drops raw bytes after `endSending`.
    Result discard() noexcept;
    /// Sends the end of the stream to the peer.
    void endSending() noexcept;
    /// The connection ends both ways, at once; blocked peers notice.
    void shutdown() noexcept;

private:
    template <class Call>
    Result callSsl(Call call) noexcept;

    FileDescriptor _socket;
    SslPointer _ssl;
};

} // namespace portico::host::http
