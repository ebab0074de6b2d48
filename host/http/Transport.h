#pragma once

#include "host/base/FileDescriptor.h"
#include "host/http/TlsContext.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace portico::host::http
{

/// A connected, non-blocking socket, plain or under TLS. One thread. The thread must have SIGPIPE blocked: OpenSSL and sendfile raise it.
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
    /// Tells the peer that nothing more comes.
    void endSending() noexcept;
    /// The connection ends both ways, at once; blocked peers notice.
    void shutdown() noexcept;

private:
    template <class Call>
    Result callSsl(Call call) noexcept;
    Result fromSsl(int result, std::size_t bytes) noexcept;

    FileDescriptor _socket;
    SslPointer _ssl;
};

} // namespace portico::host::http
