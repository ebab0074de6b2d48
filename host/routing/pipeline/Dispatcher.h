#pragma once

#include "host/data/SharedReads.h"
#include "host/http/Application.h"
#include "host/routing/builtin/HostRoutes.h"
#include "host/routing/idempotency/Idempotency.h"
#include "host/routing/pipeline/Authentication.h"
#include "host/routing/pipeline/BodyRules.h"
#include "host/routing/pipeline/LiveStreams.h"
#include "host/routing/pipeline/RateLimits.h"
#include "host/routing/pipeline/RequestState.h"
#include "host/routing/pipeline/Settings.h"
#include "host/routing/table/RouteTable.h"
#include "host/telemetry/Tracer.h"

#include "portico/Clock.h"
#include "portico/Logger.h"

#include <string_view>

namespace portico::host::routing
{

/// Dependencies of the dispatcher; all outlive it.
struct Environment
{
    const CurrentTable& table;
    const Clock& clock;
    Logger& log;
    CredentialsFinder findCredentials;
    IdempotencyStore& idempotency;
    HealthSource& health;
    telemetry::Tracer tracer{};
    /// Where hosts count requests together; null: each for itself.
    StateStore* shared = nullptr;
    /// Reads for many requests at a time; null: databases are files of the host.
    data::SharedReads* reads = nullptr;
};

/// Leads each request through the stages, in this order: request id, access log and metrics, limits, CORS and preflight, authentication,
/// permission and scope, idempotency, lease, handler, problem mapping, headers. No lock is held during a stage.
class Dispatcher final : public http::Application
{
public:
    Dispatcher(Environment environment, Settings settings);

    http::Admission admit(http::Exchange& exchange) noexcept override;
    void fetch(http::Exchange& exchange, std::function<void()> ready) noexcept override;
    void resume(http::Exchange& exchange, http::Admission& admission) noexcept override;
    bool handleOnLoop(http::Exchange& exchange) noexcept override;
    bool prepare(http::Exchange& exchange) noexcept override;
    void handle(http::Exchange& exchange) noexcept override;
    void refuse(http::Exchange& exchange, int status, std::string_view code, std::string_view detail) noexcept override;
    void storingFailed(http::Exchange& exchange) noexcept override;
    void finished(http::Exchange& exchange) noexcept override;

private:
    template <class Step>
    bool serve(http::Exchange& exchange, Step&& step, bool mayWait = true) const noexcept;
    void begin(http::Exchange& exchange, RequestState& state) const;
    /// Runs one step of a request: whatever it throws becomes the answer. False when it threw.
    template <class Step>
    bool attempt(http::Exchange& exchange, Step&& step) const;
    http::Admission route(http::Exchange& exchange, RequestState& state);
    bool readsOnLoop(http::Exchange& exchange, RequestState& state) const;
    bool asksShared(const http::Exchange& exchange, const RequestState& state, const http::Admission& admission) const;
    void findCaller(http::Exchange& exchange, RequestState& state, http::Admission& admission) const;
    void authorize(http::Exchange& exchange, RequestState& state);
    template <class Step>
    auto rateLimitingFailures(http::Exchange& exchange, RequestState& state, Step&& step);
    void findCredential(http::Exchange& exchange, RequestState& state);
    void run(http::Exchange& exchange, RequestState& state);
    bool isStopped(http::Exchange& exchange, RequestState& state);
    void locateAgain(http::Exchange& exchange, RequestState& state);
    static void checkBeforeBody(http::Exchange& exchange, RequestState& state, const plugins::Lease& lease);
    void callHandler(http::Exchange& exchange, RequestState& state);

    const Environment _environment;
    const Settings _settings;
    BodyRules _bodyRules;
    RateLimits _rateLimits;
    Authentication _authentication;
    LiveStreams _streams;
    Idempotency _idempotency;
};

} // namespace portico::host::routing
