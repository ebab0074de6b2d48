#pragma once

#include "portico/Crypto.h"
#include "portico/Request.h"
#include "portico/Response.h"

#include <sodium/crypto_generichash.h>

#include <span>
#include <string>
#include <string_view>

namespace portico::host::routing
{

/// 32 bytes under a secret.
using KeyedHash = Digest;

/// BLAKE2b under a secret over a list of parts, each with its length, so that no two lists look alike. Who does not hold the secret can
/// neither make a hash nor try what it stands for. Used by one thread.
class KeyedDigest
{
public:
    /// `purpose` keeps hashes of one secret apart that serve different ends. @throws std::runtime_error
    KeyedDigest(const KeyedHash& secret, std::string_view purpose);
    KeyedDigest& part(std::string_view text);
    /// Bytes that follow each other within one part, whose length is not known before.
    KeyedDigest& bytes(std::span<const char> data);
    /// The digest is used up.
    KeyedHash finish();

private:
    crypto_generichash_state _state;
};

/// What signs and seals for one end, made from a secret of any length that serves several.
KeyedHash deriveSecret(std::string_view secret, std::string_view purpose);

/// An answer as it is kept for replay: what the handler gave, without the headers that the host adds to every response. As bytes that tell
/// nothing without `key` (XChaCha20-Poly1305), bound to the record `id`. No two seals of one answer are alike.
std::string encryptResponse(const Response& answer, const KeyedHash& key, std::string_view id);
/// @param answer Is new. @throws std::runtime_error when the bytes were sealed under another key or for another record, or were altered.
void decryptResponse(std::string_view sealed, const KeyedHash& key, std::string_view id, Response& answer);

/// What the idempotency stage makes of a request and its Idempotency-Key. Neither can be found again from what is stored.
struct KeyedRequest
{
    /// Of caller, organization, service, path and key: names the record.
    std::string id;
    /// Of method, query, content type and body: tells a repetition from another request.
    std::string fingerprint;
    /// Of all of these; seals the answer and is never stored, so that only a repetition opens it.
    KeyedHash seal{};

    /// `secret` is the host's. The caller of the request is known by now.
    static KeyedRequest of(const Request& request, std::string_view service, std::string_view key, const KeyedHash& secret);
};

} // namespace portico::host::routing
