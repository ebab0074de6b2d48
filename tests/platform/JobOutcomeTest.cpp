#include "platform/Concurrently.h"
#include "platform/JobFixture.h"

#include "host/telemetry/Tracer.h"

#include "portico/Problem.h"

#include <cppunit/extensions/HelperMacros.h>

#include <set>
#include <stdexcept>
#include <string>

namespace portico::tests
{

using namespace host::platform;
using namespace std::chrono_literals;

/// When jobs run, how they are taken back, and what becomes of those that fail, on both engines alike.
template <class Engine>
class JobOutcomeTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(JobOutcomeTest);
    CPPUNIT_TEST(dueTimeIsKept);
    CPPUNIT_TEST(waitingJobsAreCancelled);
    CPPUNIT_TEST(jobsThatWaitForAnotherAttemptAreCancelled);
    CPPUNIT_TEST(cancelIsPartOfTheTransaction);
    CPPUNIT_TEST(whatIsNotWaitingIsNotCancelled);
    CPPUNIT_TEST(cancelAndRunNeverBothHappen);
    CPPUNIT_TEST(retriesWhenItSaid);
    CPPUNIT_TEST(retriesAtAnInstant);
    CPPUNIT_TEST(uncountedRetriesNeverEnd);
    CPPUNIT_TEST(countedRetriesEnd);
    CPPUNIT_TEST(longWaitsAreNotBroughtNear);
    CPPUNIT_TEST(waitsOfAClockThatWasAheadAreBroughtNear);
    CPPUNIT_TEST(failsForGoodAtOnce);
    CPPUNIT_TEST(namesWhatAProblemFound);
    CPPUNIT_TEST(failureIsToldBeforeTheEnd);
    CPPUNIT_TEST(failureIsToldAgain);
    CPPUNIT_TEST(failureIsToldWhenTheHostDied);
    CPPUNIT_TEST(failureIsNotToldForEver);
    CPPUNIT_TEST(periodicJobsAreNotToldOf);
    CPPUNIT_TEST(retriedByTheOperatorRunsAgain);
    CPPUNIT_TEST(traceIsCarriedOn);
    CPPUNIT_TEST(traceOfAnEventReachesItsDeliveries);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override { _f = std::make_unique<JobFixture>(Engine::dialect); }
    void tearDown() override { _f.reset(); }

    void dueTimeIsKept()
    {
        NewJob job;
        job.dueAt = _f->clock.now() + 1h;
        job.delay = 10s;
        _f->enqueue(job);
        _f->clock.advance(1h + 9'999ms);
        CPPUNIT_ASSERT(!runOne());
        _f->clock.advance(1ms);
        CPPUNIT_ASSERT(runOne());
    }

    void waitingJobsAreCancelled()
    {
        const auto id = _f->enqueue();
        _f->enqueueWithKey("k");
        CPPUNIT_ASSERT(cancel(id));
        CPPUNIT_ASSERT(!cancel(id));
        CPPUNIT_ASSERT(cancelByKey("k"));
        CPPUNIT_ASSERT(!cancelByKey("k"));
        CPPUNIT_ASSERT(!runOne());
        CPPUNIT_ASSERT(!_f->enqueueWithKey("k").empty());
    }

    void jobsThatWaitForAnotherAttemptAreCancelled()
    {
        const auto id = _f->enqueue();
        throws([] { throw std::runtime_error("no"); });
        CPPUNIT_ASSERT(runOne());
        CPPUNIT_ASSERT(cancel(id));
        CPPUNIT_ASSERT(_f->jobs().empty());
    }

    void cancelIsPartOfTheTransaction()
    {
        const auto id = _f->enqueue();
        {
            auto transaction = _f->database.begin();
            CPPUNIT_ASSERT(_f->store.cancel(transaction, id));
        }
        CPPUNIT_ASSERT(runOne());
        _f->database.transact(
            [&](Transaction& transaction)
            {
                NewJob job;
                job.type = "test";
                CPPUNIT_ASSERT(_f->store.cancel(transaction, _f->store.enqueue(transaction, job)));
            });
        CPPUNIT_ASSERT(!runOne());
    }

    void whatIsNotWaitingIsNotCancelled()
    {
        const auto running = _f->enqueueWithKey("running");
        claim();
        CPPUNIT_ASSERT(!cancel(running) && !cancelByKey("running"));
        const auto dead = _f->enqueue();
        _f->store.bury(claim(), "dead");
        CPPUNIT_ASSERT(!cancel(dead));
        _f->store.ensurePeriodic("test", 60s);
        CPPUNIT_ASSERT(!cancelByKey("every:test"));
        NewJob mail;
        mail.type = "portico.mail";
        CPPUNIT_ASSERT(!cancel(_f->enqueue(mail)));
        CPPUNIT_ASSERT(!cancel("job_none") && !cancelByKey(""));
        CPPUNIT_ASSERT_EQUAL(std::size_t{4}, _f->jobs().size());
    }

    void cancelAndRunNeverBothHappen()
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
            CPPUNIT_ASSERT_EQUAL(1, cancelled + ran);
        }
    }

    void retriesWhenItSaid()
    {
        _f->enqueue();
        throws([] { throw JobRetry::after(90s, "the other side wants to be left alone"); });
        CPPUNIT_ASSERT(runOne());
        CPPUNIT_ASSERT(dueIn() == 90s);
        CPPUNIT_ASSERT_EQUAL(1, _f->jobs().at(0).attempt);
        CPPUNIT_ASSERT_EQUAL(std::string("the other side wants to be left alone"), _f->jobs().at(0).lastError);
        throws([] { throw JobRetry::after(-5s); });
        _f->clock.advance(90s);
        CPPUNIT_ASSERT(runOne());
        CPPUNIT_ASSERT(dueIn() == 0s);
    }

    void retriesAtAnInstant()
    {
        _f->enqueue();
        const auto at = _f->clock.now() + 3h;
        throws([&] { throw JobRetry::at(at); });
        _f->clock.advance(1h);
        CPPUNIT_ASSERT(runOne());
        CPPUNIT_ASSERT(dueIn() == 2h);
    }

    void uncountedRetriesNeverEnd()
    {
        NewJob job;
        job.maxAttempts = 1;
        _f->enqueue(job);
        throws([] { throw JobRetry::after(1s, "locked").uncounted(); });
        for (int i = 0; i < 30; ++i)
        {
            CPPUNIT_ASSERT(runOne());
            _f->clock.advance(1s);
        }
        CPPUNIT_ASSERT_EQUAL(0, _f->jobs().at(0).attempt);
        CPPUNIT_ASSERT_EQUAL(std::string("locked"), _f->jobs().at(0).lastError);
    }

    void countedRetriesEnd()
    {
        NewJob job;
        job.maxAttempts = 2;
        _f->enqueue(job);
        throws([] { throw JobRetry::after(1s, "busy"); });
        runOne();
        _f->clock.advance(1s);
        runOne();
        CPPUNIT_ASSERT_EQUAL(std::string("busy"), _f->jobs(JobState::Dead).at(0).lastError);
    }

    void longWaitsAreNotBroughtNear()
    {
        _f->enqueue();
        throws([] { throw JobRetry::after(std::chrono::days(5)); });
        runOne();
        _f->store.bringNear();
        CPPUNIT_ASSERT(dueIn() == std::chrono::days(5));
    }

    void waitsOfAClockThatWasAheadAreBroughtNear()
    {
        _f->enqueue();
        _f->clock.advance(std::chrono::days(400));
        throws([] { throw JobRetry::after(1h); });
        runOne();
        _f->clock.advance(-std::chrono::days(400));
        _f->store.bringNear();
        CPPUNIT_ASSERT(dueIn() == 1h);
        _f->store.bringNear();
        CPPUNIT_ASSERT(dueIn() == 1h);
    }

    void failsForGoodAtOnce()
    {
        _f->enqueue();
        throws([] { throw JobFailed("404: there is no such page"); });
        CPPUNIT_ASSERT(runOne());
        const auto dead = _f->jobs(JobState::Dead).at(0);
        CPPUNIT_ASSERT_EQUAL(std::string("404: there is no such page"), dead.lastError);
        CPPUNIT_ASSERT_EQUAL(1, dead.attempt);
    }

    void namesWhatAProblemFound()
    {
        NewJob job;
        job.maxAttempts = 1;
        _f->enqueue(job);
        throws([] { throw Problem::invalid("subject", "invalid", "One line without control characters"); });
        CPPUNIT_ASSERT(runOne());
        _f->enqueue(job);
        throws([] { throw Problem::notFound("There is no such tool."); });
        CPPUNIT_ASSERT(runOne());
        std::set<std::string> errors;
        for (const auto& dead : _f->jobs(JobState::Dead)) errors.insert(dead.lastError);
        CPPUNIT_ASSERT((errors == std::set<std::string>{"not_found: There is no such tool.",
                                                        "validation_failed: subject: One line without control characters"}));
    }

    void failureIsToldBeforeTheEnd()
    {
        NewJob job;
        job.maxAttempts = 2;
        _f->enqueue(job);
        throws([] { throw std::runtime_error("no"); });
        std::vector<std::string> told;
        _f->runner.onFailure = [&](const ClaimedJob& failed, std::string_view error)
        {
            told.push_back(std::to_string(failed.attempt) + " " + std::string(error));
            CPPUNIT_ASSERT(_f->jobs(JobState::Dead).empty());
        };
        runOne();
        CPPUNIT_ASSERT(told.empty());
        _f->clock.advance(1h);
        runOne();
        CPPUNIT_ASSERT(told == std::vector<std::string>{"2 no"});
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _f->jobs(JobState::Dead).size());
    }

    void failureIsToldAgain()
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
            CPPUNIT_ASSERT(runOne());
            // Not the job itself: it has failed.
            throws([] { CPPUNIT_FAIL("the job ran again"); });
            CPPUNIT_ASSERT_EQUAL(std::string("for good"), _f->jobs().at(0).lastError);
            _f->clock.advance(JobAttempt::tellEvery);
        }
        CPPUNIT_ASSERT_EQUAL(3, runs);
        CPPUNIT_ASSERT(told == std::vector<std::string>(3, "for good"));
    }

    void failureIsToldWhenTheHostDied()
    {
        NewJob job;
        job.maxAttempts = 1;
        _f->enqueue(job);
        claim(); // and its host is gone
        _f->clock.advance(60s);
        std::string told;
        _f->runner.onFailure = [&](const ClaimedJob&, std::string_view error) { told = error; };
        CPPUNIT_ASSERT(runOne());
        CPPUNIT_ASSERT(told.find("the last attempt was never ended") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _f->jobs(JobState::Dead).size());
    }

    void failureIsNotToldForEver()
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
            CPPUNIT_ASSERT(runOne());
            _f->clock.advance(JobAttempt::tellEvery);
        }
        CPPUNIT_ASSERT_EQUAL(static_cast<int>(JobAttempt::tellFor / JobAttempt::tellEvery) + 1, told);
        CPPUNIT_ASSERT_EQUAL(std::string("for good"), _f->jobs().at(0).lastError);
    }

    void periodicJobsAreNotToldOf()
    {
        _f->store.ensurePeriodic("test", 60s);
        throws([] { throw JobFailed("for good"); });
        _f->runner.onFailure = [](const ClaimedJob&, std::string_view) { CPPUNIT_FAIL("it comes back"); };
        CPPUNIT_ASSERT(runOne());
        CPPUNIT_ASSERT(dueIn() == 60s);
    }

    void retriedByTheOperatorRunsAgain()
    {
        const auto id = _f->enqueue();
        throws([] { throw JobFailed("for good"); });
        _f->runner.onFailure = [](const ClaimedJob&, std::string_view) { throw std::runtime_error("not now"); };
        runOne();
        CPPUNIT_ASSERT(_f->store.retryNow(id)); // while it waits to be told
        int ran = 0;
        throws([&] { ++ran; });
        CPPUNIT_ASSERT(runOne());
        CPPUNIT_ASSERT_EQUAL(1, ran);
        CPPUNIT_ASSERT(_f->jobs().empty());
    }

    void traceIsCarriedOn()
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
            // What it enqueues belongs there, too.
            if (traces.size() == 1) _f->enqueue();
            return RunResult::Done;
        };
        while (runOne()) continue;
        const auto carried = std::string(parent) + " vendor=a";
        std::sort(traces.begin(), traces.end());
        CPPUNIT_ASSERT(traces == std::vector<std::string>({"", carried, carried}));
    }

    void traceOfAnEventReachesItsDeliveries()
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
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _f->outbox.dispatch(made));
        CPPUNIT_ASSERT_EQUAL(host::telemetry::toTraceparent(request.context), claim().trace);
    }

private:
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

CPPUNIT_TEST_SUITE_REGISTRATION(JobOutcomeTest<OnSqlite>);
CPPUNIT_TEST_SUITE_REGISTRATION(JobOutcomeTest<OnPostgres>);

} // namespace portico::tests
