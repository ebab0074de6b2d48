#include "platform/Concurrently.h"
#include "platform/JobFixture.h"
#include "support/Suite.h"
#include "support/TimedLatch.h"

#include "portico/Problem.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <stdexcept>

namespace portico::tests
{

using namespace host::platform;
using namespace std::chrono_literals;

/// Guarantees of jobs, on both engines alike.
template <class Engine>
class JobsTest : public Suite<JobsTest<Engine>>
{
    using Self = JobsTest;

    void setUp() override { _f = std::make_unique<JobFixture>(Engine::dialect); }
    void tearDown() override { _f.reset(); }

    TEST(existExactlyIfTheChangeDoes)
    {
        {
            auto transaction = _f->database.begin();
            _f->store.enqueue(transaction, testJob());
        }
        CHECK(!runOne());
        _f->enqueue();
        CHECK(runOne());
        CHECK(!runOne());
        CHECK(_f->jobs().empty());
    }

    TEST(runWhenDue)
    {
        auto job = testJob();
        job.delay = 10s;
        _f->enqueue(job);
        CHECK(_f->store.nextDue(types()).value() == _f->clock.now() + 10s);
        _f->clock.advance(9'999ms);
        CHECK(!runOne());
        _f->clock.advance(1ms);
        CHECK(runOne());
    }

    TEST(runOldestFirst)
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
        CHECK(order == std::vector<std::string>({"a", "b", "c"}));
    }

    TEST(areGivenToOneOfManyThreads)
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
        equal(std::size_t{count}, seen.size());
        equal(std::size_t{count}, std::set<std::string>(seen.begin(), seen.end()).size());
        CHECK(_f->jobs().empty());
    }

    TEST(runAgainWithGrowingWaits)
    {
        _f->enqueue();
        fail("first");
        CHECK(runOne());
        CHECK(!runOne());
        CHECK(dueIn() == 1s);
        equal("first", _f->jobs().at(0).lastError);
        _f->clock.advance(1s);
        CHECK(runOne());
        CHECK(dueIn() == 2s);
        equal(2, _f->jobs().at(0).attempt);
        for (int attempt = 1; attempt < 30; ++attempt)
        {
            const auto wait = exponentialDelay(attempt);
            CHECK(wait >= 8s && wait <= 72min);
        }
        CHECK(exponentialDelay(1) <= 12s);
        CHECK(exponentialDelay(30) >= 48min);
    }

    TEST(becomeDeadLetters)
    {
        auto job = testJob();
        job.maxAttempts = 2;
        _f->enqueue(job);
        fail("no luck");
        runOne();
        _f->clock.advance(1h);
        runOne();
        _f->clock.advance(24h);
        CHECK(!runOne());
        const auto dead = _f->jobs(JobState::Dead);
        equal(1, dead.size());
        equal("dead", dead[0].state);
        equal(2, dead[0].attempt);
        equal("no luck", dead[0].lastError);
        equal(1, _f->store.countDead());
    }

    TEST(areNotCountedWhenNothingWasTried)
    {
        _f->enqueue();
        _f->runner.onRun = [](const ClaimedJob&, std::stop_token) { return RunResult::NotNow; };
        for (int i = 0; i < 20; ++i)
        {
            CHECK(runOne());
            _f->clock.advance(1min);
        }
        equal(0, _f->jobs().at(0).attempt);
        equal("waiting", _f->jobs().at(0).state);
    }

    TEST(waitForTheirRunner)
    {
        _f->enqueue();
        _f->runner.runnable = false;
        CHECK(!runOne());
        equal(0, _f->jobs().at(0).attempt);
        _f->runner.runnable = true;
        // The runner is unregistered while the job is about to run: the next attempt need not wait.
        _f->runner.onRun = [&](const ClaimedJob&, std::stop_token)
        {
            _f->runner.runnable = false;
            return RunResult::NotNow;
        };
        CHECK(runOne());
        CHECK(!runOne());
        _f->runner.runnable = true;
        _f->runner.onRun = [](const ClaimedJob&, std::stop_token) { return RunResult::Done; };
        CHECK(runOne());
        CHECK(_f->jobs().empty());
    }

    TEST(leaseExpires)
    {
        const auto id = _f->enqueue();
        const auto first = claim();
        equal(id, first.id);
        _f->clock.advance(60s - 1ms);
        CHECK(!_f->store.claim(types(), 60s));
        _f->clock.advance(1ms);
        const auto second = claim();
        equal(id, second.id);
        equal(2, second.attempt);
        CHECK(first.lease != second.lease);
    }

    TEST(renewalKeepsTheLease)
    {
        _f->enqueue();
        const auto job = claim();
        for (int i = 0; i < 10; ++i)
        {
            _f->clock.advance(30s);
            CHECK(_f->store.renew(job, 60s));
            CHECK(!_f->store.claim(types(), 60s));
        }
        CHECK(_f->store.finish(job));
    }

    TEST(lostLeaseEndsNothing)
    {
        const auto id = _f->enqueue();
        const auto slow = claim();
        _f->clock.advance(60s);
        const auto quick = claim();
        CHECK(!_f->store.renew(slow, 60s));
        CHECK(!_f->store.finish(slow));
        CHECK(!_f->store.retryLater(slow, 1s, "x"));
        CHECK(!_f->store.putBack(slow, 1s));
        CHECK(!_f->store.markDead(slow, "x"));
        equal("running", _f->jobs().at(0).state);
        CHECK(_f->store.finish(quick));
    }

    TEST(lostLeaseAsksToStop)
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
        CHECK(runOne());
        CHECK(stopped);
    }

    TEST(heartbeatsBeatWhileTheirJobRuns)
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
        CHECK(runOne());
        equal(2, beats);
        CHECK(_f->jobs().empty());
        CHECK(_f->lane.renewalInterval() <= 20s);
    }

    TEST(thatKillTheirHostAreBuried)
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
        CHECK(runOne());
        CHECK(!ran);
        equal(1, _f->jobs(JobState::Dead).size());
    }

    TEST(dedupeKeyIsTakenOnce)
    {
        CHECK(!_f->enqueueWithKey("sync:1").empty());
        CHECK(_f->enqueueWithKey("sync:1").empty());
        CHECK(!_f->enqueueWithKey("sync:2").empty());
        const auto job = claim();
        CHECK(_f->enqueueWithKey("sync:1").empty()); // running is unfinished
        _f->store.finish(job);
    }

    TEST(dedupeKeyIsFreeAfterTheEnd)
    {
        _f->enqueueWithKey("k");
        CHECK(runOne());
        CHECK(!_f->enqueueWithKey("k").empty());
    }

    TEST(dedupeKeyRacesHaveOneWinner)
    {
        for (int round = 0; round < 10; ++round)
        {
            std::atomic<int> won{0};
            concurrently(4,
                         [&](std::size_t)
                         {
                             if (!_f->enqueueWithKey("round" + std::to_string(round)).empty()) ++won;
                         });
            equal(1, won.load());
        }
        equal(10, _f->jobs().size());
    }

    TEST(deadLettersFreeTheirKey)
    {
        const auto dead = makeDead("k");
        CHECK(!_f->enqueueWithKey("k").empty());
        try
        {
            _f->store.retryNow(dead);
            CPPUNIT_FAIL("two unfinished jobs have one key");
        }
        catch (const Problem& problem)
        {
            equal(409, problem.status());
        }
        CHECK(runOne());
        CHECK(_f->store.retryNow(dead));
    }

    TEST(operatorRetries)
    {
        const auto id = makeDead("k");
        CHECK(!_f->store.retryNow("job_none"));
        CHECK(_f->store.retryNow(id));
        const auto job = claim();
        equal(id, job.id);
        equal(1, job.attempt);
    }

    TEST(operatorDiscards)
    {
        const auto id = makeDead("k");
        CHECK(_f->store.discard(id));
        CHECK(!_f->store.discard(id));
        CHECK(_f->jobs().empty());
    }

    TEST(runningJobsAreLeftAlone)
    {
        const auto id = _f->enqueue();
        claim();
        CHECK(!_f->store.discard(id));
        CHECK(!_f->store.retryNow(id));
        equal(1, _f->jobs(JobState::Running).size());
        CHECK(_f->jobs(JobState::Waiting).empty());
    }

    TEST(periodicJobsComeBack)
    {
        _f->store.ensurePeriodic("test", 60s);
        CHECK(runOne());
        CHECK(!runOne());
        _f->clock.advance(60s);
        CHECK(runOne());
    }

    TEST(periodicJobsNeverDie)
    {
        _f->store.ensurePeriodic("test", 60s);
        fail("always");
        for (int i = 0; i < 30; ++i)
        {
            CHECK(runOne());
            _f->clock.advance(1h);
        }
        CHECK(_f->jobs(JobState::Dead).empty());
        equal("always", _f->jobs().at(0).lastError);
    }

    TEST(periodicJobsExistOnce)
    {
        concurrently(4, [&](std::size_t) { _f->store.ensurePeriodic("test", 60s); });
        equal(1, _f->jobs().size());
        const auto running = claim();
        CHECK(!_f->store.claim(types(), 60s));
        _f->store.finish(running);
    }

    TEST(intervalCanChange)
    {
        _f->store.ensurePeriodic("test", 60s);
        _f->store.ensurePeriodic("test", 5s);
        runOne();
        CHECK(dueIn() == 5s);
    }

    TEST(releaseAllFreesWhatACrashLeft)
    {
        _f->enqueue();
        claim();
        _f->store.releaseAll();
        equal("waiting", _f->jobs().at(0).state);
        equal(2, claim().attempt);
    }

    TEST(aClockThatWasAheadHoldsNothingBack)
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
        CHECK(dueIn() == 60s);
        CHECK(dueIn({"other"}) == std::chrono::days(3));
        // A job within its limits is not changed.
        _f->clock.advance(10s);
        _f->store.bringNear();
        CHECK(dueIn() == 50s);
        CHECK(dueIn({"other"}) == std::chrono::days(3) - 10s);
    }

    TEST(aClockThatWasAheadKeepsNoLeaseAndNoRetryForEver)
    {
        _f->clock.advance(std::chrono::days(400));
        _f->enqueue();
        claim();
        _f->clock.advance(-std::chrono::days(400));
        _f->store.bringNear();
        equal(2, claim().attempt);
        _f->store.bringNear();
        CHECK(dueIn() > 1s); // the lease of a host whose clock is right
    }

    TEST(longErrorsAreCutAtACharacter)
    {
        _f->enqueue();
        std::string text(999, 'x');
        for (int i = 0; i < 100; ++i) text += "ü";
        fail(text);
        CHECK(runOne()); // PostgreSQL refuses broken UTF-8
        equal(999, _f->jobs().at(0).lastError.size());
    }

    TEST(threadsRunWhatIsPoked)
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
        CHECK(_f->jobs().empty());
    }

    TEST(threadsRunWhatAJobMade)
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

    TEST(threadsRunAgainWhatIsDueAgain)
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

    TEST(jobsThatFollowWritesRestWhileNothingIsWritten)
    {
        std::uint64_t writes = 0;
        host::platform::JobLane::Queue queue("crm", _f->store, {&_f->runner}, [&writes] { return writes; });
        _f->store.ensurePeriodic("test", 2s);
        const auto run = [&]
        {
            _f->clock.advance(60s);
            CHECK(_f->lane.runOne(queue));
            return std::chrono::duration_cast<std::chrono::seconds>(_f->jobs().at(0).dueAt - _f->clock.now());
        };
        for (const auto wait : {2s, 2s, 2s}) CHECK(wait == run()); // it does not follow them
        _f->runner.follows = true;
        for (const auto wait : {2s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) CHECK(wait == run());
        CHECK(_f->store.endRests());
        CHECK(_f->clock.now() + 2s == _f->jobs().at(0).dueAt);
        CHECK(!_f->store.endRests());
        _f->runner.onRun = [&writes](const auto&, auto)
        {
            ++writes;
            return host::platform::RunResult::Done;
        };
        CHECK(2s == run());
    }

    TEST(endOfAJobClaimsTheNext)
    {
        const std::vector<std::string> types{"test"};
        const auto first = _f->enqueue(), second = _f->enqueue(), third = _f->enqueue();
        const auto running = claim();
        equal(first, running.id);
        std::optional<ClaimedJob> next;
        std::optional<Instant> due;
        CHECK(_f->store.finishAndClaim(running, {}, types, 60s, next, due));
        equal(second, next.value().id);
        equal(1, next->attempt);
        equal(2, _f->jobs().size());
        // With a lost lease it ends nothing, and may still claim another job.
        _f->clock.advance(60s);
        const auto taken = claim();
        equal(third, taken.id);
        equal(second, claim().id);
        CHECK(!_f->store.finishAndClaim(*next, {}, types, 60s, next, due));
        CHECK(!next);
        CHECK(_f->store.finishAndClaim(taken, {}, types, 60s, next, due));
        CHECK(!next);
        equal(second, _f->jobs().at(0).id);
    }

    TEST(nothingIsClaimedWhenTheHostStops)
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
        equal(1, runs.load());
        equal(1, _f->jobs().size());
        equal("waiting", _f->jobs().at(0).state);
        equal(0, _f->jobs().at(0).attempt);
    }

    TEST(stopAsksRunningJobsToEnd)
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
        equal("waiting", _f->jobs().at(0).state);
        equal(0, _f->jobs().at(0).attempt);
    }

    TEST(endOfATransactionIsSignalled)
    {
        {
            auto transaction = _f->database.begin();
            _f->database.expectWork(transaction);
            _f->database.expectWork(transaction);
            equal(0, _f->signals.load());
            transaction.commit();
        }
        equal(1, _f->signals.load());
        _f->database.transact([](Transaction&) {});
        equal(1, _f->signals.load());
    }

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
    std::string makeDead(const std::string& key)
    {
        auto id = _f->enqueueWithKey(key);
        _f->store.markDead(claim(), "dead");
        return id;
    }

    std::unique_ptr<JobFixture> _f;
};

template class JobsTest<OnSqlite>;
template class JobsTest<OnPostgres>;

} // namespace portico::tests
