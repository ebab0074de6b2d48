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
#include <string_view>

namespace portico::host::routing
{

/// The dispatcher's data for an exchange, from `admit` to `finished`. One per connection: `recycle` readies it for the next request.
/// Resolves the request's site and route in the table that it keeps.
struct RequestState final : http::ExchangeState
{
    /// Keeps `site` and `entry` alive when another table is published.
    std::shared_ptr<const RouteTable> table;
    const Site* site = nullptr;
    const RouteEntry* entry = nullptr;
    /// The origin of the request as the server read it. A registered origin replaces it in the request.
    std::string_view connectionOrigin;
    SentCredential sent;
    /// The credential of this request whose proof the provider has accepted; empty: none.
    std::string_view provenCredential;
    /// Kept from the last request.
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
    /// The check that the route declares before its body has passed.
    bool checked = false;
    /// A short read that runs on the connection's event loop.
    bool readsOnLoop = false;
    telemetry::ActiveSpan trace;
    /// Text that `trace` points into if the header had several lines.
    std::string traceState;
    IdempotencyTicket ticket;
    /// Held while plugin code may run or an object of the plugin may be alive.
    plugins::Lease lease;

    /// Finds the service whose origin was called: by the listener, else by Host; else the routes of every origin. @throws Problem 404
    /// `not_found` for an unknown host.
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
        connectionOrigin = {};
        sent = {};
        provenCredential = {};
        caller.reset();
        reads.clear();
        rate = {};
        authorized = checked = readsOnLoop = false;
        trace = {};
    }
};

} // namespace portico::host::routing
