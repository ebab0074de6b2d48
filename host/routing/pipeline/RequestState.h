#pragma once

#include "host/data/RequestReads.h"
#include "host/http/Application.h"
#include "host/plugins/runtime/Generation.h"
#include "host/routing/idempotency/Idempotency.h"
#include "host/routing/pipeline/Authentication.h"
#include "host/routing/pipeline/RateLimits.h"
#include "host/routing/table/RouteTable.h"
#include "host/telemetry/Tracer.h"

#include "portico/Caller.h"

#include <memory>
#include <string>

namespace portico::host::routing
{

/// What the dispatcher keeps with an exchange from `admit` to `finished`. One per connection: `recycle` readies it for the next request.
/// Finds out what the request is for in the table that it keeps.
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
    /// Numbers that were read for the request together with others.
    data::RequestReads reads;
    RateVerdict rate;
    /// The route that says what is wrong in its own format, if it has one: that of the request, or of another method of the address.
    const RouteEntry* problemRoute = nullptr;
    /// The query with what a forwarded path adds to it.
    std::string query;
    /// Authentication and all that follows up to the body has passed.
    bool authorized = false;
    /// A short read that runs on the connection's event loop.
    bool readsOnLoop = false;
    telemetry::ActiveSpan trace;
    /// What `trace` looks at where it came in several lines.
    std::string traceState;
    IdempotencyTicket ticket;
    /// Held while plugin code may run or an object of the plugin may be alive.
    plugins::Lease lease;

    /// The service whose origin was called: by the listener, else by Host; else what is answered everywhere. @throws Problem 404
    /// `not_found` for a host that nobody serves.
    void findSite(http::Exchange& exchange);
    /// The route and its decoded parameters. @throws Problem 404 `not_found`, 405 `method_not_allowed`, 410 `endpoint_removed`, 503
    /// `service_…`
    void findRoute(system::HostRequest& request);
    /// Completes the query of a forwarded path.
    void addDefaultQuery(Request& request);
    /// All methods of a path, with the route of the method that a preflight asks for, if any. @throws Problem as findRoute, but never 405.
    MethodSet findMethods(const Request& request);

    /// Body of the answer to a problem in the route's own format; empty without one, and while its plugin is not loaded.
    std::string ownProblemBody(const Problem& problem) const;

    void recycle() noexcept
    {
        lease.release();
        ticket.release();
        table.reset();
        site = nullptr;
        entry = problemRoute = nullptr;
        sent = {};
        caller.reset();
        reads.clear();
        rate = {};
        authorized = readsOnLoop = false;
        trace = {};
    }
};

} // namespace portico::host::routing
