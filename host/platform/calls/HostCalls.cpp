#include "host/platform/calls/HostCalls.h"

#include "host/platform/outbound/HttpTarget.h"
#include "host/telemetry/Tracer.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace portico::host::platform
{

namespace
{

using Outcome = CallResult::Outcome;

void requireCallable(const Call& call)
{
    const auto& request = call.request;
    requireSendable(request.method, request.headers);
    if (request.bodyFile != nullptr || !request.form.empty() || request.bodyInto != nullptr || request.maxRedirects != 0)
        throw std::invalid_argument("calls: a body from or into a file, or a redirect to follow");
    if (!call.service.empty() && !request.url.starts_with('/'))
        throw std::invalid_argument("calls: expected a path for a service of this host, found " + request.url);
}

CallResult resultOf(Outcome outcome)
{
    CallResult result;
    result.outcome = outcome;
    return result;
}

/// The trace of the request that the current thread works for, as a header value; empty without one.
std::string currentTrace()
{
    const auto* span = telemetry::RequestContext::span();
    return span != nullptr && span->present ? telemetry::toTraceparent(span->context) : std::string();
}

} // namespace

std::vector<std::optional<CallResult>> HostCalls::send(std::vector<Call> calls, std::chrono::milliseconds deadline, Late late,
                                                       std::size_t parallel)
{
    const auto until = std::chrono::steady_clock::now() + deadline;
    for (const auto& call : calls) requireCallable(call);
    const bool passesOn = static_cast<bool>(late);
    const auto batch = std::make_shared<CallBatch>(std::move(calls), std::move(late), _generation, _parts.threads);
    if (passesOn)
    {
        const std::lock_guard lock(_mutex);
        std::erase_if(_batches, [](const auto& known) { return known.expired(); });
        _batches.push_back(batch);
    }
    return batch->run([this](const auto& self, std::size_t index, Call call) { begin(self, index, std::move(call)); }, parallel, until);
}

void HostCalls::begin(const std::shared_ptr<CallBatch>& batch, std::size_t index, Call call)
{
    if (!call.service.empty()) return beginLocal(batch, index, std::move(call));
    _parts.http.send(std::move(call.request), currentTrace(),
                     [batch, index](CallResult result) { batch->complete(index, std::move(result)); });
}

void HostCalls::beginLocal(const std::shared_ptr<CallBatch>& batch, std::size_t index, Call call)
{
    const auto trace = currentTrace();
    auto& headers = call.request.headers;
    if (!trace.empty() && std::ranges::find(headers, "traceparent", &std::pair<std::string, std::string>::first) == headers.end())
        headers.emplace_back("traceparent", trace);
    const auto lane = call.service;
    const auto until = std::chrono::steady_clock::now() + call.request.timeout;
    const auto shared = std::make_shared<const Call>(std::move(call));
    const auto work = [batch, index, shared, until, &local = _parts.local]
    {
        // A call that has waited too long is not made.
        if (std::chrono::steady_clock::now() >= until) return batch->complete(index, resultOf(Outcome::TimedOut));
        batch->complete(index, local(*shared));
    };
    if (!_parts.local || !_parts.threads.run(lane, work)) batch->complete(index, resultOf(Outcome::NotReached));
}

void HostCalls::clear()
{
    const std::lock_guard lock(_mutex);
    for (const auto& known : _batches)
        if (const auto batch = known.lock()) batch->forget();
    _batches.clear();
}

} // namespace portico::host::platform
