#include "common/Crypto.h"

#include "common/Encoding.h"

#include <openssl/evp.h>
#include <sodium.h>
#include <stdexcept>

namespace portico::identity
{

Sha256::Sha256() : _algorithm(EVP_MD_fetch(nullptr, "SHA256", nullptr), &EVP_MD_free)
{
    if (!_algorithm) throw std::runtime_error("OpenSSL has no SHA256: check its configuration (openssl.cnf)");
}

Sha256Value Sha256::operator()(std::initializer_list<std::string_view> parts) const
{
    const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    Sha256Value value{};
    bool good = context && EVP_DigestInit_ex(context.get(), _algorithm.get(), nullptr) == 1;
    for (const auto part : parts) good = good && EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1;
    if (!good || EVP_DigestFinal_ex(context.get(), value.data(), nullptr) != 1) throw std::runtime_error("SHA-256 failed");
    return value;
}

std::string Sha256::hex(std::string_view text) const
{
    const auto value = (*this)({text});
    return toHex({reinterpret_cast<const char*>(value.data()), value.size()});
}

std::string hmacSha256(std::string_view key, std::string_view message)
{
    crypto_auth_hmacsha256_state state;
    crypto_auth_hmacsha256_init(&state, reinterpret_cast<const unsigned char*>(key.data()), key.size());
    crypto_auth_hmacsha256_update(&state, reinterpret_cast<const unsigned char*>(message.data()), message.size());
    std::string mac(crypto_auth_hmacsha256_BYTES, '\0');
    crypto_auth_hmacsha256_final(&state, reinterpret_cast<unsigned char*>(mac.data()));
    return mac;
}

bool sameSecret(std::string_view left, std::string_view right) noexcept
{
    return left.size() == right.size() && sodium_memcmp(left.data(), right.data(), left.size()) == 0;
}

std::string randomBytes(std::size_t count)
{
    std::string bytes(count, '\0');
    randombytes_buf(bytes.data(), bytes.size());
    return bytes;
}

} // namespace portico::identity
