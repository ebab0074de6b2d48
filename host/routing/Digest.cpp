#include "host/routing/Digest.h"

#include <openssl/evp.h>

#include <cstdint>
#include <stdexcept>

namespace portico::host::routing
{

namespace
{
void require(int result)
{
    if (result != 1) throw std::runtime_error("SHA-256 is not available: expected OpenSSL to provide it");
}
} // namespace

void Digest::Free::operator()(evp_md_ctx_st* context) const noexcept { EVP_MD_CTX_free(context); }

Digest::Digest() : _context(EVP_MD_CTX_new()) { require(_context ? EVP_DigestInit_ex(_context.get(), EVP_sha256(), nullptr) : 0); }

Digest& Digest::part(std::string_view text)
{
    const std::uint64_t length = text.size();
    require(EVP_DigestUpdate(_context.get(), &length, sizeof length));
    return bytes(text);
}

Digest& Digest::bytes(std::span<const char> data)
{
    require(EVP_DigestUpdate(_context.get(), data.data(), data.size()));
    return *this;
}

std::string Digest::hex()
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    require(EVP_DigestFinal_ex(_context.get(), digest, &length));
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(length * 2);
    for (unsigned i = 0; i < length; ++i) text.append({digits[digest[i] >> 4], digits[digest[i] & 15]});
    return text;
}

} // namespace portico::host::routing
