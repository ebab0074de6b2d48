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

/// BLAKE2b under a secret over a list of parts, each with its length, so that no two lists collide. Without the secret, hashes can neither
/// be computed nor brute-forced. Used by one thread.
class KeyedDigest
{
public:
    /// `purpose` keeps hashes of one secret apart that serve different ends. @throws std::runtime_error
    KeyedDigest(const KeyedHash& secret, std::string_view purpose);
    KeyedDigest& part(std::string_view text);
    /// Bytes that follow each other within one part, whose length is not known in advance.
    KeyedDigest& bytes(std::span<const char> data);
    /// The digest is used up.
    KeyedHash finish();

private:
    crypto_generichash_state _state;
};

/// Derives the key for one purpose from a secret of any length that serves several.
KeyedHash deriveSecret(std::string_view secret, std::string_view purpose);

/// Encrypts an answer for replay: the handler's response, without the headers that the host adds to every response. The bytes reveal
/// nothing without `key` (XChaCha20-Poly1305), and are bound to the record `id`. No two encryptions of one answer are equal.
std::string encryptResponse(const Response& answer, const KeyedHash& key, std::string_view id);
/// @param answer Is new. @throws std::runtime_error when the bytes were sealed under another key or for another record, or were altered.
void decryptResponse(std::string_view sealed, const KeyedHash& key, std::string_view id, Response& answer);

/// Values that the idempotency stage derives from a request and its Idempotency-Key. Stored data reveals neither.
struct KeyedRequest
{
    /// Hash of caller, organization, service, path and key: names the record.
    std::string id;
    /// Hash of method, query, content type and body: distinguishes a repetition from another request.
    std::string fingerprint;
    /// Hash of all of these; encrypts the answer and is never stored, so that only a repetition can decrypt it.
    KeyedHash seal{};

    /// `secret` is the host's. The caller of the request is known by now.
    static KeyedRequest of(const Request& request, std::string_view service, std::string_view key, const KeyedHash& secret);
};

} // namespace portico::host::routing
