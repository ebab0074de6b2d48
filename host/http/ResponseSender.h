#pragma once

#include "host/http/ResponsePlan.h"
#include "host/http/Transport.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace portico::host::http
{

/// Ends a chunked body (RFC 9112, 7.1).
inline constexpr std::string_view lastChunk = "0\r\n\r\n";

/// Leaves room for a chunk's size, which is written once it is known: leading zeros are allowed. @return Where the chunk's data begin.
inline std::size_t beginChunk(std::string& out)
{
    out += "00000000\r\n";
    return out.size();
}

/// Closes the chunk whose data begin at `start`; an empty chunk is removed, since it would end the body.
inline void endChunk(std::string& out, std::size_t start)
{
    auto size = out.size() - start;
    if (size == 0) return out.resize(start - 10);
    for (auto digit = start - 2; size > 0; size >>= 4) out[--digit] = "0123456789abcdef"[size & 15];
    out += "\r\n";
}

/// The server's data for the message that carries a response.
struct MessageContext
{
    /// Value of Date.
    std::string_view date;
    bool keepAlive = true;
    bool http10 = false;
    /// The body is chunked.
    bool chunked = false;
    /// Seconds of Strict-Transport-Security; 0: none.
    long long strictTransportSecurity = 0;
};

/// Sends one response as fast as the connection accepts it. Used by the loop, or by the worker that runs `produce`.
class ResponseSender
{
public:
    enum class Result
    {
        Done,
        Blocked,
        Paused,     ///< More could be sent; other connections have their turn first.
        NeedsPiece, ///< Everything was sent; `produce` must make more.
        Failed
    };

    /// An interim response ahead of the response itself.
    void addInterim(std::string_view text) { _out += text; }
    /// Writes the head. The exchange and the plan must stay until `Done` or `Failed`.
    void begin(Exchange& exchange, ResponsePlan& plan, MessageContext context);
    /// Sends what there is; `sent` grows by the bytes that the connection took. On any thread that has the connection to itself.
    Result flush(Transport& transport, std::uint64_t& sent);
    /// On a worker: asks the response's source for its next piece. A source that is done or has failed is destroyed here.
    void produce() noexcept;
    void clear();

private:
    /// Bytes that the source is asked for at once; limits the memory of a slow reader.
    static constexpr std::size_t pieceBytes = 64 * 1024;
    /// Sent at a time: a fast reader of a large file must not keep a thread to itself.
    static constexpr std::uint64_t turnBytes = 1024 * 1024;
    /// A body up to this size is copied behind its head: cheaper than a second buffer in the call.
    static constexpr std::size_t copiedBytes = 8 * 1024;

    void account(std::size_t bytes) noexcept;
    void readPiece();
    Transport::Result sendFilePart(Transport& transport);

    Exchange* _exchange = nullptr;
    ResponsePlan* _plan = nullptr;
    /// Head, small body, or the current piece; the first `_outSent` bytes are sent.
    std::string _out;
    std::size_t _outSent = 0;
    /// A larger body, as far as it is not sent.
    std::string_view _body;
    std::uint64_t _fileOffset = 0;
    std::uint64_t _fileRemaining = 0;
    std::uint64_t _produced = 0;
    bool _chunked = false;
    bool _streaming = false;
    bool _failed = false;
};

} // namespace portico::host::http
