#pragma once

#include <string>
#include <string_view>

namespace portico::host::platform
{

/// Raw bytes.
std::string hmacSha256(std::string_view key, std::string_view text);
/// Standard alphabet, with padding.
std::string toBase64(std::string_view bytes);
/// Empty for what is not base 64 (standard alphabet; padding may be missing).
std::string fromBase64(std::string_view text);
/// `byteCount` bytes of the system's random source, as hexadecimal digits.
std::string randomHex(std::size_t byteCount);

} // namespace portico::host::platform
