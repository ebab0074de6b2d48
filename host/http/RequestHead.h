#pragma once

#include "host/http/Fault.h"

#include "portico/Http.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace portico::host::http
{

/// Finds the end of a request's head in bytes that arrive piece by piece, without looking at any line twice.
class HeadScanner
{
public:
    enum class Result
    {
        Incomplete,
        Complete,
        Malformed ///< A line that does not end in CR LF, or bytes that cannot begin a request.
    };

    /// @param received All bytes since the start of the head, at most grown since the last call.
    Result scan(std::string_view received) noexcept;
    /// After `Complete`: number of bytes up to and including the empty line.
    std::size_t length() const noexcept { return _lineStart; }
    /// True once the request line has ended.
    bool hasRequestLine() const noexcept { return _lineStart > _leading; }
    void reset() noexcept { *this = {}; }

private:
    std::size_t _lineStart = 0;
    std::size_t _searched = 0;
    /// Bytes of the one empty line that may stand before a request line (RFC 9112, 2.2).
    std::size_t _leading = 0;
};

struct HeadLimits
{
    std::size_t targetBytes = 8 * 1024;
    std::size_t headerCount = 100;
};

/// A request's head, checked as strictly as RFC 9112 allows. All views point into the text that was parsed.
struct RequestHead
{
    Method method = Method::Get;
    std::string_view path;
    std::string_view query;
    /// Host header or, of an absolute target, its authority; empty only in HTTP/1.0.
    std::string_view authority;
    std::vector<HeaderField> headers;
    std::optional<std::uint64_t> contentLength;
    bool chunked = false;
    bool keepAlive = true;
    bool http10 = false;
    bool expectsContinue = false;

    bool hasBody() const noexcept { return chunked || contentLength.value_or(0) > 0; }

    /// @param text A whole head, from the request line to the empty line.
    /// @return Why the request is refused, if it is. What was read up to the fault stays in place.
    std::optional<Fault> parse(std::string_view text, const HeadLimits& limits);

private:
    struct Seen
    {
        std::string_view host;
        bool hasHost = false;
        bool close = false;
        bool keepAlive = false;
        bool unknownMethod = false;
    };

    std::optional<Fault> parseRequestLine(std::string_view line, const HeadLimits& limits, Seen& seen);
    std::optional<Fault> parseVersion(std::string_view version);
    std::optional<Fault> parseField(std::string_view line, Seen& seen);
    std::optional<Fault> note(HeaderField& field, Seen& seen);
    std::optional<Fault> noteContentLength(std::string_view value);
    std::optional<Fault> noteTransferEncoding(std::string_view value);
    std::optional<Fault> settle(const Seen& seen);
};

} // namespace portico::host::http
