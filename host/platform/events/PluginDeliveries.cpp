#include "host/platform/events/PluginDeliveries.h"

#include <stdexcept>
#include <utility>

namespace portico::host::platform
{

std::vector<std::string> DeliveryRunner::types() const
{
    if (!_current.get()) return {};
    return {std::string(deliveryMessageJobType)};
}

RunResult DeliveryRunner::run(const ClaimedJob& job, std::stop_token stop)
{
    const auto functions = _current.get();
    std::optional<DeliveryEndpoint> endpoint;
    if (!functions || !functions->find.call({}, {job.endpointId, endpoint})) return RunResult::NotNow;
    if (!endpoint)
    {
        _endpoints.forget(job.endpointId);
        return RunResult::Done;
    }
    return _endpoints.isDisabled(job.endpointId) ? RunResult::Done : post(job, *endpoint, stop);
}

RunResult DeliveryRunner::post(const ClaimedJob& job, const DeliveryEndpoint& endpoint, const std::stop_token& stop) const
{
    auto message = storedDelivery(job.payload);
    DeliveryAttempt attempt;
    attempt.endpointId = job.endpointId;
    attempt.messageId = message.id;
    attempt.attempt = job.attempt;
    try
    {
        attempt.httpStatus = _post.send(endpoint.url, endpoint.secrets, endpoint.headers, message.id, std::move(message.body));
        attempt.delivered = attempt.last = true;
        _endpoints.succeeded(job.endpointId, attempt.httpStatus);
        tell(std::move(attempt));
        return RunResult::Done;
    }
    catch (const PostFailure& failure)
    {
        if (failure.isCutBy(stop)) return RunResult::NotNow;
        attempt.last = failure.gone() || job.attempt >= job.maxAttempts;
        attempt.httpStatus = failure.status;
        attempt.error = failure.what();
        _endpoints.failed(job.endpointId, failure.status, failure.what());
        if (failure.gone()) disable(job.endpointId, std::chrono::hours(0), failure.what());
        tell(std::move(attempt));
        failAttempt(failure);
    }
}

/// Calls the current generation: the one that knew the endpoint may have stopped.
void DeliveryRunner::tell(DeliveryAttempt attempt) const
try
{
    attempt.at = _clock.now();
    if (const auto functions = _current.get()) functions->told.call({}, attempt);
}
catch (const std::exception& error)
{
    _log.warning("a service could not be notified of a delivery", {{"error", error.what()}});
}

std::chrono::milliseconds DeliveryRunner::retryDelay(const ClaimedJob& job) const
{
    const auto functions = _current.get();
    return functions ? spread(functions->waits, job.attempt) : JobRunner::retryDelay(job);
}

void DeliveryRunner::gaveUp(const ClaimedJob& job, std::string_view error) { disable(job.endpointId, Deliveries::disabledAfter, error); }

void DeliveryRunner::disable(std::string_view endpointId, std::chrono::hours failingFor, std::string_view error) const
{
    if (_endpoints.disable(endpointId, failingFor))
        _log.warning("nothing more is delivered to an endpoint that does not take it; the service can enable it again",
                     {{"endpoint", endpointId}, {"error", error}});
}

PluginDeliveries::PluginDeliveries(std::shared_ptr<plugins::Generation> generation, SignallingDatabase& database,
                                   const EndpointStore& endpoints, DeliveryRunner& runner)
    : _database(database), _endpoints(endpoints), _runner(runner), _functions(std::make_shared<DeliveryTable>(std::move(generation)))
{
}

void PluginDeliveries::endpoints(Find find, std::vector<std::chrono::milliseconds> waits)
{
    if (_started) throw std::logic_error("deliveries: endpoints is called in start, and nowhere else");
    if (_functions->find.contains({})) throw std::logic_error("deliveries: endpoints was called before");
    if (!waits.empty()) _functions->waits = std::move(waits);
    _functions->find.add({}, [find = std::move(find)](const EndpointQuestion& question) { question.answer = find(question.endpointId); });
}

std::string PluginDeliveries::send(Session& session, const DeliveryMessage& message)
{
    if (!_functions->find.contains({})) throw std::logic_error("deliveries: no endpoints: call endpoints in start");
    auto id = _endpoints.send(session, message, static_cast<int>(_functions->waits.size()) + 1);
    if (!id.empty()) _database.expectWork(session);
    return id;
}

void PluginDeliveries::onAttempt(std::function<void(const DeliveryAttempt&)> told)
{
    if (_started) throw std::logic_error("deliveries: onAttempt is called in start, and nowhere else");
    if (_functions->told.contains({})) throw std::logic_error("deliveries: onAttempt was called before");
    _functions->told.add({}, std::move(told));
}

void PluginDeliveries::activate()
{
    _started = true;
    if (_functions->find.contains({})) _runner.current().set(_functions);
}

} // namespace portico::host::platform
