#include "host/routing/idempotency/KeyedRequest.h"

#include <algorithm>
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

static_assert(crypto_generichash_BYTES == sizeof(KeyedHash));

unsigned char* bytesOf(char* text) noexcept { return reinterpret_cast<unsigned char*>(text); }
const unsigned char* bytesOf(const char* text) noexcept { return reinterpret_cast<const unsigned char*>(text); }

constexpr std::size_t nonceSize = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t tagSize = crypto_aead_xchacha20poly1305_ietf_ABYTES;
static_assert(crypto_aead_xchacha20poly1305_ietf_KEYBYTES == sizeof(KeyedHash));

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

std::string flatten(const Response& answer)
{
    std::string text;
    append(text, std::to_string(answer.status));
    for (const auto* part : {&answer.contentType, &answer.cacheControl, &answer.etag, &answer.headerBlock(), &answer.body})
        append(text, *part);
    return text;
}

void unflatten(std::string_view text, Response& answer)
{
    const auto status = take(text);
    if (std::from_chars(status.data(), status.data() + status.size(), answer.status).ec != std::errc()) refuse();
    for (auto* part : {&answer.contentType, &answer.cacheControl, &answer.etag}) *part = take(text);
    const auto headers = take(text);
    for (std::string_view rest = headers; !rest.empty();)
    {
        const auto line = rest.substr(0, rest.find("\r\n"));
        const auto colon = line.find(": ");
        if (colon != std::string_view::npos) answer.addHeader(line.substr(0, colon), line.substr(colon + 2));
        rest.remove_prefix(std::min(line.size() + 2, rest.size()));
    }
    answer.body = take(text);
}

/// Hash of the key and its owner. The same person in another organization is another caller, since an answer must not cross tenants.
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

KeyedDigest::KeyedDigest(const KeyedHash& secret, std::string_view purpose)
{
    if (sodium_init() < 0) throw std::runtime_error("libsodium cannot be initialized: expected it to find the system's random source");
    crypto_generichash_init(&_state, bytesOf(secret.value.data()), secret.value.size(), crypto_generichash_BYTES);
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
    crypto_generichash_update(&_state, bytesOf(data.data()), data.size());
    return *this;
}

KeyedHash KeyedDigest::finish()
{
    KeyedHash hash;
    crypto_generichash_final(&_state, bytesOf(hash.value.data()), hash.value.size());
    return hash;
}

KeyedHash deriveSecret(std::string_view secret, std::string_view purpose) { return KeyedDigest({}, purpose).part(secret).finish(); }

std::string encryptResponse(const Response& answer, const KeyedHash& key, std::string_view id)
{
    const auto plain = flatten(answer);
    std::string sealed(nonceSize + plain.size() + tagSize, '\0');
    randombytes_buf(sealed.data(), nonceSize);
    crypto_aead_xchacha20poly1305_ietf_encrypt(bytesOf(sealed.data() + nonceSize), nullptr, bytesOf(plain.data()), plain.size(),
                                               bytesOf(id.data()), id.size(), nullptr, bytesOf(sealed.data()), bytesOf(key.value.data()));
    return sealed;
}

void decryptResponse(std::string_view sealed, const KeyedHash& key, std::string_view id, Response& answer)
{
    if (sealed.size() < nonceSize + tagSize) refuse();
    const auto cipher = sealed.substr(nonceSize);
    std::string plain(cipher.size() - tagSize, '\0');
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(bytesOf(plain.data()), nullptr, nullptr, bytesOf(cipher.data()), cipher.size(),
                                                   bytesOf(id.data()), id.size(), bytesOf(sealed.data()), bytesOf(key.value.data())) != 0)
        refuse();
    unflatten(plain, answer);
}

KeyedRequest KeyedRequest::of(const Request& request, std::string_view service, std::string_view key, const KeyedHash& secret)
{
    const auto keyHash = hashOfKey(request, service, key, secret);
    const auto contentHash = hashOfContent(request, secret);
    // Stored values are one hash away from the sealing key.
    return {KeyedDigest(secret, "id").part(keyHash.bytes()).finish().hex(),
            KeyedDigest(secret, "fingerprint").part(contentHash.bytes()).finish().hex(),
            KeyedDigest(secret, "seal").part(keyHash.bytes()).part(contentHash.bytes()).finish()};
}

} // namespace portico::host::routing
