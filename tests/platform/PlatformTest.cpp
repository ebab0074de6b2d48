#include "platform/PlatformFixture.h"
#include "support/TimedLatch.h"

#include "host/telemetry/LogTail.h"

#include "portico/Problem.h"

#include <cppunit/extensions/HelperMacros.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>

namespace portico::tests
{

using namespace std::chrono_literals;
using host::platform::JobState;

/// What a generation gets from the platform and leaves behind.
template <class Engine>
class PlatformTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(PlatformTest);
    CPPUNIT_TEST(tellsAboutTheHost);
    CPPUNIT_TEST(refusesBadSettings);
    CPPUNIT_TEST(newSettingsCountForTheNextGeneration);
    CPPUNIT_TEST(servicesWithoutDatabaseSaySo);
    CPPUNIT_TEST(migrationsRunTwice);
    CPPUNIT_TEST(aDatabaseIsClosedAndOpenedAgain);
    CPPUNIT_TEST(closingWaitsForWhatRuns);
    CPPUNIT_TEST(stateSurvivesAReload);
    CPPUNIT_TEST(servicesDoNotShareState);
    CPPUNIT_TEST(jobsRunAfterTheCommit);
    CPPUNIT_TEST(jobsGoToTheServingGeneration);
    CPPUNIT_TEST(drainWaitsForJobsAndAsksThemToEnd);
    CPPUNIT_TEST(interruptedJobsRunAgain);
    CPPUNIT_TEST(clearDropsTheFunctions);
    CPPUNIT_TEST(registrationsEndWithTheStart);
    CPPUNIT_TEST(hostTypesAreRefused);
    CPPUNIT_TEST(periodicJobsNeedAFunction);
    CPPUNIT_TEST(jobsSurviveARestart);
    CPPUNIT_TEST(boardSeesAllServices);
    CPPUNIT_TEST(jobsWithoutAFunctionAreTold);
    CPPUNIT_TEST(mailsBecomeFiles);
    CPPUNIT_TEST(mailsOfARolledBackChangeAreNotSent);
    CPPUNIT_TEST(exceptionsOfPluginsAreTranslated);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override { _f = std::make_unique<PlatformFixture>(Engine::dialect); }
    void tearDown() override
    {
        if (_f->platform) _f->platform->stop();
        _f.reset();
    }

    void tellsAboutTheHost()
    {
        _f->facts = {"0.1.0", {{"crm", "http://crm.localhost:8080"}, {"identity", "http://identity.localhost:8080"}}, true};
        _f->platform->tell(_f->facts);
        const auto crm = _f->load("crm");
        CPPUNIT_ASSERT_EQUAL(std::string("crm"), crm->host().serviceId);
        CPPUNIT_ASSERT_EQUAL(std::string("1.2.3"), crm->host().serviceVersion);
        CPPUNIT_ASSERT_EQUAL(std::string("http://crm.localhost:8080"), crm->host().origin);
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, crm->host().origins.size());
        CPPUNIT_ASSERT_EQUAL((_f->directory.path() / "plugins" / "crm").string(), crm->host().pluginDirectory);
        CPPUNIT_ASSERT(crm->host().plainHttp);
    }

    void refusesBadSettings()
    {
        _f->platform->configure({{"limit", "lots"}});
        try
        {
            _f->load("crm");
            CPPUNIT_FAIL("a bad setting was taken");
        }
        catch (const std::runtime_error& error)
        {
            CPPUNIT_ASSERT(std::string(error.what()).find("limit: expected an integer, found \"lots\"") != std::string::npos);
        }
    }

    void newSettingsCountForTheNextGeneration()
    {
        const auto first = _f->load("crm");
        _f->platform->configure({{"limit", "8"}});
        const auto second = _f->load("crm");
        CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, first->config().integer("limit"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{8}, second->config().integer("limit"));
    }

    void servicesWithoutDatabaseSaySo()
    {
        const auto plain = _f->load("plain", false);
        CPPUNIT_ASSERT_THROW(plain->database(), std::logic_error);
        CPPUNIT_ASSERT_THROW(plain->jobs(), std::logic_error);
        CPPUNIT_ASSERT_THROW(plain->mailer(), std::logic_error);
        plain->events().subscribe("crm.*", [](const Event&) {});
        plain->state().put("k", "v", 1s);
        plain.publish();
        CPPUNIT_ASSERT(plain.retire().empty());
    }

    void migrationsRunTwice()
    {
        const auto directory = _f->directory.path() / "migrations" / "crm";
        std::filesystem::create_directories(directory);
        std::ofstream(directory / "0001_contacts.sql") << "CREATE TABLE contact (id TEXT PRIMARY KEY);";
        auto manifest = _f->manifestOf("crm");
        manifest.migrations = directory;
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, _f->platform->pendingMigrations(manifest).size());
        const auto crm = _f->load("crm");
        CPPUNIT_ASSERT(_f->platform->pendingMigrations(manifest).empty());
        crm->database().transact([](Transaction& transaction) { transaction.execute("INSERT INTO contact (id) VALUES ('con_1')"); });
        const auto again = _f->load("crm");
        CPPUNIT_ASSERT_EQUAL(&crm->database(), &again->database());
        _f->platform->database("crm")->ping();
        CPPUNIT_ASSERT(_f->platform->database("unknown") == nullptr);
    }

    void aDatabaseIsClosedAndOpenedAgain()
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
            CPPUNIT_ASSERT(crm.retire().empty());
            crm.context.reset();
            CPPUNIT_ASSERT(_f->platform->databaseStats().contains("crm"));
            _f->platform->close("crm");
            CPPUNIT_ASSERT(!_f->platform->databaseStats().contains("crm") && !_f->platform->database("crm"));
            CPPUNIT_ASSERT(_f->platform->listJobs("", JobState::Waiting, 10).empty());
        }
        _f->platform->close("crm");
        _f->platform->close("unknown");
    }

    /// The host's own work goes on without the plugin: a mail on its way is sent.
    void closingWaitsForWhatRuns()
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
        CPPUNIT_ASSERT(asked.get_future().wait_for(0s) == std::future_status::ready);
        CPPUNIT_ASSERT(crm.retire().empty());
    }

    void stateSurvivesAReload()
    {
        auto old = _f->load("crm");
        old.publish();
        old->state().put("hold", "slot", 1h);
        ++old->hostCounter("r");
        const auto fresh = _f->load("crm");
        fresh.publish();
        CPPUNIT_ASSERT(old.retire().empty());
        old = {};
        CPPUNIT_ASSERT_EQUAL(std::string("slot"), fresh->state().get("hold").value().value);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{1}, fresh->hostCounter("r").load());
    }

    void servicesDoNotShareState()
    {
        const auto crm = _f->load("crm");
        const auto calendar = _f->load("calendar");
        crm->state().put("k", "v", 1h);
        CPPUNIT_ASSERT(!calendar->state().get("k"));
    }

    void jobsRunAfterTheCommit()
    {
        tests::TimedLatch ran(1);
        const auto crm = _f->load("crm");
        crm->jobs().handle("import",
                           [&](const Job& job)
                           {
                               CPPUNIT_ASSERT_EQUAL(std::string(R"({"rows":3})"), job.payload);
                               CPPUNIT_ASSERT_EQUAL(1, job.attempt);
                               ran.count_down();
                           });
        crm.publish();
        _f->platform->start();
        crm->database().transact([&](Transaction& transaction)
                                 { CPPUNIT_ASSERT(!crm->jobs().enqueue(transaction, "import", R"({"rows":3})").empty()); });
        ran.wait(); // without the signal at the commit only the poll after half a minute would find it
    }

    void jobsGoToTheServingGeneration()
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
        CPPUNIT_ASSERT(old.retire().empty());
        _f->platform->start();
        for (int i = 0; i < 10; ++i) enqueue(fresh, "work");
        done.wait();
        CPPUNIT_ASSERT_EQUAL(0, byOld.load());
        CPPUNIT_ASSERT_EQUAL(10, byNew.load());
    }

    void drainWaitsForJobsAndAsksThemToEnd()
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
        CPPUNIT_ASSERT(crm.retire().empty());
        CPPUNIT_ASSERT(ended.load());
    }

    void interruptedJobsRunAgain()
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
        CPPUNIT_ASSERT(old.retire().empty());
        _f->platform->stop();
        const auto jobs = _f->platform->listJobs("crm", JobState::Any, 10);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, jobs.size());
        CPPUNIT_ASSERT_EQUAL(std::string("waiting"), jobs[0].state);
        CPPUNIT_ASSERT_EQUAL(0, jobs[0].attempt);
    }

    void clearDropsTheFunctions()
    {
        const auto alive = std::make_shared<int>(1);
        const auto crm = _f->load("crm");
        crm->jobs().handle("work", [alive](const Job&) {});
        crm->events().subscribe("crm.*", [alive](const Event&) {});
        crm.publish();
        CPPUNIT_ASSERT_EQUAL(3L, alive.use_count());
        CPPUNIT_ASSERT(crm.retire().empty());
        CPPUNIT_ASSERT_EQUAL(1L, alive.use_count());
    }

    void registrationsEndWithTheStart()
    {
        const auto crm = _f->load("crm");
        crm.publish();
        CPPUNIT_ASSERT_THROW(crm->jobs().handle("late", [](const Job&) {}), std::logic_error);
        CPPUNIT_ASSERT_THROW(crm->jobs().every("late", 1s), std::logic_error);
        CPPUNIT_ASSERT_THROW(crm->events().subscribe("late", [](const Event&) {}), std::logic_error);
    }

    void hostTypesAreRefused()
    {
        const auto crm = _f->load("crm");
        CPPUNIT_ASSERT_THROW(crm->jobs().handle("portico.mail", [](const Job&) {}), std::logic_error);
        CPPUNIT_ASSERT_THROW(crm->jobs().handle("", [](const Job&) {}), std::logic_error);
        auto transaction = crm->database().begin();
        CPPUNIT_ASSERT_THROW(crm->jobs().enqueue(transaction, "portico.mail", "{}"), std::logic_error);
        crm->jobs().handle("twice", [](const Job&) {});
        CPPUNIT_ASSERT_THROW(crm->jobs().handle("twice", [](const Job&) {}), std::logic_error);
    }

    void periodicJobsNeedAFunction()
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

    void jobsSurviveARestart()
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

    void boardSeesAllServices()
    {
        const auto crm = _f->load("crm");
        const auto calendar = _f->load("calendar");
        enqueue(crm, "a");
        _f->clock.advance(1ms);
        enqueue(calendar, "b");
        auto& platform = *_f->platform;
        const auto all = platform.listJobs({}, JobState::Any, 10);
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, all.size());
        CPPUNIT_ASSERT_EQUAL(std::string("calendar"), all[0].serviceId);
        CPPUNIT_ASSERT_EQUAL(std::string("a"), all[1].type);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, platform.listJobs({}, JobState::Any, 1).size());
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, platform.listJobs("crm", JobState::Waiting, 10).size());
        CPPUNIT_ASSERT(platform.listJobs("crm", JobState::Dead, 10).empty());
        CPPUNIT_ASSERT(platform.retryJob(all[0].id));
        CPPUNIT_ASSERT(!platform.retryJob("job_unknown"));
        CPPUNIT_ASSERT(platform.discardJob(all[0].id));
        CPPUNIT_ASSERT(!platform.discardJob(all[0].id));
    }

    void jobsWithoutAFunctionAreTold()
    {
        host::telemetry::LogTail tail(_f->clock.now());
        _f->settings.log.tail = &tail;
        _f->restart();
        {
            const auto crm = _f->load("crm");
            crm->jobs().handle("known", [](const Job&) {});
            for (const auto* type : {"known", "gone", "gone"}) enqueue(crm, type);
            CPPUNIT_ASSERT_EQUAL(std::string(), _f->jobs().front().lastError);
            _f->clock.advance(2min);
            crm.publish();
            CPPUNIT_ASSERT_EQUAL(std::string("The plugin has no function for jobs of this type."), _f->jobs().front().lastError);
            _f->platform->start();
            host::telemetry::LogTail::Page page;
            while (page.records.empty()) page = tail.read({.service = "crm", .level = LogLevel::Warning}, 0, 10);
            CPPUNIT_ASSERT_EQUAL(std::size_t{1}, page.records.size());
            CPPUNIT_ASSERT_MESSAGE(page.records[0].line, page.records[0].line.find(R"("type":"gone")") != std::string::npos);
            _f->platform->stop();
            crm.retire();
        }
        _f->platform.reset();
    }

    void mailsBecomeFiles()
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
        CPPUNIT_ASSERT(text.find("\r\nTo: ada@acme.example\r\nSubject: Welcome\r\n") != std::string::npos);
        CPPUNIT_ASSERT(text.find("\r\nFrom: Portico <noreply@portico.example>\r\n") != std::string::npos);
    }

    void mailsOfARolledBackChangeAreNotSent()
    {
        const auto identity = _f->load("identity");
        identity.publish();
        {
            auto transaction = identity->database().begin();
            identity->mailer().send(transaction, {"ada@acme.example", "Welcome", "Hello Ada", ""});
        }
        CPPUNIT_ASSERT(_f->platform->listJobs({}, JobState::Any, 10).empty());
    }

    void exceptionsOfPluginsAreTranslated()
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
        CPPUNIT_ASSERT_EQUAL(std::string("an exception that is not a std::exception"), dead[0].lastError);
    }

private:
    static void enqueue(const Loaded& service, std::string_view type)
    {
        service->database().transact([&](Transaction& transaction) { service->jobs().enqueue(transaction, type, "{}"); });
    }
    std::unique_ptr<PlatformFixture> _f;
};

CPPUNIT_TEST_SUITE_REGISTRATION(PlatformTest<OnSqlite>);
CPPUNIT_TEST_SUITE_REGISTRATION(PlatformTest<OnPostgres>);

} // namespace portico::tests
