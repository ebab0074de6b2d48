#include "host/backup/Digest.h"

#include <array>
#include <openssl/evp.h>
#include <stdexcept>

namespace portico::host::backup
{

namespace
{

void require(int result)
{
    if (result != 1) throw std::runtime_error("SHA-256 cannot be computed: OpenSSL refuses");
}

} // namespace

void Digest::Free::operator()(evp_md_ctx_st* context) const noexcept { EVP_MD_CTX_free(context); }

Digest::Digest() : _context(EVP_MD_CTX_new()) { require(EVP_DigestInit_ex(_context.get(), EVP_sha256(), nullptr)); }

void Digest::update(std::span<const char> data) { require(EVP_DigestUpdate(_context.get(), data.data(), data.size())); }

std::string Digest::hex()
{
    std::array<unsigned char, 32> bytes{};
    require(EVP_DigestFinal_ex(_context.get(), bytes.data(), nullptr));
    constexpr const char* digits = "0123456789abcdef";
    std::string text;
    for (const auto byte : bytes)
    {
        text.push_back(digits[byte >> 4U]);
        text.push_back(digits[byte & 0xFU]);
    }
    return text;
}

} // namespace portico::host::backup
