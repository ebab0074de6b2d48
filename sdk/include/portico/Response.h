#pragma once

#include "portico/Export.h"
#include "portico/Instant.h"
#include "portico/detail/LiveBody.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace portico
{

class SetCookie;

/// A body that is produced while it is sent. The host requests one piece at a time, on a worker thread, when the connection has sent the
/// last one. A slow reader occupies memory for one piece and no thread. Destroyed before the request's lease is given back.
class PORTICO_API BodySource
{
public:
    virtual ~BodySource();
    /// Number of bytes, if known before: sent as Content-Length, else the body is chunked.
    virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
    /// Appends the next piece, about `wanted` bytes; false when the body is complete. An exception closes the connection, so that the
    /// client detects the truncated body.
    virtual bool read(std::string& out, std::size_t wanted) = 0;
};

/// A file to send: an open descriptor that the response owns. The host answers Range and conditional requests on it.
struct PORTICO_API FileBody
{
    int descriptor = -1;
    std::uint64_t size = 0;
    Instant modified{};

    FileBody() = default;
    FileBody(int openDescriptor, std::uint64_t bytes, Instant lastModified) noexcept
        : descriptor(openDescriptor), size(bytes), modified(lastModified)
    {
    }
    FileBody(FileBody&& other) noexcept;
    FileBody& operator=(FileBody&& other) noexcept;
    FileBody(const FileBody&) = delete;
    FileBody& operator=(const FileBody&) = delete;
    ~FileBody();
};

/// Response of a handler. At most one of `body`, `source`, `file` and `live` is used.
class PORTICO_API Response
{
public:
    int status = 200;
    /// Value of Content-Type; none is sent when it is empty.
    std::string contentType;
    std::string body;
    std::unique_ptr<BodySource> source;
    std::optional<FileBody> file;
    /// Set by an EventStream.
    std::unique_ptr<detail::LiveBody> live;
    /// Value of Cache-Control; empty: the host's default for the route (`no-store` on API answers).
    std::string cacheControl;
    /// Entity tag with its quotes; the host honours If-None-Match on it.
    std::string etag;

    Response();
    Response(Response&&) noexcept;
    Response& operator=(Response&&) noexcept;
    ~Response();

    /// Adds a header. @throws std::invalid_argument for a name or value that cannot be sent (RFC 9110, 5.5).
    void addHeader(std::string_view name, std::string_view value);
    /// Adds `Set-Cookie`.
    void addCookie(const SetCookie& cookie);
    /// All added headers as they are sent: `Name: value\r\n` each.
    const std::string& headerBlock() const noexcept { return _headerBlock; }
    bool hasHeader(std::string_view name) const noexcept;
    void json(int code, std::string text);
    void clear();

private:
    std::string _headerBlock;
};

} // namespace portico
