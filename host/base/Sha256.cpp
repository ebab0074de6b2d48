#include "host/base/Sha256.h"

#include <openssl/evp.h>

#include <array>
#include <stdexcept>

namespace portico::host::digest
{

namespace
{

void require(bool done)
{
    if (!done) throw std::runtime_error("SHA-256 is not available: expected OpenSSL to provide it");
}

} // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const noexcept { EVP_MD_CTX_free(context); }

Sha256::Sha256() : _context(EVP_MD_CTX_new()) { require(_context && EVP_DigestInit_ex(_context.get(), EVP_sha256(), nullptr) == 1); }

void Sha256::update(std::span<const char> data) { require(EVP_DigestUpdate(_context.get(), data.data(), data.size()) == 1); }

std::string Sha256::hex()
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned size = 0;
    require(EVP_DigestFinal_ex(_context.get(), bytes.data(), &size) == 1);
    return toHex(std::span(bytes).first(size));
}

std::string sha256Hex(std::string_view text)
{
    Sha256 hash;
    hash.update(text);
    return hash.hex();
}

std::string toHex(std::span<const unsigned char> bytes)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const unsigned char byte : bytes)
    {
        text += digits[byte >> 4U];
        text += digits[byte & 0xFU];
    }
    return text;
}

} // namespace portico::host::digest
