#pragma once

#include "host/http/Application.h"
#include "host/http/ServerSettings.h"

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

namespace portico::host::http
{

/// `Sat, 21 Nov 2026 09:00:00 GMT` (RFC 9110, 5.6.7).
std::string formatHttpDate(std::time_t seconds);

/// Form of a response on the wire, after conditional requests, ranges and compression.
class ResponsePlan
{
public:
    enum class Body : std::uint8_t
    {
        None, ///< HEAD, 204, 304: headers alone.
        Memory,
        Source,
        File,
        Live ///< Bytes that arrive over time; never compressed.
    };

    Body body = Body::None;
    /// Value of Content-Length; none: chunked, or up to the end of the connection.
    std::optional<std::uint64_t> length;
    /// Where the part of the file begins that is sent.
    std::uint64_t fileOffset = 0;
    /// Header lines that the plan adds.
    std::string headers;
    /// The entity tag is sent as a weak one: the bytes differ from those that the application tagged.
    bool weakTag = false;

    void clear();
    /// Decides, and changes status and body of the response where that is the answer (304, 206, 416). May compress.
    /// @param onLoop The loop waits for this: leave large bodies as they are.
    void make(Exchange& exchange, const ServerSettings& settings, Application& application, bool onLoop);
    /// The response's body as it is, with nothing decided.
    void makePlain(const Exchange& exchange);

private:
    void makeFile(Exchange& exchange, Application& application);
    void makeUnsatisfiable(Exchange& exchange, Application& application);
    void makeText(Exchange& exchange, const ServerSettings& settings, bool onLoop);
    void compress(Exchange& exchange, bool onLoop);
};

} // namespace portico::host::http
