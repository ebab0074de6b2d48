#include "platform/Concurrently.h"
#include "platform/JobFixture.h"
#include "support/Suite.h"

#include "host/telemetry/Tracer.h"

#include "portico/Problem.h"

#include <set>
#include <stdexcept>
#include <string>

namespace portico::tests
{

using namespace host::platform;
using namespace std::chrono_literals;

/// When jobs run, how they are taken back, and what becomes of those that fail, on both engines alike.
template <class Engine>
class JobOutcomeTest : public Suite<JobOutcomeTest<Engine>>
{
    using Self = JobOutcomeTest;

    void setUp() override { _f = std::make_unique<JobFixture>(Engine::dialect); }
    void tearDown() override { _f.reset(); }

    TEST(dueTimeIsKept)
    {
        NewJob job;
        job.dueAt = _f->clock.now() + 1h;
        job.delay = 10s;
        _f->enqueue(job);
        _f->clock.advance(1h + 9'999ms);
        CHECK(!runOne());
        _f->clock.advance(1ms);
        CHECK(runOne());
    }

    TEST(waitingJobsAreCancelled)
    {
        const auto id = _f->enqueue();
        _f->enqueueWithKey("k");
        CHECK(cancel(id));
        CHECK(!cancel(id));
        CHECK(cancelByKey("k"));
        CHECK(!cancelByKey("k"));
        CHECK(!runOne());
        CHECK(!_f->enqueueWithKey("k").empty());
    }

    TEST(jobsThatWaitForAnotherAttemptAreCancelled)
    {
        const auto id = _f->enqueue();
        throws([] { throw std::runtime_error("no"); });
        CHECK(runOne());
        CHECK(cancel(id));
        CHECK(_f->jobs().empty());
    }

    TEST(cancelIsPartOfTheTransaction)
    {
        const auto id = _f->enqueue();
        {
            auto transaction = _f->database.begin();
            CHECK(_f->store.cancel(transaction, id));
        }
        CHECK(runOne());
        _f->database.transact(
            [&](Transaction& transaction)
            {
                NewJob job;
                job.type = "test";
                CHECK(_f->store.cancel(transaction, _f->store.enqueue(transaction, job)));
            });
        CHECK(!runOne());
    }

    TEST(cancelIgnoresFinishedJobs)
    {
        const auto running = _f->enqueueWithKey("running");
        claim();
        CHECK(!cancel(running) && !cancelByKey("running"));
        const auto dead = _f->enqueue();
        _f->store.markDead(claim(), "dead");
        CHECK(!cancel(dead));
        _f->store.ensurePeriodic("test", 60s);
        CHECK(!cancelByKey("every:test"));
        NewJob mail;
        mail.type = "portico.mail";
        CHECK(!cancel(_f->enqueue(mail)));
        CHECK(!cancel("job_none") && !cancelByKey(""));
        equal(4, _f->jobs().size());
    }

    TEST(cancelAndRunNeverBothHappen)
    {
        for (int round = 0; round < 20; ++round)
        {
            const auto id = _f->enqueue();
            std::atomic<int> cancelled{0};
            std::atomic<int> ran{0};
            _f->runner.onRun = [&](const ClaimedJob&, std::stop_token)
            {
                ++ran;
                return RunResult::Done;
            };
            concurrently(2,
                         [&](std::size_t thread)
                         {
                             if (thread == 0) return void(runOne());
                             if (cancel(id)) ++cancelled;
                         });
            equal(1, cancelled + ran);
        }
    }

    TEST(retriesWhenItSaid)
    {
        _f->enqueue();
        throws([] { throw JobRetry::after(90s, "the other side wants to be left alone"); });
        CHECK(runOne());
        CHECK(dueIn() == 90s);
        equal(1, _f->jobs().at(0).attempt);
        equal("the other side wants to be left alone", _f->jobs().at(0).lastError);
        throws([] { throw JobRetry::after(-5s); });
        _f->clock.advance(90s);
        CHECK(runOne());
        CHECK(dueIn() == 0s);
    }

    TEST(retriesAtAnInstant)
    {
        _f->enqueue();
        const auto at = _f->clock.now() + 3h;
        throws([&] { throw JobRetry::at(at); });
        _f->clock.advance(1h);
        CHECK(runOne());
        CHECK(dueIn() == 2h);
    }

    TEST(uncountedRetriesNeverEnd)
    {
        NewJob job;
        job.maxAttempts = 1;
        _f->enqueue(job);
        throws([] { throw JobRetry::after(1s, "locked").uncounted(); });
        for (int i = 0; i < 30; ++i)
        {
            CHECK(runOne());
            _f->clock.advance(1s);
        }
        equal(0, _f->jobs().at(0).attempt);
        equal("locked", _f->jobs().at(0).lastError);
    }

    TEST(countedRetriesEnd)
    {
        NewJob job;
        job.maxAttempts = 2;
        _f->enqueue(job);
        throws([] { throw JobRetry::after(1s, "busy"); });
        runOne();
        _f->clock.advance(1s);
        runOne();
        equal("busy", _f->jobs(JobState::Dead).at(0).lastError);
    }

    TEST(longWaitsAreNotBroughtNear)
    {
        _f->enqueue();
        throws([] { throw JobRetry::after(std::chrono::days(5)); });
        runOne();
        _f->store.bringNear();
        CHECK(dueIn() == std::chrono::days(5));
    }

    TEST(waitsOfAClockThatWasAheadAreBroughtNear)
    {
        _f->enqueue();
        _f->clock.advance(std::chrono::days(400));
        throws([] { throw JobRetry::after(1h); });
        runOne();
        _f->clock.advance(-std::chrono::days(400));
        _f->store.bringNear();
        CHECK(dueIn() == 1h);
        _f->store.bringNear();
        CHECK(dueIn() == 1h);
    }

    TEST(failsForGoodAtOnce)
    {
        _f->enqueue();
        throws([] { throw JobFailed("404: there is no such page"); });
        CHECK(runOne());
        const auto dead = _f->jobs(JobState::Dead).at(0);
        equal("404: there is no such page", dead.lastError);
        equal(1, dead.attempt);
    }

    TEST(namesWhatAProblemFound)
    {
        NewJob job;
        job.maxAttempts = 1;
        _f->enqueue(job);
        throws([] { throw Problem::invalid("subject", "invalid", "One line without control characters"); });
        CHECK(runOne());
        _f->enqueue(job);
        throws([] { throw Problem::notFound("There is no such tool."); });
        CHECK(runOne());
        std::set<std::string> errors;
        for (const auto& dead : _f->jobs(JobState::Dead)) errors.insert(dead.lastError);
        CHECK((errors == std::set<std::string>{"not_found: There is no such tool.",
                                               "validation_failed: subject: One line without control characters"}));
    }

    TEST(failureIsReportedBeforeTheEnd)
    {
        NewJob job;
        job.maxAttempts = 2;
        _f->enqueue(job);
        throws([] { throw std::runtime_error("no"); });
        std::vector<std::string> told;
        _f->runner.onFailure = [&](const ClaimedJob& failed, std::string_view error)
        {
            told.push_back(std::to_string(failed.attempt) + " " + std::string(error));
            CHECK(_f->jobs(JobState::Dead).empty());
        };
        runOne();
        CHECK(told.empty());
        _f->clock.advance(1h);
        runOne();
        CHECK(told == std::vector<std::string>{"2 no"});
        equal(1, _f->jobs(JobState::Dead).size());
    }

    TEST(failureIsReportedAgain)
    {
        _f->enqueue();
        throws([] { throw JobFailed("for good"); });
        std::vector<std::string> told;
        _f->runner.onFailure = [&](const ClaimedJob&, std::string_view error)
        {
            told.emplace_back(error);
            if (told.size() < 3) throw std::runtime_error("the database is away");
        };
        int runs = 0;
        for (; runs < 10 && _f->jobs(JobState::Dead).empty(); ++runs)
        {
            CHECK(runOne());
            // Not the job itself: it has failed.
            throws([] { CPPUNIT_FAIL("the job ran again"); });
            equal("for good", _f->jobs().at(0).lastError);
            _f->clock.advance(JobAttempt::tellEvery);
        }
        equal(3, runs);
        CHECK(told == std::vector<std::string>(3, "for good"));
    }

    TEST(failureIsReportedWhenTheHostDied)
    {
        NewJob job;
        job.maxAttempts = 1;
        _f->enqueue(job);
        claim(); // and its host is gone
        _f->clock.advance(60s);
        std::string told;
        _f->runner.onFailure = [&](const ClaimedJob&, std::string_view error) { told = error; };
        CHECK(runOne());
        CHECK(told.find("the last attempt was never ended") != std::string::npos);
        equal(1, _f->jobs(JobState::Dead).size());
    }

    TEST(failureReportsEnd)
    {
        _f->enqueue();
        throws([] { throw JobFailed("for good"); });
        int told = 0;
        _f->runner.onFailure = [&](const ClaimedJob&, std::string_view)
        {
            ++told;
            throw std::runtime_error("never");
        };
        while (_f->jobs(JobState::Dead).empty())
        {
            CHECK(runOne());
            _f->clock.advance(JobAttempt::tellEvery);
        }
        equal(static_cast<int>(JobAttempt::tellFor / JobAttempt::tellEvery) + 1, told);
        equal("for good", _f->jobs().at(0).lastError);
    }

    TEST(failuresOfPeriodicJobsAreNotReported)
    {
        _f->store.ensurePeriodic("test", 60s);
        throws([] { throw JobFailed("for good"); });
        _f->runner.onFailure = [](const ClaimedJob&, std::string_view) { CPPUNIT_FAIL("it comes back"); };
        CHECK(runOne());
        CHECK(dueIn() == 60s);
    }

    TEST(retriedByTheOperatorRunsAgain)
    {
        const auto id = _f->enqueue();
        throws([] { throw JobFailed("for good"); });
        _f->runner.onFailure = [](const ClaimedJob&, std::string_view) { throw std::runtime_error("not now"); };
        runOne();
        CHECK(_f->store.retryNow(id)); // while its report is pending
        int ran = 0;
        throws([&] { ++ran; });
        CHECK(runOne());
        equal(1, ran);
        CHECK(_f->jobs().empty());
    }

    TEST(traceIsCarriedOn)
    {
        constexpr std::string_view parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        host::telemetry::ActiveSpan request;
        request.present = true;
        request.context = host::telemetry::parseTraceparent(parent).value();
        request.context.state = "vendor=a";
        {
            const host::telemetry::RequestContext scope(request);
            _f->enqueue();
        }
        _f->enqueue();
        std::vector<std::string> traces;
        _f->runner.onRun = [&](const ClaimedJob&, std::stop_token)
        {
            traces.push_back(host::telemetry::carriedTrace());
            // Jobs that it enqueues belong there, too.
            if (traces.size() == 1) _f->enqueue();
            return RunResult::Done;
        };
        while (runOne()) continue;
        const auto carried = std::string(parent) + " vendor=a";
        std::sort(traces.begin(), traces.end());
        CHECK(traces == std::vector<std::string>({"", carried, carried}));
    }

    TEST(traceOfAnEventReachesItsDeliveries)
    {
        host::telemetry::ActiveSpan request;
        request.present = true;
        request.context = host::telemetry::parseTraceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01").value();
        {
            const host::telemetry::RequestContext scope(request);
            _f->database.transact([&](Transaction& transaction) { _f->outbox.publish(transaction, "crm.x", "org_1", "{}"); });
        }
        NewJob delivery;
        delivery.type = "test";
        const std::vector<host::platform::Dispatch> made{{_f->outbox.waiting(1).events.at(0).id, {delivery}}};
        equal(1, _f->outbox.dispatch(made));
        equal(host::telemetry::toTraceparent(request.context), claim().trace);
    }

    bool runOne() { return _f->lane.runOne(_f->queue); }
    ClaimedJob claim() { return _f->store.claim(std::vector<std::string>{"test"}, 60s).value(); }
    std::chrono::milliseconds dueIn() { return _f->store.nextDue(std::vector<std::string>{"test"}).value() - _f->clock.now(); }
    bool cancel(std::string_view id)
    {
        return _f->database.transact([&](Transaction& transaction) { return _f->store.cancel(transaction, id); });
    }
    bool cancelByKey(std::string_view key)
    {
        return _f->database.transact([&](Transaction& transaction) { return _f->store.cancelByKey(transaction, key); });
    }
    void throws(std::function<void()> what)
    {
        _f->runner.onRun = [what = std::move(what)](const ClaimedJob&, std::stop_token)
        {
            what();
            return RunResult::Done;
        };
    }

    std::unique_ptr<JobFixture> _f;
};

template class JobOutcomeTest<OnSqlite>;
template class JobOutcomeTest<OnPostgres>;

} // namespace portico::tests
