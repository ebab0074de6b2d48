#pragma once

#include <string_view>

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

} // namespace portico::host::http
