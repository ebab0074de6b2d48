#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace portico::host
{

/// SHA-256 of data that comes in pieces. Used by one thread. @throws std::runtime_error when OpenSSL refuses, as every function here.
class Sha256
{
public:
    Sha256();
    /// Continues from the data that `other` has had.
    Sha256(const Sha256& other);
    Sha256(Sha256&&) noexcept = default;
    Sha256& operator=(Sha256 other) noexcept;
    ~Sha256() = default;
    void update(std::span<const char> data);
    /// 64 lower-case hexadecimal digits; ends the computation.
    std::string hex();

private:
    struct Free
    {
        void operator()(evp_md_ctx_st* context) const noexcept;
    };
    std::unique_ptr<evp_md_ctx_st, Free> _context;
};

/// The same of one text.
std::string sha256Hex(std::string_view text);
/// Raw bytes (RFC 2104).
std::string hmacSha256(std::string_view key, std::string_view text);
/// Two lower-case digits for each byte.
std::string toHex(std::string_view bytes);
/// Standard alphabet, with padding (RFC 4648, 4).
std::string toBase64(std::string_view bytes);
/// Empty for what is not base 64 (standard alphabet; padding may be missing).
std::string fromBase64(std::string_view text);

} // namespace portico::host
