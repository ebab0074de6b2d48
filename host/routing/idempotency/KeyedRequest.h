#pragma once

#include "host/routing/idempotency/KeyedDigest.h"

#include "portico/Request.h"

#include <string>
#include <string_view>

namespace portico::host::routing
{

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
