#include "platform/Concurrently.h"
#include "platform/JobFixture.h"
#include "support/TimedLatch.h"

#include "portico/Problem.h"

#include <cppunit/extensions/HelperMacros.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <stdexcept>

namespace portico::tests
{

using namespace host::platform;
using namespace std::chrono_literals;

/// What jobs promise, on both engines alike.
template <class Engine>
class JobsTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(JobsTest);
    CPPUNIT_TEST(existExactlyIfTheChangeDoes);
    CPPUNIT_TEST(runWhenDue);
    CPPUNIT_TEST(runOldestFirst);
    CPPUNIT_TEST(areGivenToOneOfManyThreads);
    CPPUNIT_TEST(runAgainWithGrowingWaits);
    CPPUNIT_TEST(becomeDeadLetters);
    CPPUNIT_TEST(areNotCountedWhenNothingWasTried);
    CPPUNIT_TEST(waitForTheirRunner);
    CPPUNIT_TEST(leaseExpires);
    CPPUNIT_TEST(renewalKeepsTheLease);
    CPPUNIT_TEST(whoLostTheLeaseEndsNothing);
    CPPUNIT_TEST(lostLeaseAsksToStop);
    CPPUNIT_TEST(heartbeatsBeatWhileTheirJobRuns);
    CPPUNIT_TEST(thatKillTheirHostAreBuried);
    CPPUNIT_TEST(dedupeKeyIsTakenOnce);
    CPPUNIT_TEST(dedupeKeyIsFreeAfterTheEnd);
    CPPUNIT_TEST(dedupeKeyRacesHaveOneWinner);
    CPPUNIT_TEST(deadLettersFreeTheirKey);
    CPPUNIT_TEST(operatorRetries);
    CPPUNIT_TEST(operatorDiscards);
    CPPUNIT_TEST(runningJobsAreLeftAlone);
    CPPUNIT_TEST(periodicJobsComeBack);
    CPPUNIT_TEST(periodicJobsNeverDie);
    CPPUNIT_TEST(periodicJobsExistOnce);
    CPPUNIT_TEST(intervalCanChange);
    CPPUNIT_TEST(releaseAllFreesWhatACrashLeft);
    CPPUNIT_TEST(aClockThatWasAheadHoldsNothingBack);
    CPPUNIT_TEST(aClockThatWasAheadKeepsNoLeaseAndNoRetryForEver);
    CPPUNIT_TEST(longErrorsAreCutAtACharacter);
    CPPUNIT_TEST(threadsRunWhatIsPoked);
    CPPUNIT_TEST(threadsRunWhatAJobMade);
    CPPUNIT_TEST(threadsRunAgainWhatIsDueAgain);
    CPPUNIT_TEST(jobsThatFollowWritesRestWhileNothingIsWritten);
    CPPUNIT_TEST(endOfAJobClaimsTheNext);
    CPPUNIT_TEST(nothingIsClaimedWhenTheHostStops);
    CPPUNIT_TEST(stopAsksRunningJobsToEnd);
    CPPUNIT_TEST(endOfATransactionIsSignalled);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override { _f = std::make_unique<JobFixture>(Engine::dialect); }
    void tearDown() override { _f.reset(); }

    void existExactlyIfTheChangeDoes()
    {
        {
            auto transaction = _f->database.begin();
            _f->store.enqueue(transaction, testJob());
        }
        CPPUNIT_ASSERT(!runOne());
        _f->enqueue();
        CPPUNIT_ASSERT(runOne());
        CPPUNIT_ASSERT(!runOne());
        CPPUNIT_ASSERT(_f->jobs().empty());
    }

    void runWhenDue()
    {
        auto job = testJob();
        job.delay = 10s;
        _f->enqueue(job);
        CPPUNIT_ASSERT(_f->store.nextDue(types()).value() == _f->clock.now() + 10s);
        _f->clock.advance(9'999ms);
        CPPUNIT_ASSERT(!runOne());
        _f->clock.advance(1ms);
        CPPUNIT_ASSERT(runOne());
    }

    void runOldestFirst()
    {
        std::vector<std::string> order;
        _f->runner.onRun = [&](const ClaimedJob& job, std::stop_token)
        {
            order.push_back(job.payload);
            return RunResult::Done;
        };
        for (const auto* payload : {"a", "b", "c"})
        {
            auto job = testJob();
            job.payload = payload;
            _f->enqueue(job);
            _f->clock.advance(1ms);
        }
        while (runOne()) continue;
        CPPUNIT_ASSERT(order == std::vector<std::string>({"a", "b", "c"}));
    }

    void areGivenToOneOfManyThreads()
    {
        constexpr int count = 40;
        for (int i = 0; i < count; ++i) _f->enqueue();
        std::mutex mutex;
        std::multiset<std::string> seen;
        _f->runner.onRun = [&](const ClaimedJob& job, std::stop_token)
        {
            const std::lock_guard lock(mutex);
            seen.insert(job.id);
            return RunResult::Done;
        };
        concurrently(4,
                     [&](std::size_t)
                     {
                         while (runOne()) continue;
                     });
        CPPUNIT_ASSERT_EQUAL(std::size_t{count}, seen.size());
        CPPUNIT_ASSERT_EQUAL(std::size_t{count}, std::set<std::string>(seen.begin(), seen.end()).size());
        CPPUNIT_ASSERT(_f->jobs().empty());
    }

    void runAgainWithGrowingWaits()
    {
        _f->enqueue();
        fail("first");
        CPPUNIT_ASSERT(runOne());
        CPPUNIT_ASSERT(!runOne());
        CPPUNIT_ASSERT(dueIn() == 1s);
        CPPUNIT_ASSERT_EQUAL(std::string("first"), _f->jobs().at(0).lastError);
        _f->clock.advance(1s);
        CPPUNIT_ASSERT(runOne());
        CPPUNIT_ASSERT(dueIn() == 2s);
        CPPUNIT_ASSERT_EQUAL(2, _f->jobs().at(0).attempt);
        for (int attempt = 1; attempt < 30; ++attempt)
        {
            const auto wait = exponentialDelay(attempt);
            CPPUNIT_ASSERT(wait >= 8s && wait <= 72min);
        }
        CPPUNIT_ASSERT(exponentialDelay(1) <= 12s);
        CPPUNIT_ASSERT(exponentialDelay(30) >= 48min);
    }

    void becomeDeadLetters()
    {
        auto job = testJob();
        job.maxAttempts = 2;
        _f->enqueue(job);
        fail("no luck");
        runOne();
        _f->clock.advance(1h);
        runOne();
        _f->clock.advance(24h);
        CPPUNIT_ASSERT(!runOne());
        const auto dead = _f->jobs(JobState::Dead);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, dead.size());
        CPPUNIT_ASSERT_EQUAL(std::string("dead"), dead[0].state);
        CPPUNIT_ASSERT_EQUAL(2, dead[0].attempt);
        CPPUNIT_ASSERT_EQUAL(std::string("no luck"), dead[0].lastError);
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, _f->store.countDead());
    }

    void areNotCountedWhenNothingWasTried()
    {
        _f->enqueue();
        _f->runner.onRun = [](const ClaimedJob&, std::stop_token) { return RunResult::NotNow; };
        for (int i = 0; i < 20; ++i)
        {
            CPPUNIT_ASSERT(runOne());
            _f->clock.advance(1min);
        }
        CPPUNIT_ASSERT_EQUAL(0, _f->jobs().at(0).attempt);
        CPPUNIT_ASSERT_EQUAL(std::string("waiting"), _f->jobs().at(0).state);
    }

    void waitForTheirRunner()
    {
        _f->enqueue();
        _f->runner.runnable = false;
        CPPUNIT_ASSERT(!runOne());
        CPPUNIT_ASSERT_EQUAL(0, _f->jobs().at(0).attempt);
        _f->runner.runnable = true;
        // It goes while the job is about to run: the next one need not wait.
        _f->runner.onRun = [&](const ClaimedJob&, std::stop_token)
        {
            _f->runner.runnable = false;
            return RunResult::NotNow;
        };
        CPPUNIT_ASSERT(runOne());
        CPPUNIT_ASSERT(!runOne());
        _f->runner.runnable = true;
        _f->runner.onRun = [](const ClaimedJob&, std::stop_token) { return RunResult::Done; };
        CPPUNIT_ASSERT(runOne());
        CPPUNIT_ASSERT(_f->jobs().empty());
    }

    void leaseExpires()
    {
        const auto id = _f->enqueue();
        const auto first = claim();
        CPPUNIT_ASSERT_EQUAL(id, first.id);
        _f->clock.advance(60s - 1ms);
        CPPUNIT_ASSERT(!_f->store.claim(types(), 60s));
        _f->clock.advance(1ms);
        const auto second = claim();
        CPPUNIT_ASSERT_EQUAL(id, second.id);
        CPPUNIT_ASSERT_EQUAL(2, second.attempt);
        CPPUNIT_ASSERT(first.lease != second.lease);
    }

    void renewalKeepsTheLease()
    {
        _f->enqueue();
        const auto job = claim();
        for (int i = 0; i < 10; ++i)
        {
            _f->clock.advance(30s);
            CPPUNIT_ASSERT(_f->store.renew(job, 60s));
            CPPUNIT_ASSERT(!_f->store.claim(types(), 60s));
        }
        CPPUNIT_ASSERT(_f->store.finish(job));
    }

    void whoLostTheLeaseEndsNothing()
    {
        const auto id = _f->enqueue();
        const auto slow = claim();
        _f->clock.advance(60s);
        const auto quick = claim();
        CPPUNIT_ASSERT(!_f->store.renew(slow, 60s));
        CPPUNIT_ASSERT(!_f->store.finish(slow));
        CPPUNIT_ASSERT(!_f->store.retryLater(slow, 1s, "x"));
        CPPUNIT_ASSERT(!_f->store.putBack(slow, 1s));
        CPPUNIT_ASSERT(!_f->store.bury(slow, "x"));
        CPPUNIT_ASSERT_EQUAL(std::string("running"), _f->jobs().at(0).state);
        CPPUNIT_ASSERT(_f->store.finish(quick));
    }

    void lostLeaseAsksToStop()
    {
        _f->enqueue();
        bool stopped = false;
        _f->runner.onRun = [&](const ClaimedJob&, std::stop_token stop)
        {
            _f->clock.advance(60s);
            const auto rival = claim();
            _f->lane.renewLeases();
            stopped = stop.stop_requested();
            _f->store.finish(rival);
            return RunResult::Done;
        };
        CPPUNIT_ASSERT(runOne());
        CPPUNIT_ASSERT(stopped);
    }

    void heartbeatsBeatWhileTheirJobRuns()
    {
        _f->enqueue();
        int beats = 0;
        _f->runner.onRun = [&](const ClaimedJob& claimed, std::stop_token)
        {
            Job job;
            job.pulse = claimed.pulse;
            _f->lane.renewLeases();
            {
                const JobHeartbeat heartbeat(job, [&] { ++beats; });
                _f->lane.renewLeases();
                _f->lane.renewLeases();
            }
            _f->lane.renewLeases();
            // A failure of a heartbeat is no failure of the job.
            const JobHeartbeat heartbeat(job, [] { throw std::runtime_error("no database"); });
            _f->lane.renewLeases();
            return RunResult::Done;
        };
        CPPUNIT_ASSERT(runOne());
        CPPUNIT_ASSERT_EQUAL(2, beats);
        CPPUNIT_ASSERT(_f->jobs().empty());
        CPPUNIT_ASSERT(_f->lane.renewalInterval() <= 20s);
    }

    void thatKillTheirHostAreBuried()
    {
        auto job = testJob();
        job.maxAttempts = 2;
        _f->enqueue(job);
        for (int i = 0; i < 2; ++i)
        {
            claim(); // and its host is gone
            _f->clock.advance(60s);
        }
        bool ran = false;
        _f->runner.onRun = [&](const ClaimedJob&, std::stop_token)
        {
            ran = true;
            return RunResult::Done;
        };
        CPPUNIT_ASSERT(runOne());
        CPPUNIT_ASSERT(!ran);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _f->jobs(JobState::Dead).size());
    }

    void dedupeKeyIsTakenOnce()
    {
        CPPUNIT_ASSERT(!_f->enqueueWithKey("sync:1").empty());
        CPPUNIT_ASSERT(_f->enqueueWithKey("sync:1").empty());
        CPPUNIT_ASSERT(!_f->enqueueWithKey("sync:2").empty());
        const auto job = claim();
        CPPUNIT_ASSERT(_f->enqueueWithKey("sync:1").empty()); // running is unfinished
        _f->store.finish(job);
    }

    void dedupeKeyIsFreeAfterTheEnd()
    {
        _f->enqueueWithKey("k");
        CPPUNIT_ASSERT(runOne());
        CPPUNIT_ASSERT(!_f->enqueueWithKey("k").empty());
    }

    void dedupeKeyRacesHaveOneWinner()
    {
        for (int round = 0; round < 10; ++round)
        {
            std::atomic<int> won{0};
            concurrently(4,
                         [&](std::size_t)
                         {
                             if (!_f->enqueueWithKey("round" + std::to_string(round)).empty()) ++won;
                         });
            CPPUNIT_ASSERT_EQUAL(1, won.load());
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t{10}, _f->jobs().size());
    }

    void deadLettersFreeTheirKey()
    {
        const auto dead = bury("k");
        CPPUNIT_ASSERT(!_f->enqueueWithKey("k").empty());
        try
        {
            _f->store.retryNow(dead);
            CPPUNIT_FAIL("two unfinished jobs have one key");
        }
        catch (const Problem& problem)
        {
            CPPUNIT_ASSERT_EQUAL(409, problem.status());
        }
        CPPUNIT_ASSERT(runOne());
        CPPUNIT_ASSERT(_f->store.retryNow(dead));
    }

    void operatorRetries()
    {
        const auto id = bury("k");
        CPPUNIT_ASSERT(!_f->store.retryNow("job_none"));
        CPPUNIT_ASSERT(_f->store.retryNow(id));
        const auto job = claim();
        CPPUNIT_ASSERT_EQUAL(id, job.id);
        CPPUNIT_ASSERT_EQUAL(1, job.attempt);
    }

    void operatorDiscards()
    {
        const auto id = bury("k");
        CPPUNIT_ASSERT(_f->store.discard(id));
        CPPUNIT_ASSERT(!_f->store.discard(id));
        CPPUNIT_ASSERT(_f->jobs().empty());
    }

    void runningJobsAreLeftAlone()
    {
        const auto id = _f->enqueue();
        claim();
        CPPUNIT_ASSERT(!_f->store.discard(id));
        CPPUNIT_ASSERT(!_f->store.retryNow(id));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _f->jobs(JobState::Running).size());
        CPPUNIT_ASSERT(_f->jobs(JobState::Waiting).empty());
    }

    void periodicJobsComeBack()
    {
        _f->store.ensurePeriodic("test", 60s);
        CPPUNIT_ASSERT(runOne());
        CPPUNIT_ASSERT(!runOne());
        _f->clock.advance(60s);
        CPPUNIT_ASSERT(runOne());
    }

    void periodicJobsNeverDie()
    {
        _f->store.ensurePeriodic("test", 60s);
        fail("always");
        for (int i = 0; i < 30; ++i)
        {
            CPPUNIT_ASSERT(runOne());
            _f->clock.advance(1h);
        }
        CPPUNIT_ASSERT(_f->jobs(JobState::Dead).empty());
        CPPUNIT_ASSERT_EQUAL(std::string("always"), _f->jobs().at(0).lastError);
    }

    void periodicJobsExistOnce()
    {
        concurrently(4, [&](std::size_t) { _f->store.ensurePeriodic("test", 60s); });
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _f->jobs().size());
        const auto running = claim();
        CPPUNIT_ASSERT(!_f->store.claim(types(), 60s));
        _f->store.finish(running);
    }

    void intervalCanChange()
    {
        _f->store.ensurePeriodic("test", 60s);
        _f->store.ensurePeriodic("test", 5s);
        runOne();
        CPPUNIT_ASSERT(dueIn() == 5s);
    }

    void releaseAllFreesWhatACrashLeft()
    {
        _f->enqueue();
        claim();
        _f->store.releaseAll();
        CPPUNIT_ASSERT_EQUAL(std::string("waiting"), _f->jobs().at(0).state);
        CPPUNIT_ASSERT_EQUAL(2, claim().attempt);
    }

    void aClockThatWasAheadHoldsNothingBack()
    {
        _f->clock.advance(std::chrono::days(400));
        _f->store.ensurePeriodic("test", 60s);
        runOne(); // due in 60 s of the wrong time
        NewJob late;
        late.type = "other";
        late.delay = std::chrono::days(3);
        _f->enqueue(late);
        _f->clock.advance(-std::chrono::days(400));
        _f->store.bringNear();
        CPPUNIT_ASSERT(dueIn() == 60s);
        CPPUNIT_ASSERT(dueIn({"other"}) == std::chrono::days(3));
        // What waits as it should is left alone.
        _f->clock.advance(10s);
        _f->store.bringNear();
        CPPUNIT_ASSERT(dueIn() == 50s);
        CPPUNIT_ASSERT(dueIn({"other"}) == std::chrono::days(3) - 10s);
    }

    void aClockThatWasAheadKeepsNoLeaseAndNoRetryForEver()
    {
        _f->clock.advance(std::chrono::days(400));
        _f->enqueue();
        claim();
        _f->clock.advance(-std::chrono::days(400));
        _f->store.bringNear();
        CPPUNIT_ASSERT_EQUAL(2, claim().attempt);
        _f->store.bringNear();
        CPPUNIT_ASSERT(dueIn() > 1s); // the lease of a host whose clock is right
    }

    void longErrorsAreCutAtACharacter()
    {
        _f->enqueue();
        std::string text(999, 'x');
        for (int i = 0; i < 100; ++i) text += "ü";
        fail(text);
        CPPUNIT_ASSERT(runOne()); // PostgreSQL refuses broken UTF-8
        CPPUNIT_ASSERT_EQUAL(std::size_t{999}, _f->jobs().at(0).lastError.size());
    }

    void threadsRunWhatIsPoked()
    {
        constexpr int count = 20;
        tests::TimedLatch done(count);
        _f->runner.onRun = [&](const ClaimedJob&, std::stop_token)
        {
            done.count_down();
            return RunResult::Done;
        };
        _f->lane.add(_f->queue);
        _f->lane.start();
        for (int i = 0; i < count; ++i) _f->enqueue();
        _f->lane.poke(_f->queue);
        done.wait();
        _f->lane.stop();
        CPPUNIT_ASSERT(_f->jobs().empty());
    }

    void threadsRunWhatAJobMade()
    {
        tests::TimedLatch done(3);
        std::atomic<int> runs{0};
        _f->runner.onRun = [&](const ClaimedJob&, std::stop_token)
        {
            if (++runs < 3) _f->enqueue();
            done.count_down();
            return RunResult::Done;
        };
        _f->enqueue();
        _f->lane.add(_f->queue);
        _f->lane.start();
        done.wait();
        _f->lane.stop();
    }

    void threadsRunAgainWhatIsDueAgain()
    {
        tests::TimedLatch done(3);
        _f->runner.delay = 0ms;
        _f->runner.onRun = [&](const ClaimedJob& job, std::stop_token)
        {
            done.count_down();
            if (job.attempt < 3) throw std::runtime_error("again");
            return RunResult::Done;
        };
        _f->lane.add(_f->queue);
        _f->lane.start();
        _f->enqueue();
        _f->lane.poke(_f->queue);
        done.wait();
        _f->lane.stop();
    }

    void jobsThatFollowWritesRestWhileNothingIsWritten()
    {
        std::uint64_t writes = 0;
        host::platform::JobLane::Queue queue("crm", _f->store, {&_f->runner}, [&writes] { return writes; });
        _f->store.ensurePeriodic("test", 2s);
        const auto run = [&]
        {
            _f->clock.advance(60s);
            CPPUNIT_ASSERT(_f->lane.runOne(queue));
            return std::chrono::duration_cast<std::chrono::seconds>(_f->jobs().at(0).dueAt - _f->clock.now());
        };
        for (const auto wait : {2s, 2s, 2s}) CPPUNIT_ASSERT(wait == run()); // it does not follow them
        _f->runner.follows = true;
        for (const auto wait : {2s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) CPPUNIT_ASSERT(wait == run());
        CPPUNIT_ASSERT(_f->store.endRests());
        CPPUNIT_ASSERT(_f->clock.now() + 2s == _f->jobs().at(0).dueAt);
        CPPUNIT_ASSERT(!_f->store.endRests());
        _f->runner.onRun = [&writes](const auto&, auto)
        {
            ++writes;
            return host::platform::RunResult::Done;
        };
        CPPUNIT_ASSERT(2s == run());
    }

    void endOfAJobClaimsTheNext()
    {
        const std::vector<std::string> types{"test"};
        const auto first = _f->enqueue(), second = _f->enqueue(), third = _f->enqueue();
        const auto running = claim();
        CPPUNIT_ASSERT_EQUAL(first, running.id);
        std::optional<ClaimedJob> next;
        std::optional<Instant> due;
        CPPUNIT_ASSERT(_f->store.finishAndClaim(running, {}, types, 60s, next, due));
        CPPUNIT_ASSERT_EQUAL(second, next.value().id);
        CPPUNIT_ASSERT_EQUAL(1, next->attempt);
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, _f->jobs().size());
        // Whose lease was lost ends nothing, and may still go on with another.
        _f->clock.advance(60s);
        const auto taken = claim();
        CPPUNIT_ASSERT_EQUAL(third, taken.id);
        CPPUNIT_ASSERT_EQUAL(second, claim().id);
        CPPUNIT_ASSERT(!_f->store.finishAndClaim(*next, {}, types, 60s, next, due));
        CPPUNIT_ASSERT(!next);
        CPPUNIT_ASSERT(_f->store.finishAndClaim(taken, {}, types, 60s, next, due));
        CPPUNIT_ASSERT(!next);
        CPPUNIT_ASSERT_EQUAL(second, _f->jobs().at(0).id);
    }

    void nothingIsClaimedWhenTheHostStops()
    {
        tests::TimedLatch done(1);
        std::atomic<int> runs{0};
        _f->runner.onRun = [&](const ClaimedJob&, std::stop_token)
        {
            ++runs;
            _f->lane.requestStop();
            _f->enqueue();
            done.count_down();
            return RunResult::Done;
        };
        _f->enqueue();
        _f->lane.add(_f->queue);
        _f->lane.start();
        done.wait();
        _f->lane.stop();
        CPPUNIT_ASSERT_EQUAL(1, runs.load());
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _f->jobs().size());
        CPPUNIT_ASSERT_EQUAL(std::string("waiting"), _f->jobs().at(0).state);
        CPPUNIT_ASSERT_EQUAL(0, _f->jobs().at(0).attempt);
    }

    void stopAsksRunningJobsToEnd()
    {
        tests::TimedLatch running(1);
        _f->runner.onRun = [&](const ClaimedJob&, std::stop_token stop)
        {
            running.count_down();
            tests::TimedLatch stopped(1);
            const std::stop_callback wake(stop, [&] { stopped.count_down(); });
            stopped.wait();
            return RunResult::NotNow;
        };
        _f->enqueue();
        _f->lane.add(_f->queue);
        _f->lane.start();
        running.wait();
        _f->lane.stop();
        CPPUNIT_ASSERT_EQUAL(std::string("waiting"), _f->jobs().at(0).state);
        CPPUNIT_ASSERT_EQUAL(0, _f->jobs().at(0).attempt);
    }

    void endOfATransactionIsSignalled()
    {
        {
            auto transaction = _f->database.begin();
            _f->database.expectWork(transaction);
            _f->database.expectWork(transaction);
            CPPUNIT_ASSERT_EQUAL(0, _f->signals.load());
            transaction.commit();
        }
        CPPUNIT_ASSERT_EQUAL(1, _f->signals.load());
        _f->database.transact([](Transaction&) {});
        CPPUNIT_ASSERT_EQUAL(1, _f->signals.load());
    }

private:
    static std::vector<std::string> types() { return {"test"}; }
    static NewJob testJob()
    {
        NewJob job;
        job.type = "test";
        return job;
    }
    bool runOne() { return _f->lane.runOne(_f->queue); }
    ClaimedJob claim() { return _f->store.claim(types(), 60s).value(); }
    std::chrono::milliseconds dueIn() { return dueIn(types()); }
    std::chrono::milliseconds dueIn(const std::vector<std::string>& types) { return _f->store.nextDue(types).value() - _f->clock.now(); }
    void fail(const std::string& text)
    {
        _f->runner.onRun = [text](const ClaimedJob&, std::stop_token) -> RunResult { throw std::runtime_error(text); };
    }
    std::string bury(const std::string& key)
    {
        auto id = _f->enqueueWithKey(key);
        _f->store.bury(claim(), "dead");
        return id;
    }

    std::unique_ptr<JobFixture> _f;
};

CPPUNIT_TEST_SUITE_REGISTRATION(JobsTest<OnSqlite>);
CPPUNIT_TEST_SUITE_REGISTRATION(JobsTest<OnPostgres>);

} // namespace portico::tests
