#include "platform/PlatformFixture.h"
#include "support/Suite.h"
#include "support/TimedLatch.h"

#include "host/telemetry/LogTail.h"

#include "portico/Problem.h"

#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>

namespace portico::tests
{

using namespace std::chrono_literals;
using host::platform::JobState;

/// Resources that a generation gets from the platform and leaves behind.
template <class Engine>
class PlatformTest : public Suite<PlatformTest<Engine>>
{
    using Self = PlatformTest;

    void setUp() override { _f = std::make_unique<PlatformFixture>(Engine::dialect); }
    void tearDown() override
    {
        if (_f->platform) _f->platform->stop();
        _f.reset();
    }

    TEST(providesFactsAboutTheHost)
    {
        _f->facts = {"0.1.0", {{"crm", "http://crm.localhost:8080"}, {"identity", "http://identity.localhost:8080"}}, true};
        _f->platform->tell(_f->facts);
        const auto crm = _f->load("crm");
        equal("crm", crm->host().serviceId);
        equal("1.2.3", crm->host().serviceVersion);
        equal("http://crm.localhost:8080", crm->host().origin);
        equal(2, crm->host().origins.size());
        equal((_f->directory.path() / "plugins" / "crm").string(), crm->host().pluginDirectory);
        CHECK(crm->host().plainHttp);
    }

    TEST(refusesBadSettings)
    {
        _f->platform->configure({{"limit", "lots"}});
        try
        {
            _f->load("crm");
            CPPUNIT_FAIL("a bad setting was taken");
        }
        catch (const std::runtime_error& error)
        {
            CHECK(std::string(error.what()).find("limit: expected an integer, found \"lots\"") != std::string::npos);
        }
    }

    TEST(newSettingsCountForTheNextGeneration)
    {
        const auto first = _f->load("crm");
        _f->platform->configure({{"limit", "8"}});
        const auto second = _f->load("crm");
        equal(7, first->config().integer("limit"));
        equal(8, second->config().integer("limit"));
    }

    TEST(servicesWithoutDatabaseSaySo)
    {
        const auto plain = _f->load("plain", false);
        CPPUNIT_ASSERT_THROW(plain->database(), std::logic_error);
        CPPUNIT_ASSERT_THROW(plain->jobs(), std::logic_error);
        CPPUNIT_ASSERT_THROW(plain->mailer(), std::logic_error);
        plain->events().subscribe("crm.*", [](const Event&) {});
        plain->state().put("k", "v", 1s);
        plain.publish();
        CHECK(plain.retire().empty());
    }

    TEST(migrationsRunTwice)
    {
        const auto directory = _f->directory.path() / "migrations" / "crm";
        std::filesystem::create_directories(directory);
        std::ofstream(directory / "0001_contacts.sql") << "CREATE TABLE contact (id TEXT PRIMARY KEY);";
        auto manifest = _f->manifestOf("crm");
        manifest.migrations = directory;
        equal(1, _f->platform->pendingMigrations(manifest).size());
        const auto crm = _f->load("crm");
        CHECK(_f->platform->pendingMigrations(manifest).empty());
        crm->database().transact([](Transaction& transaction) { transaction.execute("INSERT INTO contact (id) VALUES ('con_1')"); });
        const auto again = _f->load("crm");
        equal(&crm->database(), &again->database());
        _f->platform->database("crm")->ping();
        CHECK(_f->platform->database("unknown") == nullptr);
    }

    TEST(aDatabaseIsClosedAndOpenedAgain)
    {
        _f->platform->start();
        for (int round = 0; round < 3; ++round)
        {
            std::promise<void> ran;
            auto crm = _f->load("crm");
            crm->jobs().handle("work", [&](const Job&) { ran.set_value(); });
            crm.publish();
            crm->database().transact([&](Transaction& transaction) { crm->jobs().enqueue(transaction, "work", "{}"); });
            ran.get_future().wait();
            CHECK(crm.retire().empty());
            crm.context.reset();
            CHECK(_f->platform->databaseStats().contains("crm"));
            _f->platform->close("crm");
            CHECK(!_f->platform->databaseStats().contains("crm") && !_f->platform->database("crm"));
            CHECK(_f->platform->listJobs("", JobState::Waiting, 10).empty());
        }
        _f->platform->close("crm");
        _f->platform->close("unknown");
    }

    TEST(dataIsNotDroppedDuringABackup)
    {
        auto crm = _f->load("crm");
        crm.publish();
        crm->blobs().create("org_1")->commit();
        CHECK(crm.retire().empty());
        crm.context.reset();
        _f->platform->close("crm");
        const auto files = _f->platform->blobDirectory() / "crm" / "data";
        auto& hold = _f->platform->blobHold();
        const auto token = hold.take(1h);
        CPPUNIT_ASSERT_THROW(_f->platform->drop("crm"), std::runtime_error);
        CHECK(std::filesystem::exists(files));
        CHECK(hold.release(token));
        _f->platform->drop("crm");
        CHECK(!std::filesystem::exists(files));
    }

    /// The host's own work continues without the plugin: a pending mail is sent.
    TEST(closingWaitsForWhatRuns)
    {
        _f->platform->start();
        std::promise<void> begun;
        std::promise<void> asked;
        auto crm = _f->load("crm");
        crm->jobs().handle("work",
                           [&](const Job& job)
                           {
                               begun.set_value();
                               while (!job.stop.stop_requested()) std::this_thread::yield();
                               asked.set_value();
                           });
        crm.publish();
        crm->database().transact([&](Transaction& transaction) { crm->jobs().enqueue(transaction, "work", "{}"); });
        begun.get_future().wait();
        _f->platform->close("crm");
        CHECK(asked.get_future().wait_for(0s) == std::future_status::ready);
        CHECK(crm.retire().empty());
    }

    TEST(stateSurvivesAReload)
    {
        auto old = _f->load("crm");
        old.publish();
        old->state().put("hold", "slot", 1h);
        ++old->hostCounter("r");
        const auto fresh = _f->load("crm");
        fresh.publish();
        CHECK(old.retire().empty());
        old = {};
        equal("slot", fresh->state().get("hold").value().value);
        equal(1, fresh->hostCounter("r").load());
    }

    TEST(servicesDoNotShareState)
    {
        const auto crm = _f->load("crm");
        const auto calendar = _f->load("calendar");
        crm->state().put("k", "v", 1h);
        CHECK(!calendar->state().get("k"));
    }

    TEST(jobsRunAfterTheCommit)
    {
        tests::TimedLatch ran(1);
        const auto crm = _f->load("crm");
        crm->jobs().handle("import",
                           [&](const Job& job)
                           {
                               equal(R"({"rows":3})", job.payload);
                               equal(1, job.attempt);
                               ran.count_down();
                           });
        crm.publish();
        _f->platform->start();
        crm->database().transact([&](Transaction& transaction)
                                 { CHECK(!crm->jobs().enqueue(transaction, "import", R"({"rows":3})").empty()); });
        ran.wait(); // without the signal at the commit only the poll after half a minute would find it
    }

    TEST(jobsGoToTheServingGeneration)
    {
        std::atomic<int> byOld{0};
        std::atomic<int> byNew{0};
        const auto old = _f->load("crm");
        old->jobs().handle("work", [&](const Job&) { ++byOld; });
        old.publish();
        const auto fresh = _f->load("crm");
        tests::TimedLatch done(10);
        fresh->jobs().handle("work",
                             [&](const Job&)
                             {
                                 ++byNew;
                                 done.count_down();
                             });
        fresh.publish();
        CHECK(old.retire().empty());
        _f->platform->start();
        for (int i = 0; i < 10; ++i) enqueue(fresh, "work");
        done.wait();
        equal(0, byOld.load());
        equal(10, byNew.load());
    }

    TEST(drainWaitsForJobsAndAsksThemToEnd)
    {
        tests::TimedLatch running(1);
        std::atomic<bool> ended{false};
        const auto crm = _f->load("crm");
        crm->jobs().handle("long",
                           [&](const Job& job)
                           {
                               running.count_down();
                               tests::TimedLatch stopped(1);
                               const std::stop_callback wake(job.stop, [&] { stopped.count_down(); });
                               stopped.wait();
                               ended = true;
                           });
        crm.publish();
        _f->platform->start();
        enqueue(crm, "long");
        running.wait();
        CHECK(crm.retire().empty());
        CHECK(ended.load());
    }

    TEST(interruptedJobsRunAgain)
    {
        tests::TimedLatch running(1);
        const auto old = _f->load("crm");
        old->jobs().handle("long",
                           [&](const Job& job)
                           {
                               running.count_down();
                               tests::TimedLatch stopped(1);
                               const std::stop_callback wake(job.stop, [&] { stopped.count_down(); });
                               stopped.wait();
                               throw std::runtime_error("interrupted");
                           });
        old.publish();
        _f->platform->start();
        enqueue(old, "long");
        running.wait();
        CHECK(old.retire().empty());
        _f->platform->stop();
        const auto jobs = _f->platform->listJobs("crm", JobState::Any, 10);
        equal(1, jobs.size());
        equal("waiting", jobs[0].state);
        equal(0, jobs[0].attempt);
    }

    TEST(clearDropsTheFunctions)
    {
        const auto alive = std::make_shared<int>(1);
        const auto crm = _f->load("crm");
        crm->jobs().handle("work", [alive](const Job&) {});
        crm->events().subscribe("crm.*", [alive](const Event&) {});
        crm.publish();
        equal(3, alive.use_count());
        CHECK(crm.retire().empty());
        equal(1, alive.use_count());
    }

    TEST(registrationsEndWithTheStart)
    {
        const auto crm = _f->load("crm");
        crm.publish();
        CPPUNIT_ASSERT_THROW(crm->jobs().handle("late", [](const Job&) {}), std::logic_error);
        CPPUNIT_ASSERT_THROW(crm->jobs().every("late", 1s), std::logic_error);
        CPPUNIT_ASSERT_THROW(crm->events().subscribe("late", [](const Event&) {}), std::logic_error);
    }

    TEST(hostTypesAreRefused)
    {
        const auto crm = _f->load("crm");
        CPPUNIT_ASSERT_THROW(crm->jobs().handle("portico.mail", [](const Job&) {}), std::logic_error);
        CPPUNIT_ASSERT_THROW(crm->jobs().handle("", [](const Job&) {}), std::logic_error);
        auto transaction = crm->database().begin();
        CPPUNIT_ASSERT_THROW(crm->jobs().enqueue(transaction, "portico.mail", "{}"), std::logic_error);
        crm->jobs().handle("twice", [](const Job&) {});
        CPPUNIT_ASSERT_THROW(crm->jobs().handle("twice", [](const Job&) {}), std::logic_error);
    }

    TEST(periodicJobsNeedAFunction)
    {
        const auto crm = _f->load("crm");
        CPPUNIT_ASSERT_THROW(crm->jobs().every("tidy", 60s), std::logic_error);
        tests::TimedLatch ran(1);
        crm->jobs().handle("tidy", [&](const Job&) { ran.count_down(); });
        CPPUNIT_ASSERT_THROW(crm->jobs().every("tidy", 0s), std::logic_error);
        crm->jobs().every("tidy", 60s);
        crm.publish();
        _f->platform->start();
        ran.wait();
    }

    TEST(jobsSurviveARestart)
    {
        {
            const auto crm = _f->load("crm");
            crm.publish();
            enqueue(crm, "work");
            crm.retire();
        }
        _f->restart();
        tests::TimedLatch ran(1);
        const auto crm = _f->load("crm");
        crm->jobs().handle("work", [&](const Job&) { ran.count_down(); });
        crm.publish();
        _f->platform->start();
        ran.wait();
        _f->platform->stop();
    }

    TEST(boardSeesAllServices)
    {
        const auto crm = _f->load("crm");
        const auto calendar = _f->load("calendar");
        enqueue(crm, "a");
        _f->clock.advance(1ms);
        enqueue(calendar, "b");
        auto& platform = *_f->platform;
        const auto all = platform.listJobs({}, JobState::Any, 10);
        equal(2, all.size());
        equal("calendar", all[0].serviceId);
        equal("a", all[1].type);
        equal(1, platform.listJobs({}, JobState::Any, 1).size());
        equal(1, platform.listJobs("crm", JobState::Waiting, 10).size());
        CHECK(platform.listJobs("crm", JobState::Dead, 10).empty());
        CHECK(platform.retryJob(all[0].id));
        CHECK(!platform.retryJob("job_unknown"));
        CHECK(platform.discardJob(all[0].id));
        CHECK(!platform.discardJob(all[0].id));
    }

    TEST(jobsWithoutAFunctionAreReported)
    {
        host::telemetry::LogTail tail(_f->clock.now());
        _f->settings.log.tail = &tail;
        _f->restart();
        {
            const auto crm = _f->load("crm");
            crm->jobs().handle("known", [](const Job&) {});
            for (const auto* type : {"known", "gone", "gone"}) enqueue(crm, type);
            equal("", _f->jobs().front().lastError);
            _f->clock.advance(2min);
            crm.publish();
            equal("The plugin has no function for jobs of this type.", _f->jobs().front().lastError);
            _f->platform->start();
            host::telemetry::LogTail::Page page;
            while (page.records.empty()) page = tail.read({.service = "crm", .level = LogLevel::Warning}, 0, 10);
            equal(1, page.records.size());
            CPPUNIT_ASSERT_MESSAGE(page.records[0].line, page.records[0].line.find(R"("type":"gone")") != std::string::npos);
            _f->platform->stop();
            crm.retire();
        }
        _f->platform.reset();
    }

    TEST(mailsBecomeFiles)
    {
        const auto identity = _f->load("identity");
        identity.publish();
        identity->database().transact(
            [&](Transaction& transaction) {
                identity->mailer().send(transaction, {"ada@acme.example", "Welcome", "Hello Ada", ""});
            });
        {
            auto transaction = identity->database().begin();
            CPPUNIT_ASSERT_THROW(identity->mailer().send(transaction, {"a@b.example\r\nBcc: x@y.example", "s", "t", ""}), Problem);
        }
        _f->platform->start();
        _f->waitForNoJobs("identity");
        const auto folder = _f->settings.stateDirectory / "mail" / "new";
        std::ifstream file(std::filesystem::directory_iterator(folder)->path());
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        CHECK(text.find("\r\nTo: ada@acme.example\r\nSubject: Welcome\r\n") != std::string::npos);
        CHECK(text.find("\r\nFrom: Portico <noreply@portico.example>\r\n") != std::string::npos);
    }

    TEST(mailsOfARolledBackChangeAreNotSent)
    {
        const auto identity = _f->load("identity");
        identity.publish();
        {
            auto transaction = identity->database().begin();
            identity->mailer().send(transaction, {"ada@acme.example", "Welcome", "Hello Ada", ""});
        }
        CHECK(_f->platform->listJobs({}, JobState::Any, 10).empty());
    }

    TEST(exceptionsOfPluginsAreTranslated)
    {
        struct Strange
        {
        };
        const auto crm = _f->load("crm");
        crm->jobs().handle("strange", [](const Job&) { throw Strange{}; });
        crm.publish();
        crm->database().transact(
            [&](Transaction& transaction)
            {
                Jobs::Options options;
                options.maxAttempts = 1;
                crm->jobs().enqueue(transaction, "strange", "{}", options);
            });
        _f->platform->start();
        const auto dead = _f->waitForDead();
        equal("an exception that is not a std::exception", dead[0].lastError);
    }

    static void enqueue(const Loaded& service, std::string_view type)
    {
        service->database().transact([&](Transaction& transaction) { service->jobs().enqueue(transaction, type, "{}"); });
    }
    std::unique_ptr<PlatformFixture> _f;
};

template class PlatformTest<OnSqlite>;
template class PlatformTest<OnPostgres>;

} // namespace portico::tests
