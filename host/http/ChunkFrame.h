#pragma once

#include <cstddef>
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

/// Closes the chunk whose data begin at `start`; one without data is taken back, as it would end the body.
inline void endChunk(std::string& out, std::size_t start)
{
    auto size = out.size() - start;
    if (size == 0) return out.resize(start - 10);
    for (auto digit = start - 2; size > 0; size >>= 4) out[--digit] = "0123456789abcdef"[size & 15];
    out += "\r\n";
}

} // namespace portico::host::http
