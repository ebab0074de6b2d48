#pragma once

#include "portico/Http.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::http
{

/// Why the server itself refuses a request: what it hands to `Application::refuse`. The texts are literals.
struct Fault
{
    int status = 400;
    std::string_view code;
    std::string_view detail;

    /// A message whose framing or syntax cannot be trusted (RFC 9112): nothing that follows on the connection may be read as a request.
    static constexpr Fault malformed(std::string_view detail) noexcept { return {400, "malformed_request", detail}; }
    static constexpr Fault headTooLarge(std::string_view detail) noexcept { return {431, "headers_too_large", detail}; }

    static constexpr Fault targetTooLong() noexcept { return {414, "target_too_long", "The request target is too long."}; }
    static constexpr Fault bodyTooLarge() noexcept { return {413, "payload_too_large", "The body is larger than this route takes."}; }
    static constexpr Fault timeout() noexcept { return {408, "request_timeout", "The request did not arrive in time."}; }
    static constexpr Fault expectation() noexcept { return {417, "expectation_failed", "Only Expect: 100-continue is understood."}; }
    static constexpr Fault method() noexcept { return {501, "method_not_implemented", "This method is not served."}; }
    static constexpr Fault version() noexcept { return {505, "http_version_not_supported", "Only HTTP/1.1 and HTTP/1.0 are served."}; }
    static constexpr Fault overloaded() noexcept { return {503, "overloaded", "The server is busy."}; }
    static constexpr Fault bodiesTooMany() noexcept
    {
        return {503, "overloaded", "The server holds as many request bodies as it may; try again."};
    }
    static constexpr Fault internal() noexcept { return {500, "internal", {}}; }
    static constexpr Fault range() noexcept { return {416, "range_not_satisfiable", "The range lies outside the file."}; }
};

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
    /// True once a part of a head was scanned.
    bool started() const noexcept { return _searched > 0; }
    /// True once the request line has ended.
    bool hasRequestLine() const noexcept { return _lineStart > _leading; }
    void reset() noexcept { *this = {}; }

private:
    std::size_t _lineStart = 0;
    std::size_t _searched = 0;
    /// Bytes of the one empty line that may precede a request line (RFC 9112, 2.2).
    std::size_t _leading = 0;
};

/// A request's head, checked as strictly as RFC 9112 allows; parsed once. All views point into the text that was parsed.
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

    /// @param text A whole head, from the request line to the empty line. @param targetBytes Largest target. @param headerCount Most
    /// headers.
    /// @return Why the request is refused, if it is. What was read up to the fault stays in place.
    std::optional<Fault> parse(std::string_view text, std::size_t targetBytes, std::size_t headerCount);

private:
    struct Seen
    {
        std::string_view host;
        bool hasHost = false;
        bool close = false;
        bool keepAlive = false;
        bool unknownMethod = false;
    };

    std::optional<Fault> parseRequestLine(std::string_view line, std::size_t targetBytes, Seen& seen);
    std::optional<Fault> parseVersion(std::string_view version);
    std::optional<Fault> parseField(std::string_view line, Seen& seen);
    std::optional<Fault> note(HeaderField& field, Seen& seen);
    std::optional<Fault> noteContentLength(std::string_view value);
    std::optional<Fault> noteTransferEncoding(std::string_view value);
    std::optional<Fault> settle(const Seen& seen);
};

/// True for a host name, an IPv4 address or a bracketed IPv6 address, with an optional port.
bool isAuthority(std::string_view text) noexcept;

/// Writes the authority in lower case, without a port that is the scheme's default and without a final dot of the name.
void normalizeAuthority(std::string_view authority, bool secure, std::string& out);

} // namespace portico::host::http
