#include "host/base/Digests.h"

#include "host/base/Sha256.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <stdexcept>

namespace portico::host::platform
{

namespace
{

void require(bool done, const char* what)
{
    if (!done) throw std::runtime_error(std::string("OpenSSL: ") + what + " failed");
}

const unsigned char* asBytes(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }

} // namespace

std::string hmacSha256(std::string_view key, std::string_view text)
{
    std::string digest(EVP_MAX_MD_SIZE, '\0');
    unsigned int size = 0;
    const auto* done = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), asBytes(text), text.size(),
                            reinterpret_cast<unsigned char*>(digest.data()), &size);
    require(done != nullptr, "HMAC");
    digest.resize(size);
    return digest;
}

std::string toBase64(std::string_view bytes)
{
    std::string text(4 * ((bytes.size() + 2) / 3), '\0');
    EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), asBytes(bytes), static_cast<int>(bytes.size()));
    return text;
}

std::string fromBase64(std::string_view text)
{
    while (text.ends_with('=')) text.remove_suffix(1);
    std::string padded(text);
    padded.append((4 - padded.size() % 4) % 4, '=');
    std::string bytes(3 * padded.size() / 4, '\0');
    const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), asBytes(padded), static_cast<int>(padded.size()));
    if (size < 0) return {};
    bytes.resize(static_cast<std::size_t>(size) - (padded.size() - text.size()));
    return bytes;
}

std::string randomHex(std::size_t byteCount)
{
    std::string bytes(byteCount, '\0');
    require(RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size())) == 1, "random bytes");
    return digest::toHex({asBytes(bytes), bytes.size()});
}

} // namespace portico::host::platform
