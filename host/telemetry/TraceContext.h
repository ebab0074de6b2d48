#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace portico::host::telemetry
{

using TraceId = std::array<unsigned char, 16>;
using SpanId = std::array<unsigned char, 8>;

/// Where in which trace something happens: what `traceparent` and `tracestate` of W3C Trace Context carry. A value.
struct TraceContext
{
    TraceId traceId{};
    SpanId spanId{};
    /// The trace is recorded.
    bool sampled = false;
    /// Values of other vendors, passed on unchanged; lives as long as the request with them.
    std::string_view state;

    friend bool operator==(const TraceContext&, const TraceContext&) = default;
};

/// Exactly as the recommendation says: lower-case digits, no zero ids, version 00 with nothing behind it, later versions by their first
/// four fields. Nothing for everything else.
std::optional<TraceContext> parseTraceparent(std::string_view text) noexcept;
/// 55 characters.
std::string toTraceparent(const TraceContext& context);
/// At most 32 members and 512 characters, each `key=value` with characters that the recommendation allows, no key twice.
bool isTracestate(std::string_view text) noexcept;

/// Formats the id of a trace or a span.
std::string toHex(std::span<const unsigned char> id);
bool isZero(const SpanId& id) noexcept;

} // namespace portico::host::telemetry
