#include "host/platform/events/Outbox.h"
#include "host/platform/events/PluginEvents.h"
#include "host/platform/jobs/JobRunner.h"
#include "host/platform/jobs/JobStore.h"
#include "host/platform/mail/MailMessage.h"
#include "host/platform/mail/MailQueue.h"

#include "portico/testing/FakeEvents.h"
#include "portico/testing/FakeJobs.h"
#include "portico/testing/FakeMailer.h"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace portico::testing
{

using host::platform::ClaimedJob;
using host::platform::JobStore;
using host::platform::NewJob;
using host::platform::Outbox;

namespace
{

/// No test takes that long, so nothing is ever run twice because of it.
constexpr std::chrono::hours lease{24 * 365};

} // namespace

struct FakeJobs::State
{
    State(Database& database, const Clock& clock) : store(database, clock) {}

    std::vector<std::string> types() const
    {
        std::vector<std::string> names;
        for (const auto& [type, run] : functions) names.push_back(type);
        return names;
    }

    void runClaimed(const ClaimedJob& job)
    {
        try
        {
            functions.at(job.type)(Job{job.id, job.type, job.payload, job.attempt, {}});
            store.finish(job);
        }
        catch (const std::exception& error)
        {
            failures.emplace_back(error.what());
            if (job.attempt < job.maxAttempts)
                store.retryLater(job, host::platform::exponentialDelay(job.attempt), error.what());
            else
                store.bury(job, error.what());
        }
    }

    JobStore store;
    std::map<std::string, std::function<void(const Job&)>, std::less<>> functions;
    std::vector<std::string> failures;
};

FakeJobs::FakeJobs(Database& database, const Clock& clock) : _state(std::make_unique<State>(database, clock)) {}
FakeJobs::~FakeJobs() = default;

void FakeJobs::handle(std::string_view type, std::function<void(const Job&)> run)
{
    if (!_state->functions.emplace(std::string(type), std::move(run)).second)
        throw std::logic_error("jobs: " + std::string(type) + ": the type has a function already");
}

std::string FakeJobs::enqueue(Session& session, std::string_view type, std::string_view payload, const Options& options)
{
    NewJob job;
    job.type = type;
    job.payload = payload;
    job.delay = options.delay;
    job.maxAttempts = options.maxAttempts;
    job.dedupeKey = options.dedupeKey;
    return _state->store.enqueue(session, job);
}

void FakeJobs::every(std::string_view type, std::chrono::seconds interval)
{
    if (!_state->functions.contains(std::string(type)))
        throw std::logic_error("jobs: " + std::string(type) + ": every needs a function: call handle for it first");
    _state->store.ensurePeriodic(type, interval);
}

std::vector<FakeJobs::Waiting> FakeJobs::waiting() const
{
    std::vector<Waiting> found;
    auto session = _state->store.database().session();
    for (const Row row : session.query("SELECT id, type, payload, due_at, attempt FROM portico_job"
                                       " WHERE dead_at IS NULL AND type <> $1 ORDER BY created_at, id",
                                       host::platform::mailJobType))
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

std::vector<std::string> FakeJobs::failures() const { return _state->failures; }

std::size_t FakeJobs::deadLetters() const { return static_cast<std::size_t>(_state->store.countDead()); }

struct FakeEvents::State
{
    State(Database& published, const Clock& clock) : database(published), jobs(published, clock), outbox(published, jobs, clock) {}

    Database& database;
    JobStore jobs;
    Outbox outbox;
    std::vector<std::pair<std::string, std::function<void(const Event&)>>> subscriptions;
};

FakeEvents::FakeEvents(Database& database, const Clock& clock) : _state(std::make_unique<State>(database, clock)) {}
FakeEvents::~FakeEvents() = default;

void FakeEvents::publish(Session& session, std::string_view type, std::string_view organizationId, std::string_view data)
{
    host::platform::requireEventData(type, data);
    _state->outbox.publish(session, type, organizationId, data);
}

void FakeEvents::subscribe(std::string_view pattern, std::function<void(const Event&)> receive)
{
    _state->subscriptions.emplace_back(std::string(pattern), std::move(receive));
}

std::vector<Event> FakeEvents::published() const { return _state->outbox.waiting(1'000'000); }

std::vector<Event> FakeEvents::published(std::string_view type) const
{
    auto events = published();
    std::erase_if(events, [&](const Event& event) { return event.type != type; });
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

struct FakeMailer::State
{
    State(Database& database, const Clock& clock) : jobs(database, clock) {}
    JobStore jobs;
};

FakeMailer::FakeMailer(Database& database, const Clock& clock) : _state(std::make_unique<State>(database, clock)) {}
FakeMailer::~FakeMailer() = default;

void FakeMailer::send(Session& session, const Mail& mail)
{
    host::platform::checkMail(mail);
    NewJob job;
    job.type = host::platform::mailJobType;
    job.payload = host::platform::payloadOf(mail);
    _state->jobs.enqueue(session, job);
}

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
