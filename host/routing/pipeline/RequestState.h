#pragma once

#include "host/http/Application.h"
#include "host/plugins/runtime/Generation.h"
#include "host/routing/idempotency/Idempotency.h"
#include "host/routing/pipeline/RateLimiter.h"
#include "host/routing/pipeline/SentCredential.h"
#include "host/routing/table/RouteTable.h"
#include "host/telemetry/Tracer.h"

#include "portico/Caller.h"

#include <memory>
#include <string>

namespace portico::host::routing
{

/// What the dispatcher keeps with an exchange from `admit` to `finished`. One per connection: `recycle` readies it for the next request.
struct RequestState final : http::ExchangeState
{
    /// Keeps `site` and `entry` alive, whatever is published meanwhile.
    std::shared_ptr<const RouteTable> table;
    const Site* site = nullptr;
    const RouteEntry* entry = nullptr;
    SentCredential sent;
    /// Of the last request, too.
    CredentialDigest digest;
    std::shared_ptr<const Caller> caller;
    RateVerdict rate;
    /// Authentication and all that follows up to the body has passed.
    bool authorized = false;
    /// A short read that runs on the connection's event loop.
    bool readsOnLoop = false;
    tracing::ActiveSpan trace;
    /// What `trace` looks at where it came in several lines.
    std::string traceState;
    IdempotencyTicket ticket;
    /// Held while plugin code may run or an object of the plugin may be alive.
    plugins::Lease lease;

    void recycle() noexcept
    {
        lease.release();
        ticket.release();
        table.reset();
        site = nullptr;
        entry = nullptr;
        sent = {};
        caller.reset();
        rate = {};
        authorized = readsOnLoop = false;
        trace = {};
    }
};

} // namespace portico::host::routing
