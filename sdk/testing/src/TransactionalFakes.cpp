#include "host/platform/events/EndpointStore.h"
#include "host/platform/events/Outbox.h"
#include "host/platform/events/PluginEvents.h"
#include "host/platform/jobs/JobRunner.h"
#include "host/platform/jobs/PluginJobs.h"
#include "host/platform/mail/MailMessage.h"
#include "host/platform/mail/MailQueue.h"

#include "portico/testing/FakeDeliveries.h"
#include "portico/testing/FakeEvents.h"
#include "portico/testing/FakeJobs.h"
#include "portico/testing/FakeMailer.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace portico::testing
{

using host::platform::ClaimedJob;
using host::platform::JobAttempt;
using host::platform::JobEnd;
using host::platform::JobStore;
using host::platform::NewJob;
using host::platform::Outbox;
using host::platform::RunResult;

namespace
{

/// Longer than any test, so that no job runs twice.
constexpr std::chrono::hours lease{24 * 365};

} // namespace

struct FakeJobs::State final : host::platform::JobRunner
{
    struct Functions
    {
        std::function<void(const Job&)> run;
        std::function<void(const Job&, std::string_view)> failed;
        std::vector<std::chrono::milliseconds> waits;
    };

    State(Database& database, const Clock& usedClock) : clock(usedClock), store(database, usedClock) {}

    std::vector<std::string> types() const override
    {
        std::vector<std::string> names;
        for (const auto& [type, declared] : functions) names.push_back(type);
        return names;
    }
    RunResult run(const ClaimedJob& job, std::stop_token) override
    {
        auto run = jobOf(job);
        run.pulse = pulse;
        functions.at(job.type).run(run);
        return RunResult::Done;
    }
    std::chrono::milliseconds retryDelay(const ClaimedJob& job) const override
    {
        const auto& waits = functions.at(job.type).waits;
        return waits.empty() ? JobRunner::retryDelay(job) : host::platform::spread(waits, job.attempt);
    }
    void gaveUp(const ClaimedJob& job, std::string_view error) override
    {
        if (const auto& tell = functions.at(job.type).failed) tell(jobOf(job), error);
    }

    Functions& declared(std::string_view type)
    {
        const auto found = functions.find(type);
        if (found == functions.end())
            throw std::logic_error("jobs: " + std::string(type) + ": the type needs a function: call handle for it first");
        return found->second;
    }
    static Job jobOf(const ClaimedJob& job) { return {job.id, job.type, job.payload, job.attempt, job.maxAttempts, job.createdAt, {}}; }
    void runClaimed(const ClaimedJob& job)
    {
        const auto end = JobAttempt(store, clock, *this, job).run([&] { return run(job, {}); }, [&] { return store.finish(job); }, {});
        if (end.kind == JobEnd::Kind::Failed || end.kind == JobEnd::Kind::Dead) failures.push_back(end.error);
        if (!end.toldError.empty()) failures.push_back(end.toldError);
    }

    const Clock& clock;
    JobStore store;
    std::map<std::string, Functions, std::less<>> functions;
    std::vector<std::string> failures;
    /// Shared by all runs: one runs at a time.
    const std::shared_ptr<JobPulse> pulse = std::make_shared<JobPulse>();
};

FakeJobs::FakeJobs(Database& database, const Clock& clock) : _state(std::make_unique<State>(database, clock)) {}
FakeJobs::~FakeJobs() = default;

void FakeJobs::forget() { _state->functions.clear(); }

void FakeJobs::handle(std::string_view type, std::function<void(const Job&)> run)
{
    if (!_state->functions.emplace(std::string(type), State::Functions{std::move(run), {}, {}}).second)
        throw std::logic_error("jobs: " + std::string(type) + ": the type has a function already");
}

void FakeJobs::backOff(std::string_view type, std::vector<std::chrono::milliseconds> waits)
{
    _state->declared(type).waits = std::move(waits);
}

void FakeJobs::onFailure(std::string_view type, std::function<void(const Job&, std::string_view error)> tell)
{
    _state->declared(type).failed = std::move(tell);
}

std::string FakeJobs::enqueue(Session& session, std::string_view type, std::string_view payload, const JobOptions& options)
{
    const auto found = _state->functions.find(type);
    return _state->store.enqueue(
        session, host::platform::jobToStore(type, payload, options, found == _state->functions.end() ? 0 : found->second.waits.size()));
}

bool FakeJobs::cancel(Session& session, std::string_view id) { return _state->store.cancel(session, id); }

bool FakeJobs::cancelByKey(Session& session, std::string_view dedupeKey) { return _state->store.cancelByKey(session, dedupeKey); }

void FakeJobs::every(std::string_view type, std::chrono::seconds interval)
{
    _state->declared(type);
    _state->store.ensurePeriodic(type, interval);
}

void FakeJobs::waitsForServers(std::string_view type) { _state->declared(type); }

std::vector<FakeJobs::Waiting> FakeJobs::waiting() const
{
    std::vector<Waiting> found;
    auto session = _state->store.database().session();
    for (const Row row : session.query("SELECT id, type, payload, due_at, attempt FROM portico_job"
                                       " WHERE dead_at IS NULL AND type NOT LIKE 'portico.%' ORDER BY created_at, id"))
        found.push_back({row.get<std::string>(0), row.get<std::string>(1), row.get<std::string>(2), row.get<Instant>(3), row.get<int>(4)});
    return found;
}

std::vector<FakeJobs::Waiting> FakeJobs::waiting(std::string_view type) const
{
    auto found = waiting();
    std::erase_if(found, [&](const Waiting& job) { return job.type != type; });
    return found;
}

std::size_t FakeJobs::runDue()
{
    std::size_t count = 0;
    for (auto job = _state->store.claim(_state->types(), lease); job; job = _state->store.claim(_state->types(), lease), ++count)
        _state->runClaimed(*job);
    return count;
}

std::string FakeJobs::beat() { return _state->pulse->beat(); }

std::vector<std::string> FakeJobs::failures() const { return _state->failures; }

std::size_t FakeJobs::deadLetters() const { return static_cast<std::size_t>(_state->store.countDead()); }

struct FakeEvents::State
{
    State(Database& published, const Clock& clock) : database(published), jobs(published, clock), outbox(published, jobs, clock) {}

    Database& database;
    JobStore jobs;
    Outbox outbox;
    std::vector<std::pair<std::string, std::function<void(const Event&)>>> subscriptions;
    std::set<std::string> given;
};

FakeEvents::FakeEvents(Database& database, const Clock& clock) : _state(std::make_unique<State>(database, clock)) {}
FakeEvents::~FakeEvents() = default;

void FakeEvents::forget() { _state->subscriptions.clear(); }

void FakeEvents::publish(Session& session, std::string_view type, std::string_view organizationId, std::string_view data)
{
    host::platform::requireEventData(type, data);
    _state->outbox.publish(session, type, organizationId, data);
}

void FakeEvents::subscribe(std::string_view pattern, std::function<void(const Event&)> receive)
{
    _state->subscriptions.emplace_back(std::string(pattern), std::move(receive));
}

std::vector<Event> FakeEvents::published() const { return _state->outbox.waiting(1'000'000).events; }

std::vector<Event> FakeEvents::published(std::string_view type) const
{
    auto events = published();
    std::erase_if(events, [&](const Event& event) { return event.type != type; });
    return events;
}

std::vector<Event> FakeEvents::fresh()
{
    auto events = published();
    std::erase_if(events, [&](const Event& event) { return !_state->given.insert(event.id).second; });
    return events;
}

std::size_t FakeEvents::deliver(const Event& event)
{
    std::size_t count = 0;
    for (const auto& [pattern, receive] : _state->subscriptions)
    {
        if (!host::platform::matchesEvent(pattern, event.type)) continue;
        receive(event);
        ++count;
    }
    return count;
}

struct FakeDeliveries::State
{
    State(Database& used, const Clock& clock) : database(used), jobs(used, clock), endpoints(used, jobs, clock) {}
    Database& database;
    JobStore jobs;
    host::platform::EndpointStore endpoints;
    Find find;
    std::function<void(const DeliveryAttempt&)> told;
};

FakeDeliveries::FakeDeliveries(Database& database, const Clock& clock) : _state(std::make_unique<State>(database, clock)) {}
FakeDeliveries::~FakeDeliveries() = default;

void FakeDeliveries::forget()
{
    _state->find = nullptr;
    _state->told = nullptr;
}

void FakeDeliveries::endpoints(Find find, std::vector<std::chrono::milliseconds>)
{
    if (_state->find) throw std::logic_error("deliveries: endpoints was called before");
    _state->find = std::move(find);
}

std::string FakeDeliveries::send(Session& session, const DeliveryMessage& message)
{
    if (!_state->find) throw std::logic_error("deliveries: no endpoints: call endpoints in start");
    return _state->endpoints.send(session, message, 1);
}

std::optional<DeliveryStatus> FakeDeliveries::status(Session& session, std::string_view endpointId)
{
    return _state->endpoints.status(session, endpointId);
}

std::vector<DeliveryStatus> FakeDeliveries::list(Session& session) { return _state->endpoints.list(session); }

bool FakeDeliveries::enable(Session& session, std::string_view endpointId) { return _state->endpoints.enable(session, endpointId); }

void FakeDeliveries::forget(Session& session, std::string_view endpointId) { _state->endpoints.forget(session, endpointId); }

void FakeDeliveries::onAttempt(std::function<void(const DeliveryAttempt&)> told)
{
    if (_state->told) throw std::logic_error("deliveries: onAttempt was called before");
    _state->told = std::move(told);
}

std::vector<FakeDeliveries::Sent> FakeDeliveries::sent() const
{
    std::vector<Sent> found;
    auto session = _state->database.session();
    for (const Row row : session.query("SELECT endpoint_id, payload FROM portico_job WHERE type = $1 ORDER BY created_at, id",
                                       host::platform::deliveryMessageJobType))
    {
        auto message = host::platform::storedDelivery(row.text(1));
        found.push_back({row.get<std::string>(0), std::move(message.id), std::move(message.body)});
    }
    return found;
}

std::optional<DeliveryEndpoint> FakeDeliveries::where(std::string_view endpointId) const
{
    return _state->find ? _state->find(endpointId) : std::nullopt;
}

void FakeDeliveries::succeed(std::string_view endpointId) { _state->endpoints.succeeded(endpointId, 200); }

void FakeDeliveries::fail(std::string_view endpointId, int httpStatus, std::string_view error)
{
    _state->endpoints.failed(endpointId, httpStatus, error);
}

void FakeDeliveries::attempt(const DeliveryAttempt& how)
{
    if (how.delivered)
        succeed(how.endpointId);
    else
        fail(how.endpointId, how.httpStatus, how.error);
    if (_state->told) _state->told(how);
}

void FakeDeliveries::disable(std::string_view endpointId)
{
    fail(endpointId, 410, "the endpoint answered 410");
    _state->endpoints.disable(endpointId, std::chrono::hours(0));
}

struct FakeMailer::State
{
    State(Database& database, const Clock& clock) : jobs(database, clock) {}
    JobStore jobs;
    std::vector<std::string> senders;
};

FakeMailer::FakeMailer(Database& database, const Clock& clock) : _state(std::make_unique<State>(database, clock)) {}
FakeMailer::~FakeMailer() = default;

std::string FakeMailer::send(Session& session, const Mail& mail)
{
    host::platform::checkMail(mail, _state->senders);
    return host::platform::queueMail(_state->jobs, session, mail, "noreply@test.example");
}

void FakeMailer::allowSenders(std::vector<std::string> senders) { _state->senders = std::move(senders); }

std::vector<Mail> FakeMailer::sent() const
{
    std::vector<Mail> mails;
    auto session = _state->jobs.database().session();
    for (const Row row :
         session.query("SELECT payload FROM portico_job WHERE type = $1 ORDER BY created_at, id", host::platform::mailJobType))
        mails.push_back(host::platform::mailFrom(row.text(0)));
    return mails;
}

std::vector<Mail> FakeMailer::sentTo(std::string_view address) const
{
    auto mails = sent();
    std::erase_if(mails, [&](const Mail& mail) { return mail.to != address; });
    return mails;
}

} // namespace portico::testing
