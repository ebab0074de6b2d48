#include "host/routing/idempotency/KeyedDigest.h"

#include <cstdint>
#include <sodium.h>
#include <stdexcept>

namespace portico::host::routing
{

static_assert(crypto_generichash_BYTES == std::tuple_size_v<KeyedHash>);

KeyedDigest::KeyedDigest(const KeyedHash& secret, std::string_view purpose)
{
    if (sodium_init() < 0) throw std::runtime_error("libsodium cannot be initialized: expected it to find the system's random source");
    crypto_generichash_init(&_state, secret.data(), secret.size(), crypto_generichash_BYTES);
    part(purpose);
}

KeyedDigest& KeyedDigest::part(std::string_view text)
{
    const std::uint64_t length = text.size();
    crypto_generichash_update(&_state, reinterpret_cast<const unsigned char*>(&length), sizeof length);
    return bytes(text);
}

KeyedDigest& KeyedDigest::bytes(std::span<const char> data)
{
    crypto_generichash_update(&_state, reinterpret_cast<const unsigned char*>(data.data()), data.size());
    return *this;
}

KeyedHash KeyedDigest::finish()
{
    KeyedHash hash;
    crypto_generichash_final(&_state, hash.data(), hash.size());
    return hash;
}

KeyedHash deriveSecret(std::string_view secret, std::string_view purpose) { return KeyedDigest({}, purpose).part(secret).finish(); }

std::string hex(const KeyedHash& hash)
{
    constexpr char digits[] = "0123456789abcdef";
    std::string text;
    text.reserve(hash.size() * 2);
    for (const auto byte : hash) text.append({digits[byte >> 4], digits[byte & 15]});
    return text;
}

std::string_view asText(const KeyedHash& hash) noexcept { return {reinterpret_cast<const char*>(hash.data()), hash.size()}; }

} // namespace portico::host::routing
