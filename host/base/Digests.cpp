#include "host/base/Digests.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <stdexcept>

namespace portico::host
{

namespace
{

void require(bool done)
{
    if (!done) throw std::runtime_error("SHA-256 is not available: expected OpenSSL to provide it");
}

const unsigned char* asBytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* asBytes(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

} // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const noexcept { EVP_MD_CTX_free(context); }

Sha256::Sha256() : _context(EVP_MD_CTX_new()) { require(_context && EVP_DigestInit_ex(_context.get(), EVP_sha256(), nullptr) == 1); }

Sha256::Sha256(const Sha256& other) : _context(EVP_MD_CTX_new())
{
    require(_context && EVP_MD_CTX_copy_ex(_context.get(), other._context.get()) == 1);
}

Sha256& Sha256::operator=(Sha256 other) noexcept
{
    _context.swap(other._context);
    return *this;
}

void Sha256::update(std::span<const char> data) { require(EVP_DigestUpdate(_context.get(), data.data(), data.size()) == 1); }

std::string Sha256::hex()
{
    std::string digest(EVP_MAX_MD_SIZE, '\0');
    unsigned size = 0;
    require(EVP_DigestFinal_ex(_context.get(), asBytes(digest), &size) == 1);
    return toHex(std::string_view(digest).substr(0, size));
}

std::string sha256Hex(std::string_view text)
{
    Sha256 hash;
    hash.update(text);
    return hash.hex();
}

std::string hmacSha256(std::string_view key, std::string_view text)
{
    std::string digest(EVP_MAX_MD_SIZE, '\0');
    unsigned size = 0;
    require(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), asBytes(text), text.size(), asBytes(digest), &size) != nullptr);
    digest.resize(size);
    return digest;
}

std::string toHex(std::string_view bytes)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * bytes.size());
    for (const char byte : bytes)
    {
        text += digits[static_cast<unsigned char>(byte) >> 4U];
        text += digits[static_cast<unsigned char>(byte) & 0xFU];
    }
    return text;
}

std::string toBase64(std::string_view bytes)
{
    std::string text(4 * ((bytes.size() + 2) / 3), '\0');
    EVP_EncodeBlock(asBytes(text), asBytes(bytes), static_cast<int>(bytes.size()));
    return text;
}

std::string fromBase64(std::string_view text)
{
    while (text.ends_with('=')) text.remove_suffix(1);
    std::string padded(text);
    padded.append((4 - padded.size() % 4) % 4, '=');
    std::string bytes(3 * padded.size() / 4, '\0');
    const int size = EVP_DecodeBlock(asBytes(bytes), asBytes(padded), static_cast<int>(padded.size()));
    if (size < 0) return {};
    bytes.resize(static_cast<std::size_t>(size) - (padded.size() - text.size()));
    return bytes;
}

} // namespace portico::host
