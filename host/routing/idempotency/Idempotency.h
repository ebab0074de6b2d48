#pragma once

#include "host/routing/idempotency/IdempotencyStore.h"
#include "host/routing/idempotency/KeyedRequest.h"

#include "portico/Clock.h"
#include "portico/Logger.h"
#include "portico/Request.h"
#include "portico/Response.h"

#include <string>
#include <string_view>
#include <utility>

namespace portico::host::routing
{

class Idempotency;

/// The right to run a keyed request: releases the key unless the answer was stored. Move-only.
class IdempotencyTicket
{
public:
    IdempotencyTicket() = default;
    IdempotencyTicket(const Idempotency& stage, KeyedRequest request, std::string owner)
        : _stage(&stage), _request(std::move(request)), _owner(std::move(owner))
    {
    }
    IdempotencyTicket(IdempotencyTicket&& other) noexcept { *this = std::move(other); }
    IdempotencyTicket& operator=(IdempotencyTicket&& other) noexcept;
    ~IdempotencyTicket() { release(); }
    explicit operator bool() const noexcept { return _stage != nullptr; }
    /// Keeps a 2xx answer for replay, durable when this returns; any other frees the key.
    void settle(const Response& response) noexcept;
    void release() noexcept;

private:
    const Idempotency* _stage = nullptr;
    KeyedRequest _request;
    std::string _owner;
};

/// The stage that makes a repeated POST harmless (conventions, "Bodies"). Thread-safe.
class Idempotency
{
public:
    /// `secret`: the host's, the same on all hosts that share the store. It protects what is kept.
    Idempotency(IdempotencyStore& store, std::string_view secret, const Clock& clock, Logger& log)
        : _store(store), _secret(deriveSecret(secret, "idempotency")), _clock(clock), _log(log)
    {
    }

    static bool asked(const Request& request) noexcept { return request.hasHeader("Idempotency-Key"); }
    /// Returns a ticket to run the request, or an empty one if `response` has the first request's answer. A key belongs to `caller` and the
    /// path.
    /// @throws Problem 400 `validation_failed`, 409 `request_in_progress`, 422 `idempotency_key_reused`; DatabaseError
    IdempotencyTicket begin(const Request& request, std::string_view service, Response& response) const;

private:
    friend class IdempotencyTicket;
    IdempotencyStore& _store;
    const KeyedHash _secret;
    const Clock& _clock;
    Logger& _log;
};

} // namespace portico::host::routing
