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

/// The best that Accept-Encoding allows: `br` before `gzip` at equal weight (RFC 9110, 12.5.3).
ContentCoding bestCoding(const Request& request) noexcept;

/// The coding's name in Content-Encoding.
std::string_view name(ContentCoding coding) noexcept;

/// Text of one kind or another, which shrinks.
bool isCompressible(std::string_view contentType) noexcept;

/// A whole text, compressed. Not for `Identity`, as the next. @throws std::runtime_error when there is no memory.
std::string compressed(std::string_view text, ContentCoding coding);
/// A source that compresses what another one produces. Each piece can be read by the client once it is written.
std::unique_ptr<BodySource> compressed(std::unique_ptr<BodySource> source, ContentCoding coding);

} // namespace portico::host::http
