#include "host/routing/idempotency/AnswerSeal.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <sodium.h>
#include <stdexcept>

namespace portico::host::routing
{

namespace
{

constexpr std::size_t nonceSize = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t tagSize = crypto_aead_xchacha20poly1305_ietf_ABYTES;
static_assert(crypto_aead_xchacha20poly1305_ietf_KEYBYTES == std::tuple_size_v<KeyedHash>);

unsigned char* bytes(char* text) noexcept { return reinterpret_cast<unsigned char*>(text); }
const unsigned char* bytes(const char* text) noexcept { return reinterpret_cast<const unsigned char*>(text); }

[[noreturn]] void refuse()
{
    throw std::runtime_error("a kept answer cannot be opened: expected what this host wrote, found bytes that were altered");
}

/// Each part with its length before it.
void append(std::string& text, std::string_view part)
{
    const std::uint64_t length = part.size();
    text.append(reinterpret_cast<const char*>(&length), sizeof length).append(part);
}

std::string take(std::string_view& text)
{
    std::uint64_t length = 0;
    if (text.size() < sizeof length) refuse();
    std::memcpy(&length, text.data(), sizeof length);
    text.remove_prefix(sizeof length);
    if (length > text.size()) refuse();
    std::string part(text.substr(0, length));
    text.remove_prefix(length);
    return part;
}

std::string flatten(const StoredAnswer& answer)
{
    std::string text;
    for (const auto& part :
         {std::to_string(answer.status), answer.contentType, answer.cacheControl, answer.etag, answer.headers, answer.body})
        append(text, part);
    return text;
}

StoredAnswer unflatten(std::string_view text)
{
    StoredAnswer answer;
    const auto status = take(text);
    if (std::from_chars(status.data(), status.data() + status.size(), answer.status).ec != std::errc()) refuse();
    for (auto* part : {&answer.contentType, &answer.cacheControl, &answer.etag, &answer.headers, &answer.body}) *part = take(text);
    return answer;
}

} // namespace

std::string sealAnswer(const StoredAnswer& answer, const KeyedHash& key, std::string_view id)
{
    const auto plain = flatten(answer);
    std::string sealed(nonceSize + plain.size() + tagSize, '\0');
    randombytes_buf(sealed.data(), nonceSize);
    crypto_aead_xchacha20poly1305_ietf_encrypt(bytes(sealed.data() + nonceSize), nullptr, bytes(plain.data()), plain.size(),
                                               bytes(id.data()), id.size(), nullptr, bytes(sealed.data()), key.data());
    return sealed;
}

StoredAnswer openAnswer(std::string_view sealed, const KeyedHash& key, std::string_view id)
{
    if (sealed.size() < nonceSize + tagSize) refuse();
    const auto cipher = sealed.substr(nonceSize);
    std::string plain(cipher.size() - tagSize, '\0');
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(bytes(plain.data()), nullptr, nullptr, bytes(cipher.data()), cipher.size(),
                                                   bytes(id.data()), id.size(), bytes(sealed.data()), key.data()) != 0)
        refuse();
    return unflatten(plain);
}

} // namespace portico::host::routing
