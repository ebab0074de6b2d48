#include "host/routing/idempotency/KeyedRequest.h"

#include <array>

namespace portico::host::routing
{

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
