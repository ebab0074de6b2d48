#pragma once

#include <memory>
#include <span>
#include <string>

struct evp_md_ctx_st;

namespace portico::host::backup
{

/// SHA-256 of data that comes in pieces.
class Digest
{
public:
    Digest();
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

} // namespace portico::host::backup
