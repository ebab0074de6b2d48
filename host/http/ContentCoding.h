#pragma once

#include "portico/Request.h"
#include "portico/Response.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace portico::host::http
{

enum class ContentCoding : std::uint8_t
{
    Identity,
    Gzip,
    Brotli
};

/// Codings that Accept-Encoding allows, best first: `br` before `gzip` at equal weight (RFC 9110, 12.5.3).
struct AcceptedCodings
{
    /// In thousandths; 0: not acceptable.
    int gzip = 0;
    int brotli = 0;

    explicit AcceptedCodings(const Request& request);
    ContentCoding best() const noexcept;
};

/// The coding's name in Content-Encoding.
std::string_view name(ContentCoding coding) noexcept;

/// Text of one kind or another, which shrinks.
bool isCompressible(std::string_view contentType) noexcept;

/// A whole text, compressed. Not for `Identity`, as the next. @throws std::runtime_error when there is no memory.
std::string compressed(std::string_view text, ContentCoding coding);
/// A source that compresses what another one produces. Each piece can be read by the client once it is written.
std::unique_ptr<BodySource> compressed(std::unique_ptr<BodySource> source, ContentCoding coding);

} // namespace portico::host::http
