#include "common/Crypto.h"

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
    std::string digits(2 * value.size() + 1, '\0');
    sodium_bin2hex(digits.data(), digits.size(), value.data(), value.size());
    digits.pop_back(); // its terminating NUL
    return digits;
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

std::string toBase64Url(std::string_view bytes)
{
    constexpr int variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;
    std::string text(sodium_base64_encoded_len(bytes.size(), variant), '\0');
    sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), variant);
    text.pop_back(); // its terminating NUL
    return text;
}

std::optional<std::string> fromBase64Url(std::string_view text)
{
    std::string bytes(text.size() / 4 * 3 + 3, '\0');
    std::size_t length = 0;
    const char* end = nullptr;
    if (sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(), text.size(), nullptr, &length, &end,
                          sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0 ||
        end != text.data() + text.size())
        return std::nullopt;
    bytes.resize(length);
    if (toBase64Url(bytes) != text) return std::nullopt;
    return bytes;
}

} // namespace portico::identity
