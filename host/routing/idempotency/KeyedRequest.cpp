#include "host/routing/idempotency/KeyedRequest.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
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

std::string flatten(const StoredResponse& answer)
{
    std::string text;
    for (const auto& part :
         {std::to_string(answer.status), answer.contentType, answer.cacheControl, answer.etag, answer.headers, answer.body})
        append(text, part);
    return text;
}

StoredResponse unflatten(std::string_view text)
{
    StoredResponse answer;
    const auto status = take(text);
    if (std::from_chars(status.data(), status.data() + status.size(), answer.status).ec != std::errc()) refuse();
    for (auto* part : {&answer.contentType, &answer.cacheControl, &answer.etag, &answer.headers, &answer.body}) *part = take(text);
    return answer;
}

} // namespace

std::string encryptResponse(const StoredResponse& answer, const KeyedHash& key, std::string_view id)
{
    const auto plain = flatten(answer);
    std::string sealed(nonceSize + plain.size() + tagSize, '\0');
    randombytes_buf(sealed.data(), nonceSize);
    crypto_aead_xchacha20poly1305_ietf_encrypt(bytes(sealed.data() + nonceSize), nullptr, bytes(plain.data()), plain.size(),
                                               bytes(id.data()), id.size(), nullptr, bytes(sealed.data()), key.data());
    return sealed;
}

StoredResponse decryptResponse(std::string_view sealed, const KeyedHash& key, std::string_view id)
{
    if (sealed.size() < nonceSize + tagSize) refuse();
    const auto cipher = sealed.substr(nonceSize);
    std::string plain(cipher.size() - tagSize, '\0');
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(bytes(plain.data()), nullptr, nullptr, bytes(cipher.data()), cipher.size(),
                                                   bytes(id.data()), id.size(), bytes(sealed.data()), key.data()) != 0)
        refuse();
    return unflatten(plain);
}

namespace
{

/// Who the key belongs to: the same person in another organization is another caller, or an answer would cross tenants.
KeyedHash hashOfKey(const Request& request, std::string_view service, std::string_view key, const KeyedHash& secret)
{
    const Caller& caller = *request.caller;
    const auto who = caller.anonymous()        ? request.clientAddress
                     : caller.apiKeyId.empty() ? std::string_view(caller.principalId)
                                               : caller.apiKeyId;
    return KeyedDigest(secret, "key")
        .part(caller.anonymous() ? "address" : "caller")
        .part(who)
        .part(caller.organizationId)
        .part(service)
        .part(request.path)
        .part(key)
        .finish();
}

KeyedHash hashOfContent(const Request& request, const KeyedHash& secret)
{
    KeyedDigest digest(secret, "content");
    digest.part(name(request.method)).part(request.query).part(request.header("Content-Type")).part(request.body);
    if (request.file == nullptr) return digest.finish();
    std::array<char, 16 * 1024> buffer;
    std::uint64_t offset = 0;
    while (const auto got = request.file->read(offset, buffer))
    {
        digest.bytes({buffer.data(), got});
        offset += got;
    }
    return digest.finish();
}

} // namespace

KeyedRequest KeyedRequest::of(const Request& request, std::string_view service, std::string_view key, const KeyedHash& secret)
{
    const auto keyHash = hashOfKey(request, service, key, secret);
    const auto contentHash = hashOfContent(request, secret);
    // What is stored is one more hash away from what seals.
    return {hex(KeyedDigest(secret, "id").part(asText(keyHash)).finish()),
            hex(KeyedDigest(secret, "fingerprint").part(asText(contentHash)).finish()),
            KeyedDigest(secret, "seal").part(asText(keyHash)).part(asText(contentHash)).finish()};
}

} // namespace portico::host::routing
