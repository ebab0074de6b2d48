#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace portico::host::routing
{

/// SHA-256 over a list of parts, each with its length, so that no two lists look alike. Used by one thread.
class Digest
{
public:
    Digest();
    Digest& part(std::string_view text);
    /// Bytes that follow each other within one part, whose length is not known before.
    Digest& bytes(std::span<const char> data);
    /// Lower-case hexadecimal; the digest is used up.
    std::string hex();

private:
    struct Free
    {
        void operator()(evp_md_ctx_st* context) const noexcept;
    };
    std::unique_ptr<evp_md_ctx_st, Free> _context;
};

} // namespace portico::host::routing
