#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace portico::host::platform
{

/// SHA-256 of data that comes in pieces.
class Sha256
{
public:
    Sha256();
    void update(std::span<const char> data);
    /// Lower-case hexadecimal; ends the computation.
    std::string hex();

private:
    struct Free
    {
        void operator()(evp_md_ctx_st* context) const noexcept;
    };
    std::unique_ptr<evp_md_ctx_st, Free> _context;
};

std::string sha256Hex(std::string_view text);
/// Raw bytes.
std::string hmacSha256(std::string_view key, std::string_view text);
/// Standard alphabet, with padding.
std::string toBase64(std::string_view bytes);
/// Empty for what is not base 64 (standard alphabet; padding may be missing).
std::string fromBase64(std::string_view text);
/// `byteCount` bytes of the system's random source, as hexadecimal digits.
std::string randomHex(std::size_t byteCount);

} // namespace portico::host::platform
