#include "platform/PlatformFixture.h"
#include "support/Suite.h"

#include "portico/Json.h"

#include <future>
#include <stdexcept>

namespace portico::tests
{

using namespace std::chrono_literals;
using host::platform::JobState;

/// The payload of a job.
struct Meeting
{
    std::string bookingId;
    int minutes = 0;
    /// Not for callers, and kept all the same.
    std::string secret;
};

constexpr auto schemaOf(const Meeting*)
{
    return describe(field<&Meeting::bookingId>().required().maxLength(10), field<&Meeting::minutes>().range(1, 600),
                    field<&Meeting::secret>().columnOnly());
}

/// Declarations of a plugin about its jobs, from the SDK's functions to the threads that run them.
template <class Engine>
class TypedJobsTest : public Suite<TypedJobsTest<Engine>>
{
    using Self = TypedJobsTest;

    void setUp() override { _f = std::make_unique<PlatformFixture>(Engine::dialect); }
    void tearDown() override
    {
        _f->platform->stop();
        _f.reset();
    }

    TEST(handlersTakeTheRecord)
    {
        Bridge bridge;
        const auto crm = _f->load("crm");
        crm->jobs().handle("payload", &Bridge::take, &bridge);
        crm->jobs().handle("both", &Bridge::takeBoth, &bridge);
        crm->jobs().handle("job", &Bridge::takeJob, &bridge);
        crm->jobs().template handle<Meeting>("lambda", [&](const Meeting& meeting, const Job& job) { bridge.takeBoth(meeting, job); });
        crm.publish();
        _f->platform->start();
        crm->database().transact(
            [&](Transaction& transaction)
            {
                for (const auto* type : {"payload", "both", "lambda"})
                    crm->jobs().enqueue(transaction, type, Meeting{"bkg_1", 30, "s3cret"});
                crm->jobs().enqueue(transaction, "job", {.dedupeKey = "once"});
                CHECK(crm->jobs().enqueue(transaction, "job", {.dedupeKey = "once"}).empty());
            });
        _f->waitForNoJobs();
        std::sort(bridge.taken.begin(), bridge.taken.end());
        CHECK(bridge.taken ==
              std::vector<std::string>({"bkg_1 30 s3cret", "both bkg_1 attempt 1 of 8", "job {}", "lambda bkg_1 attempt 1 of 8"}));
    }

    TEST(newMembersAreReadByAnOldVersion)
    {
        Bridge bridge;
        const auto crm = _f->load("crm");
        crm->jobs().handle("payload", &Bridge::take, &bridge);
        crm.publish();
        _f->platform->start();
        enqueueText(crm, R"({"bookingId":"bkg_1","minutes":5,"ofALaterVersion":[1]})");
        _f->waitForNoJobs();
        equal("bkg_1 5 ", bridge.taken.at(0));
    }

    TEST(aPayloadThatDoesNotFitIsADeadLetter)
    {
        Bridge bridge;
        const auto crm = _f->load("crm");
        crm->jobs().handle("payload", &Bridge::take, &bridge);
        crm->jobs().onFailure("payload", &Bridge::gaveUp, &bridge);
        crm.publish();
        _f->platform->start();
        const std::vector<std::pair<std::string, std::string>> cases = {
            {R"({"minutes":5})", "the payload is no Meeting: 1 field is not valid; bookingId: Must not be empty"},
            {R"({"bookingId":"bkg_1","minutes":"five"})", "minutes: "},
            {R"({"bookingId":"bkg_1","minutes":0})", "minutes: "},
            {R"(["bkg_1"])", "the payload is no Meeting: "},
            {"bkg_1", "the payload is no Meeting: "}};
        for (const auto& [payload, error] : cases)
        {
            enqueueText(crm, payload);
            const auto dead = _f->waitForDead();
            CPPUNIT_ASSERT_MESSAGE(dead[0].lastError, dead[0].lastError.find(error) != std::string::npos);
            equal(1, dead[0].attempt);
            CHECK(_f->platform->discardJob(dead[0].id));
        }
        CHECK(bridge.taken.empty());
    }

    TEST(backOffSaysWaitsAndAttempts)
    {
        const auto crm = _f->load("crm");
        std::promise<int> attempts;
        crm->jobs().handle("work",
                           [&](const Job& job)
                           {
                               if (job.attempt == 1) attempts.set_value(job.maxAttempts);
                               throw std::runtime_error("no");
                           });
        crm->jobs().backOff("work", {5s, 30s});
        crm.publish();
        _f->platform->start();
        const auto begin = _f->clock.now();
        crm->database().transact([&](Transaction& transaction) { crm->jobs().enqueue(transaction, "work"); });
        equal(3, attempts.get_future().get());
        const auto first = _f->waitForAttempt(1, "work");
        CHECK(first.dueAt >= begin + 4s && first.dueAt <= begin + 6s);
        _f->clock.advance(10s);
        wake(crm);
        const auto second = _f->waitForAttempt(2, "work");
        CHECK(second.dueAt >= begin + 34s && second.dueAt <= begin + 46s);
        _f->clock.advance(1min);
        wake(crm);
        _f->waitForDead();
        crm->database().transact([&](Transaction& transaction) { crm->jobs().enqueue(transaction, "work", {.maxAttempts = 1}); });
        _f->waitForDead(2);
    }

    TEST(failureReachesThePlugin)
    {
        Bridge bridge;
        const auto crm = _f->load("crm");
        crm->jobs().template handle<Meeting>("bridge", [](const Meeting&, const Job&) { throw JobFailed("the chat is closed"); });
        crm->jobs().onFailure("bridge", &Bridge::gaveUp, &bridge);
        crm.publish();
        _f->platform->start();
        crm->database().transact([&](Transaction& transaction) { crm->jobs().enqueue(transaction, "bridge", Meeting{"bkg_1", 30, ""}); });
        _f->waitForDead();
        CHECK(bridge.taken == std::vector<std::string>{"gave up bkg_1: the chat is closed"});
    }

    TEST(failureWaitsForThePlugin)
    {
        host::platform::PluginJobRunner runner;
        host::platform::ClaimedJob job;
        job.type = "work";
        CPPUNIT_ASSERT_THROW(runner.gaveUp(job, "no"), std::runtime_error);
    }

    TEST(failureWaitsWhileThePluginIsReplaced)
    {
        const auto table = std::make_shared<host::platform::PluginJobTable>(_f->load("crm").generation);
        table->failures.add("work", [](const host::platform::JobFailure&) {});
        host::platform::PluginJobRunner runner;
        runner.current().set(table);
        table->failures.clear();
        host::platform::ClaimedJob job;
        job.type = "work";
        CPPUNIT_ASSERT_THROW(runner.gaveUp(job, "no"), std::runtime_error);
    }

    TEST(exceptionsOfPluginsKeepTheirMeaning)
    {
        const auto crm = _f->load("crm");
        crm->jobs().handle("later", [](const Job&) { throw JobRetry::after(1h, "later").uncounted(); });
        crm.publish();
        _f->platform->start();
        crm->database().transact([&](Transaction& transaction) { crm->jobs().enqueue(transaction, "later"); });
        host::platform::JobSummary job;
        while (job.lastError.empty()) job = _f->jobs().at(0);
        equal(0, job.attempt);
        CHECK(job.dueAt == _f->clock.now() + 1h);
    }

    TEST(declarationsAreChecked)
    {
        const auto crm = _f->load("crm");
        auto& jobs = crm->jobs();
        CPPUNIT_ASSERT_THROW(jobs.backOff("work", {1s}), std::logic_error);
        CPPUNIT_ASSERT_THROW(jobs.onFailure("work", [](const Job&, std::string_view) {}), std::logic_error);
        jobs.handle("work", [](const Job&) {});
        CPPUNIT_ASSERT_THROW(jobs.backOff("work", {}), std::logic_error);
        CPPUNIT_ASSERT_THROW(jobs.backOff("work", {-1s}), std::logic_error);
        jobs.onFailure("work", [](const Job&, std::string_view) {});
        CPPUNIT_ASSERT_THROW(jobs.onFailure("work", [](const Job&, std::string_view) {}), std::logic_error);
        crm.publish();
        CPPUNIT_ASSERT_THROW(jobs.backOff("work", {1s}), std::logic_error);
    }

    struct Bridge
    {
        void take(const Meeting& meeting) { add(meeting.bookingId + " " + std::to_string(meeting.minutes) + " " + meeting.secret); }
        void takeBoth(const Meeting& meeting, const Job& job)
        {
            add(job.type + " " + meeting.bookingId + " attempt " + std::to_string(job.attempt) + " of " + std::to_string(job.maxAttempts));
        }
        void takeJob(const Job& job) { add("job " + job.payload); }
        void gaveUp(const Meeting& meeting, const Job&, std::string_view error)
        {
            add("gave up " + meeting.bookingId + ": " + std::string(error));
        }
        void add(std::string text)
        {
            const std::lock_guard lock(mutex);
            taken.push_back(std::move(text));
        }
        std::mutex mutex;
        std::vector<std::string> taken;
    };

    static void enqueueText(const Loaded& service, std::string_view payload)
    {
        service->database().transact([&](Transaction& transaction) { service->jobs().enqueue(transaction, "payload", payload); });
    }
    /// Wakes the lane by the end of a transaction that enqueued a job without a handler.
    static void wake(const Loaded& service)
    {
        service->database().transact([&](Transaction& transaction) { service->jobs().enqueue(transaction, "nobody's"); });
    }
    std::unique_ptr<PlatformFixture> _f;
};

template class TypedJobsTest<OnSqlite>;
template class TypedJobsTest<OnPostgres>;

} // namespace portico::tests
