#pragma once

#include "host/routing/idempotency/KeyedDigest.h"

#include <string>
#include <string_view>

namespace portico::host::routing
{

/// An answer as it is kept for replay: what the handler gave, without the headers that the host adds to every response.
struct StoredAnswer
{
    int status = 200;
    std::string contentType = {};
    std::string cacheControl = {};
    std::string etag = {};
    /// `Name: value\r\n` each.
    std::string headers = {};
    std::string body = {};
};

/// The answer as bytes that tell nothing without `key` (XChaCha20-Poly1305), bound to the record `id`. No two seals of one answer are
/// alike.
std::string sealAnswer(const StoredAnswer& answer, const KeyedHash& key, std::string_view id);
/// @throws std::runtime_error when the bytes were sealed under another key or for another record, or were altered.
StoredAnswer openAnswer(std::string_view sealed, const KeyedHash& key, std::string_view id);

} // namespace portico::host::routing
