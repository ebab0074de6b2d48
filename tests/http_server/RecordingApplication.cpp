#include "http_server/RecordingApplication.h"

#include <chrono>

namespace portico::test
{

using host::http::Admission;
using host::http::BodyMode;
using host::http::Exchange;
using host::http::Lane;

/// State of an exchange between its first call and `finished`.
struct RecordingApplication::State final : host::http::ExchangeState
{
    bool open = true;
};

RecordingApplication::RecordingApplication()
{
    _missing.admission.lane = Lane::Loop;
    _missing.handle = [](Exchange& exchange) { exchange.response.status = 404; };
}

void RecordingApplication::route(const std::string& path, std::function<void(Exchange&)> handler)
{
    TestRoute plain;
    plain.admission.lane = Lane::Loop;
    plain.handle = std::move(handler);
    route(path, std::move(plain));
}

const TestRoute& RecordingApplication::routeOf(const Exchange& exchange) const
{
    const auto found = _routes.find(exchange.request.path);
    return found == _routes.end() ? _missing : found->second;
}

Admission RecordingApplication::admit(Exchange& exchange) noexcept
{
    ++_admitted;
    exchange.state = std::make_unique<State>();
    return routeOf(exchange).admission;
}

void RecordingApplication::fetch(Exchange& exchange, std::function<void()> ready) noexcept { routeOf(exchange).fetch(std::move(ready)); }

void RecordingApplication::resume(Exchange&, Admission& admission) noexcept { admission.lane = Lane::Loop; }

bool RecordingApplication::handleOnLoop(Exchange& exchange) noexcept
{
    if (!routeOf(exchange).loopSuffices) return false;
    handle(exchange);
    return true;
}

bool RecordingApplication::prepare(Exchange& exchange) noexcept { return routeOf(exchange).prepare(exchange); }

void RecordingApplication::handle(Exchange& exchange) noexcept
{
    ++_handling;
    _changed.notify_all();
    routeOf(exchange).handle(exchange);
    ++_handled;
}

void RecordingApplication::refuse(Exchange& exchange, int status, std::string_view code, std::string_view) noexcept
{
    ++_refused;
    if (!exchange.state || !static_cast<State&>(*exchange.state).open)
    {
        ++_refusedUnadmitted;
        exchange.state = std::make_unique<State>();
    }
    exchange.response.status = status;
    exchange.response.contentType = "application/problem+json";
    exchange.response.body = "{\"code\":\"" + std::string(code) + "\"}";
}

void RecordingApplication::finished(Exchange& exchange) noexcept
{
    auto& state = static_cast<State&>(*exchange.state);
    if (!state.open || exchange.response.source) _misused = true;
    state.open = false;
    if (exchange.delivered) ++_delivered;
    {
        const std::lock_guard lock(_mutex);
        ++_finished;
    }
    _changed.notify_all();
}

bool RecordingApplication::await(const std::atomic<int>& counter, int count)
{
    std::unique_lock lock(_mutex);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (counter < count && std::chrono::steady_clock::now() < deadline) _changed.wait_for(lock, std::chrono::milliseconds(20));
    return counter >= count;
}

bool RecordingApplication::awaitFinished(int count) { return await(_finished, count); }
bool RecordingApplication::awaitHandling(int count) { return await(_handling, count); }

} // namespace portico::test
