#pragma once

#include "host/base/FileDescriptor.h"
#include "host/http/Transport.h"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace portico::test
{

/// A response as it came over the wire.
struct RawResponse
{
    int status = 0;
    /// The whole head, as received.
    std::string head;
    /// Header names in lower case; of repeated ones the values joined by `, `.
    std::map<std::string, std::string> headers;
    std::string body;
    /// The connection ended before the body was whole.
    bool cut = false;

    std::string header(const std::string& name) const
    {
        const auto found = headers.find(name);
        return found == headers.end() ? std::string() : found->second;
    }
    bool has(const std::string& name) const { return headers.count(name) > 0; }
};

/// A blocking HTTP client that sends exactly the bytes it is given. All waits end after a minute.
class RawClient
{
public:
    /// Connects to a port of 127.0.0.1.
    explicit RawClient(unsigned short port);
    /// Connects to a Unix socket.
    explicit RawClient(const std::string& unixPath);

    /// Speaks TLS from now on, trusting any certificate.
    void startTls();
    /// SHA-256 of the server's certificate, as hexadecimal text.
    std::string certificateFingerprint() const;

    /// False if the server took not all of it.
    bool send(std::string_view bytes);
    /// Reads one response. @param toHead The request was HEAD. Throws if the connection ends before a head is there.
    RawResponse receive(bool toHead = false);
    RawResponse request(std::string_view bytes, bool toHead = false)
    {
        send(bytes);
        return receive(toHead);
    }
    /// True if the server closes the connection without another byte.
    bool ended();
    /// Reads up to that many bytes, fewer at the end.
    std::string read(std::size_t bytes);
    /// True once something has come, or the server has closed.
    bool hasInput(std::chrono::milliseconds patience);
    void finishSending();
    /// Closes at once, with a reset.
    void reset();
    void close() { _socket.close(); }
    /// Makes the client take little at a time; before it asks for much.
    void shrinkReceiveBuffer();

private:
    bool fill();
    std::string readLine();
    void readBody(RawResponse& response);
    void readChunks(RawResponse& response);
    std::size_t take(std::string& out, std::size_t bytes);

    host::FileDescriptor _socket;
    std::unique_ptr<SSL_CTX, void (*)(SSL_CTX*)> _tls{nullptr, ::SSL_CTX_free};
    host::http::SslPointer _ssl;
    std::string _received;
};

} // namespace portico::test
