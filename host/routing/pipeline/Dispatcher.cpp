#include "host/routing/pipeline/Dispatcher.h"

#include "host/data/ConnectionPool.h"
#include "host/routing/access/Authorization.h"
#include "host/routing/pipeline/ProblemAnswers.h"
#include "host/routing/pipeline/ResponseHeaders.h"

#include "portico/Problem.h"

#include <functional>
#include <optional>
#include <stdexcept>
#include <utility>

namespace portico::host::routing
{

namespace
{

/// Maximum attempts of a request whose service is replaced while it runs. A generation refuses only after its successor was published, so
/// every attempt sees a newer table. On a loaded machine a thread may need a few attempts, and a failure would not be the client's fault.
constexpr int leaseAttempts = 100;

RequestState& stateOf(http::Exchange& exchange) noexcept { return static_cast<RequestState&>(*exchange.state); }

/// Returns true for open routes that are rate-limited by address. Requests with a credential are counted by caller. Pages and their files
/// are not counted: each click loads dozens, and a whole office may share one address.
bool countedByAddress(const RouteEntry& entry) noexcept
{
    const auto& route = *entry.info;
    const bool page = route.undocumented && route.method == Method::Get;
    return route.access.open && !page && entry.host == HostRoute::None;
}

/// On the gateway the service is given by the origin: a caller that names another one is mistaken about where it is.
void checkNamedService(const Request& request, const RouteEntry& entry)
{
    if (!entry.throughGateway) return;
    const auto named = request.header("X-Service-ID");
    if (!named.empty() && named != request.originService)
        throw Problem::badRequest("service_mismatch", "X-Service-ID names another service than the one of this origin.");
}

/// Returns true for `OPTIONS /` or `HEAD /` at an address instead of a service's name: the default probe of load balancers such as HAProxy.
/// Browser preflights are different.
bool isProbe(const http::Exchange& exchange, const RouteTable& table)
{
    const auto& request = exchange.request;
    const bool asks = request.method == Method::Head || (request.method == Method::Options && !request.hasHeader("Origin"));
    return asks && request.path == "/" && exchange.listenerService.empty() && isBareAddress(exchange.host) &&
           table.host(exchange.host) == nullptr;
}

void answerProbe(Response& response)
{
    response.status = 200;
    response.addHeader("Allow", "GET, HEAD, OPTIONS");
}

/// Returns true for failures of the server. 503 is none: an overloaded or disabled service must not be kept busy with logging. Nor are 501
/// and 505, which any client can cause.
bool isFailure(int status) noexcept { return status >= 500 && status != 501 && status != 503 && status != 505; }

/// A line for each request, if asked for, and for each failure of the server. Without the query: people put secrets there.
void writeAccessLine(Logger& log, bool everything, const http::Exchange& exchange, std::chrono::steady_clock::duration latency)
{
    const bool failed = isFailure(exchange.response.status);
    if (!everything && !failed) return;
    const auto level = failed ? LogLevel::Warning : LogLevel::Information;
    if (!log.enabled(level)) return;
    const auto& request = exchange.request;
    const auto micros = std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(latency).count());
    log.write(level, "request",
              {{"service", request.originService},
               {"method", name(request.method)},
               {"path", request.path},
               {"route", request.route()},
               {"status", std::to_string(exchange.response.status)},
               {"micros", micros},
               {"received", std::to_string(exchange.bodyBytes)},
               {"sent", std::to_string(exchange.sentBytes)},
               {"delivered", exchange.delivered ? "true" : "false"},
               {"client", request.clientAddress},
               {"caller", request.caller->principalId}});
}

/// Never returns 0, which means no tenant.
std::uint64_t tenantOf(std::string_view name) noexcept { return std::hash<std::string_view>{}(name) | 1; }

/// Tenant of a request without a caller: the first path parameter, since long work waits for that object; otherwise the client's address.
std::uint64_t tenantOfAnonymous(const Request& request) noexcept
{
    const auto named = request.pathParameters();
    return tenantOf(named.empty() ? request.clientAddress : std::string_view(named.front()));
}

} // namespace

Dispatcher::Dispatcher(Environment environment, Settings settings)
    : _environment(std::move(environment)),
      _settings(std::move(settings)),
      _bodyRules(_settings),
      _rateLimits(_settings, _environment.shared, _environment.clock),
      _authentication(_environment.findCredentials, _environment.log),
      _streams(_settings, _authentication),
      _idempotency(_environment.idempotency, _settings.cursorKey, _environment.clock, _environment.log)
{
}

/// Runs a step of the request with its logging context. Never throws, as the server expects. Returns false if memory is too low even for a
/// problem document; the answer is then bare.
/// @param mayWait false on an event loop
template <class Step>
bool Dispatcher::serve(http::Exchange& exchange, Step&& step, bool mayWait) const noexcept
try
{
    if (!exchange.state) exchange.state = std::make_unique<RequestState>();
    auto& state = stateOf(exchange);
    const telemetry::RequestContext context(exchange.request, state.trace);
    std::optional<data::RequestReads::Scope> reads;
    if (_environment.reads != nullptr) reads.emplace(state.reads, mayWait);
    step(state);
    return true;
}
catch (...)
{
    exchange.response.clear();
    exchange.response.status = 500;
    return false;
}

void Dispatcher::begin(http::Exchange& exchange, RequestState& state) const
{
    state.recycle();
    state.connectionOrigin = exchange.request.origin;
    state.table = _environment.table.copy();
    state.trace = _environment.tracer.begin(exchange.request.headers, state.traceState);
    exchange.tenant = 0;
    exchange.request.signCursorsWith(_settings.cursorKey);
}

template <class Step>
bool Dispatcher::attempt(http::Exchange& exchange, Step&& step) const
try
{
    step();
    return true;
}
catch (...)
{
    answerException(_environment.log, exchange.request, exchange.response, stateOf(exchange));
    return false;
}

http::Admission Dispatcher::admit(http::Exchange& exchange) noexcept
{
    http::Admission admission{.answered = true};
    serve(
        exchange,
        [&](RequestState& state)
        {
            begin(exchange, state);
            attempt(exchange, [&] { admission = route(exchange, state); });
            if (admission.answered) completeHeaders(exchange.request, state, exchange.response);
        },
        exchange.local);
    return admission;
}

http::Admission Dispatcher::route(http::Exchange& exchange, RequestState& state)
{
    auto& request = exchange.request;
    if (isProbe(exchange, *state.table))
    {
        answerProbe(exchange.response);
        return {.answered = true};
    }
    state.findSite(exchange);
    if (request.method == Method::Options)
    {
        const auto methods = state.findMethods(request);
        answerOptions(request, state.entry, methods, state.table->allowedOrigins(), exchange.response);
        return {.answered = true};
    }
    state.findRoute(request);
    if (countedByAddress(*state.entry) && !exchange.local) _rateLimits.admitAddress(request.clientAddress, exchange.started, state.rate);
    auto admission = _bodyRules.admission(*state.entry->info, exchange);
    // The server rejects a body above the route's limit, for any caller.
    if (exchange.announcedBytes.value_or(0) > admission.bodyLimit) return admission;
    findCredential(exchange, state);
    if (asksShared(exchange, state, admission))
        findCaller(exchange, state, admission);
    else
        state.readsOnLoop = readsOnLoop(exchange, state);
    if (state.readsOnLoop) admission.lane = http::Lane::Loop;
    if (admission.lane == http::Lane::Long) exchange.tenant = tenantOfAnonymous(request);
    return admission;
}

/// A trip to a worker costs more than reading a row in memory; a query may need more than that. The caller must be cached, since otherwise
/// the provider asks its database. The handler must follow immediately: caller, session and generation may change while a body arrives.
bool Dispatcher::readsOnLoop(http::Exchange& exchange, RequestState& state) const
{
    const auto& entry = *state.entry;
    const auto& request = exchange.request;
    // A body may come as late as its sender likes.
    if (entry.info->execution != Execution::ShortRead || request.method != Method::Get || !request.query.empty() ||
        exchange.announcedBytes != 0)
        return false;
    if (const auto& generation = entry.provider->service.generation; !generation || !generation->canReadWithoutBlocking()) return false;
    if (entry.info->access.open) return true;
    state.caller = _authentication.validateCached(state.sent, request, entry, *state.site);
    return state.caller != nullptr;
}

/// True if the caller's numbers are read together with those of other requests. A request with a body is left to its worker: what is known
/// now need not be true when the body has come.
bool Dispatcher::asksShared(const http::Exchange& exchange, const RequestState& state, const http::Admission& admission) const
{
    return _environment.reads != nullptr && !exchange.local && !admission.prepareFirst && exchange.announcedBytes == 0 &&
           !state.entry->info->access.open && state.sent.kind == CredentialKind::AccessToken;
}

void Dispatcher::findCaller(http::Exchange& exchange, RequestState& state, http::Admission& admission) const
{
    const auto& entry = *state.entry;
    state.caller = _authentication.validateCached(state.sent, exchange.request, entry, *state.site);
    admission.waits = !state.caller && state.reads.wants();
    // A short read with all data in memory is answered on the loop; others run on a worker.
    const bool isShort =
        entry.info->execution == Execution::ShortRead && exchange.request.method == Method::Get && exchange.request.query.empty();
    state.readsOnLoop = state.caller && isShort && entry.meter->mayRunOnLoop();
}

void Dispatcher::fetch(http::Exchange& exchange, std::function<void()> ready) noexcept
{
    try
    {
        _environment.reads->begin(stateOf(exchange).reads, ready);
    }
    catch (const std::exception&)
    {
        // Without memory or threads: a worker asks for itself.
        stateOf(exchange).reads.forget();
        ready();
    }
}

void Dispatcher::resume(http::Exchange& exchange, http::Admission& admission) noexcept
{
    serve(
        exchange,
        [&](RequestState& state)
        {
            findCaller(exchange, state, admission);
            // Once is enough: a worker waits for further numbers.
            admission.waits = false;
            if (state.readsOnLoop) admission.lane = http::Lane::Loop;
        },
        false);
}

bool Dispatcher::handleOnLoop(http::Exchange& exchange) noexcept
{
    if (_environment.reads == nullptr || !stateOf(exchange).readsOnLoop)
    {
        handle(exchange);
        return true;
    }
    bool refused = false;
    const auto tryIt = [&](RequestState& state)
    {
        attempt(exchange,
                [&]
                {
                    try
                    {
                        run(exchange, state);
                    }
                    catch (...)
                    {
                        if (!state.reads.refused()) throw;
                    }
                });
        refused = state.reads.refused();
        state.ticket.release();
        if (refused || !exchange.response.source) state.lease.release();
        if (!refused) return completeHeaders(exchange.request, state, exchange.response);
        exchange.response.clear();
        state.readsOnLoop = false;
        state.entry->meter->couldNotRunOnLoop();
    };
    serve(exchange, tryIt, false);
    return !refused;
}

bool Dispatcher::prepare(http::Exchange& exchange) noexcept
{
    bool wanted = false;
    serve(exchange,
          [&](RequestState& state)
          {
              const auto checkAll = [&]
              {
                  authorize(exchange, state);
                  if (!state.entry->info->checksBeforeBody) return;
                  // If the generation is draining, `run` asks its successor.
                  if (const auto lease = plugins::Lease::take(state.entry->provider->service.generation))
                      checkBeforeBody(exchange, state, lease);
              };
              wanted = attempt(exchange, checkAll);
              if (!wanted) completeHeaders(exchange.request, state, exchange.response);
          });
    return wanted;
}

void Dispatcher::handle(http::Exchange& exchange) noexcept
{
    serve(exchange,
          [&](RequestState& state)
          {
              std::optional<data::EventLoopScope> loop;
              if (state.readsOnLoop) loop.emplace();
              attempt(exchange, [&] { run(exchange, state); });
              loop.reset();
              state.ticket.release();
              // Only a source is an object of the plugin: a client that reads a finished answer slowly does not keep the plugin in memory.
              if (!exchange.response.source) state.lease.release();
              completeHeaders(exchange.request, state, exchange.response);
          });
}

/// Guessing is bounded like asking without a credential: what is refused is taken from the address.
template <class Step>
auto Dispatcher::rateLimitingFailures(http::Exchange& exchange, RequestState& state, Step&& step)
try
{
    return step();
}
catch (const Problem& problem)
{
    if (problem.status() == 401 && !exchange.local) _rateLimits.admitAddress(exchange.request.clientAddress, exchange.started, state.rate);
    throw;
}

/// Authenticates, and checks permission and all other rules that need no body. Runs again if the route was replaced in the meantime.
void Dispatcher::authorize(http::Exchange& exchange, RequestState& state)
{
    if (state.authorized) return;
    auto& request = exchange.request;
    const RouteEntry& entry = *state.entry;
    if (!entry.info->access.open)
    {
        if (!state.caller)
        {
            state.caller = rateLimitingFailures(exchange, state,
                                                [&] { return _authentication.authenticate(state.sent, request, entry, *state.site); });
            if (state.sent.bound) state.provenCredential = state.sent.value;
        }
        request.caller = state.caller.get();
        if (!state.rate.limited && !exchange.local)
            _rateLimits.admitCaller(*state.caller, request.clientAddress, exchange.started, state.rate);
        if (entry.info->execution == Execution::Long)
            exchange.tenant = tenantOf(state.caller->organizationId.empty() ? state.caller->principalId : state.caller->organizationId);
        checkActiveContext(request);
        checkAccess(request, entry.info->access, *entry.provider->service.manifest);
        if (entry.forward != nullptr) checkAccess(request, entry.forward->access, *state.site->service.manifest);
        if (entry.info->access.freshProofOnly) _authentication.requireFreshProof(*state.caller);
    }
    checkNamedService(request, entry);
    BodyRules::checkContentCoding(*entry.info, request);
    state.authorized = true;
}

/// Rejects a request without a credential before any of its body is read.
void Dispatcher::findCredential(http::Exchange& exchange, RequestState& state)
{
    if (state.entry->info->access.open) return;
    state.sent = rateLimitingFailures(exchange, state, [&] { return Authentication::find(exchange.request, *state.entry, *state.table); });
    if (state.sent.kind != CredentialKind::None) state.sent.digest = &state.digest.of(state.sent.value);
    state.sent.proven = state.sent.bound && state.sent.value == state.provenCredential;
}

void Dispatcher::run(http::Exchange& exchange, RequestState& state)
{
    if (state.entry->host != HostRoute::None)
    {
        if (isStopped(exchange, state)) return;
        return answerHostRoute(_environment.health, exchange.request, *state.entry, *state.site, exchange.response);
    }
    for (int tries = 0; tries < leaseAttempts; ++tries)
    {
        if (tries > 0) locateAgain(exchange, state);
        authorize(exchange, state);
        BodyRules::checkContentType(*state.entry->info, exchange.request);
        if (!state.ticket && state.entry->info->idempotencyKey && Idempotency::asked(exchange.request))
        {
            state.ticket = _idempotency.begin(exchange.request, state.site->id(), exchange.response);
            if (!state.ticket) return;
        }
        state.lease = plugins::Lease::take(state.entry->provider->service.generation);
        if (state.lease) return callHandler(exchange, state);
    }
    throw Problem::unavailable("overloaded", "The service is being replaced; try again.", 1);
}

/// Asks the page guard of the service. True: it has answered with a redirect.
bool Dispatcher::isStopped(http::Exchange& exchange, RequestState& state)
{
    const auto isPage = [&] { return state.entry->host == HostRoute::Page || state.entry->host == HostRoute::Home; };
    for (int tries = 0; tries < leaseAttempts; ++tries)
    {
        if (tries > 0) locateAgain(exchange, state);
        if (!isPage() || state.site->pageGuard == nullptr) return false;
        state.lease = plugins::Lease::take(state.site->service.generation);
        if (!state.lease) continue;
        exchange.request.stop = state.lease->stopToken();
        const plugins::PluginScope scope(state.lease->tag());
        state.lease->handler(state.site->pageGuard->slot).handle(exchange.request, exchange.response);
        if (exchange.response.status == 200) return false;
        exchange.response.cacheControl = "no-store";
        return true;
    }
    throw Problem::unavailable("overloaded", "The service is being replaced; try again.", 1);
}

/// The generation that the request found is stopping. The current table has its successor, or the state of the service. The successor's
/// route may require other permissions, so everything is checked again.
void Dispatcher::locateAgain(http::Exchange& exchange, RequestState& state)
{
    const auto body = state.entry->info->body;
    // The old table may end here, and with it what these look at.
    exchange.request.setRoute({});
    exchange.request.originService = {};
    exchange.request.origin = state.connectionOrigin;
    exchange.request.dropPathParameters();
    state.site = nullptr;
    state.entry = nullptr;
    state.problemRoute = nullptr;
    state.authorized = state.checked = false;
    // If this fails, the access log must not name the previous caller, which is destroyed here.
    exchange.request.caller = &Caller::nobody();
    state.caller.reset();
    state.sent = {};
    state.table = _environment.table.copy();
    state.findSite(exchange);
    state.findRoute(exchange.request);
    findCredential(exchange, state);
    // The body was received by the old route's rules, and an event loop only runs short reads.
    const bool suits = state.entry->info->body == body && (!state.readsOnLoop || state.entry->info->execution == Execution::ShortRead);
    if (!suits) throw Problem::unavailable("overloaded", "The service is being replaced; try again.", 1);
}

void Dispatcher::checkBeforeBody(http::Exchange& exchange, RequestState& state, const plugins::Lease& lease)
{
    if (!state.entry->info->checksBeforeBody || state.checked) return;
    const plugins::PluginScope scope(lease->tag());
    lease->handler(state.entry->info->slot).check(exchange.request);
    state.checked = true;
}

void Dispatcher::callHandler(http::Exchange& exchange, RequestState& state)
{
    exchange.request.stop = state.lease->stopToken();
    checkBeforeBody(exchange, state, state.lease);
    {
        const plugins::PluginScope scope(state.lease->tag());
        state.lease->handler(state.entry->info->slot).handle(exchange.request, exchange.response);
    }
    // Anything else is no answer of HTTP: its client would wait for one, or take it for another's.
    if (const int status = exchange.response.status; status < 200 || status > 599)
        throw std::logic_error("a handler answered with the status " + std::to_string(status));
    if (auto& source = exchange.response.source) source = insidePlugin(std::move(source), state.lease->tag());
    if (auto& live = exchange.response.live) live = _streams.guard(std::move(live), exchange.request, state);
    state.ticket.settle(exchange.response);
}

void Dispatcher::refuse(http::Exchange& exchange, int status, std::string_view code, std::string_view detail) noexcept
{
    const bool whole = serve(exchange,
                             [&](RequestState& state)
                             {
                                 // After `admit` what is known about the request stays; before, there is nothing yet.
                                 if (!state.table) begin(exchange, state);
                                 Problem problem(status, code, detail);
                                 if (status == 413 && state.entry != nullptr) _bodyRules.explainTooLarge(*state.entry->info, problem);
                                 answerProblem(problem, exchange.request, exchange.response, state);
                                 completeHeaders(exchange.request, state, exchange.response);
                             });
    if (!whole) exchange.response.status = status;
}

void Dispatcher::storingFailed(http::Exchange& exchange) noexcept
{
    serve(exchange,
          [&](RequestState& state)
          {
              answerException(_environment.log, exchange.request, exchange.response, state);
              completeHeaders(exchange.request, state, exchange.response);
          });
}

void Dispatcher::finished(http::Exchange& exchange) noexcept
{
    if (!exchange.state) return;
    // A failure here costs a line of the access log; the lease must still be released.
    serve(exchange,
          [&](const RequestState& state)
          {
              const auto latency = _environment.clock.steady() - exchange.started;
              if (state.entry != nullptr)
                  state.entry->meter->record(exchange.response.status, latency);
              else if (state.site != nullptr)
                  state.site->unmatched->record(exchange.response.status, latency);
              writeAccessLine(_environment.log, _settings.accessLog, exchange, latency);
              telemetry::finishServerSpan(state.trace, exchange.request, exchange.response.status, latency);
          });
    stateOf(exchange).recycle();
}

} // namespace portico::host::routing
