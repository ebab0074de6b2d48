#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace portico::host::digest
{

/// SHA-256 of data that comes in pieces. Used by one thread. @throws std::runtime_error when OpenSSL refuses, from every function.
class Sha256
{
public:
    Sha256();
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

/// Two lower-case digits for each byte.
std::string toHex(std::span<const unsigned char> bytes);

} // namespace portico::host::digest
