#include "plugins/Workbench.h"

#include "host/plugins/lifecycle/DependencyUnavailable.h"

#include "portico/Database.h"
#include "portico/Problem.h"

#include <cppunit/extensions/HelperMacros.h>

#include <fstream>
#include <system_error>

using namespace portico;
using namespace portico::host::plugins;
using namespace std::chrono_literals;
using portico::tests::Pipe;
using portico::tests::textOf;
using portico::tests::Workbench;

namespace
{

DatabaseError away() { return {DatabaseError::Kind::Unavailable, "08006", {}, "SQLSTATE 08006: nobody answers"}; }

/// A workbench whose database can be taken away.
class Waiter
{
public:
    explicit Waiter(std::chrono::milliseconds pause)
    {
        bench.settings.retry = {pause, pause};
        bench.settings.unasked = [this](const OperationResult& operation)
        {
            result = operation;
            told.release();
        };
        bench.contexts.duringMigration = [this](const Manifest&)
        {
            ++tries;
            const bool wasAway = databaseAway;
            if (tries == enough) then();
            if (wasAway) throw away();
        };
    }
    // The hooks are called until the lifecycle has ended.
    ~Waiter() { bench.end(); }

    std::atomic<bool> databaseAway{false};
    std::atomic<int> tries{0};
    /// What happens in the middle of which try, on the thread of the lifecycle.
    int enough = 0;
    std::function<void()> then;
    Pipe told;
    /// As the host told it; read after `told`.
    OperationResult result;
    Workbench bench;
};

/// Does not try by itself within a test.
constexpr auto never = 1h;
constexpr auto atOnce = 1ms;

class Registry final : public RegistrationLink
{
public:
    std::optional<std::map<std::string, std::string>> announce(const std::vector<PublishedService>&) override
    {
        if (++asked <= 2) throw away();
        return std::map<std::string, std::string>{};
    }
    std::atomic<int> asked{0};
};

} // namespace

/// Starts that fail because something is away are tried again; all others are not.
class WaitingTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(WaitingTest);
    CPPUNIT_TEST(waitsForTheDatabase);
    CPPUNIT_TEST(startsWhenItIsBack);
    CPPUNIT_TEST(startsWhenThePluginFindsItBack);
    CPPUNIT_TEST(refusalIsNotTriedAgain);
    CPPUNIT_TEST(refusalEndsTheWaiting);
    CPPUNIT_TEST(vanishedPluginEndsTheWaiting);
    CPPUNIT_TEST(disablingEndsTheWaiting);
    CPPUNIT_TEST(commandTriesAtOnce);
    CPPUNIT_TEST(whatServesIsLeftAlone);
    CPPUNIT_TEST(stopEndsTheWaiting);
    CPPUNIT_TEST(registryIsToldLater);
    CPPUNIT_TEST(pausesGrow);
    CPPUNIT_TEST(onlyAbsenceIsWaitedFor);
    CPPUNIT_TEST_SUITE_END();

public:
    void waitsForTheDatabase()
    {
        Waiter waiter(never);
        auto& bench = waiter.bench;
        bench.install("ok-v1", "ok");
        bench.install("ok-v1", "other");
        bench.begin();
        waiter.databaseAway = true;
        const auto result = bench.startAll();
        CPPUNIT_ASSERT(!result.succeeded);
        const auto text = textOf(result);
        CPPUNIT_ASSERT_MESSAGE(text, text.find("ok: SQLSTATE 08006: nobody answers") != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(text, text.find("ok: it waits for the database and is tried again by itself") != std::string::npos);
        const auto report = bench.report("ok");
        CPPUNIT_ASSERT_EQUAL(std::string("waiting"), std::string(name(report.state)));
        CPPUNIT_ASSERT(report.waiting && bench.report("other").waiting);
        CPPUNIT_ASSERT_EQUAL(std::string("the database"), report.waiting->what);
        CPPUNIT_ASSERT_EQUAL(1u, report.waiting->tries);
        CPPUNIT_ASSERT(report.waiting->nextTry > std::chrono::steady_clock::now());
        std::shared_ptr<const tests::FakePublisher::Set> published;
        CPPUNIT_ASSERT(bench.publisher.find("ok", published)->status == ServiceStatus::Failed);
        CPPUNIT_ASSERT_EQUAL(0, bench.contexts.alive.load());
    }

    void startsWhenItIsBack()
    {
        Waiter waiter(atOnce);
        auto& bench = waiter.bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        waiter.databaseAway = true;
        waiter.enough = 4;
        waiter.then = [&] { waiter.databaseAway = false; };
        CPPUNIT_ASSERT(!bench.startAll().succeeded);
        waiter.told.wait();
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"text":"v1"})"), bench.answer("ok"));
        const auto report = bench.report("ok");
        CPPUNIT_ASSERT(report.state == State::Serving);
        CPPUNIT_ASSERT(!report.waiting);
        CPPUNIT_ASSERT_EQUAL(std::string(), report.lastError);
        CPPUNIT_ASSERT_MESSAGE(textOf(waiter.result), waiter.result.succeeded);
        CPPUNIT_ASSERT_EQUAL(std::string("retry"), waiter.result.command);
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), waiter.result.serviceId);
        CPPUNIT_ASSERT_EQUAL(std::string("the host"), waiter.result.requestedBy);
        CPPUNIT_ASSERT_EQUAL(std::string("ok: it had waited for the database; tries before: 4"), waiter.result.messages.at(0));
        // However often it was tried.
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), bench.journal.count("plugin command failed"));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), bench.journal.count("change=started"));
        const int tries = waiter.tries;
        CPPUNIT_ASSERT(bench.reload("ok").succeeded);
        CPPUNIT_ASSERT_EQUAL(tries + 1, waiter.tries.load());
    }

    void startsWhenThePluginFindsItBack()
    {
        Waiter waiter(atOnce);
        auto& bench = waiter.bench;
        const auto flag = bench.folder.path() / "away";
        std::ofstream(flag) << "x";
        bench.contexts.config = {{"fixture.away", flag.string()}};
        bench.install("start-away", "ok");
        bench.begin();
        waiter.enough = 4;
        waiter.then = [&] { std::filesystem::remove(flag); };
        const auto result = bench.startAll();
        CPPUNIT_ASSERT_MESSAGE(textOf(result),
                               textOf(result).find("its start threw: the server closed the connection") != std::string::npos);
        waiter.told.wait();
        CPPUNIT_ASSERT_EQUAL(4, waiter.tries.load());
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"text":"start-away"})"), bench.answer("ok"));
        CPPUNIT_ASSERT_EQUAL(1, bench.contexts.alive.load());
    }

    void refusalIsNotTriedAgain()
    {
        for (const bool byMigration : {false, true})
        {
            Waiter waiter(atOnce);
            auto& bench = waiter.bench;
            bench.install(byMigration ? "ok-v1" : "start-throws", "ok");
            if (byMigration) bench.contexts.failingMigrations = {{"ok", "0001_things.sql:3: expected the migration to run"}};
            bench.begin();
            CPPUNIT_ASSERT(!bench.startAll().succeeded);
            CPPUNIT_ASSERT(bench.report("ok").state == State::Failed);
            CPPUNIT_ASSERT(!bench.report("ok").waiting);
        }
    }

    void refusalEndsTheWaiting()
    {
        Waiter waiter(atOnce);
        auto& bench = waiter.bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        waiter.databaseAway = true;
        waiter.enough = 2;
        waiter.then = [&]
        {
            bench.install("start-throws", "ok");
            waiter.databaseAway = false;
        };
        bench.startAll();
        waiter.told.wait();
        CPPUNIT_ASSERT(!waiter.result.succeeded);
        const auto report = bench.report("ok");
        CPPUNIT_ASSERT(report.state == State::Failed);
        CPPUNIT_ASSERT_EQUAL(std::string("its start threw: the setting x.y is missing"), report.lastError);
        // The log has it, as it is new.
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), bench.journal.count("command=retry service=ok by=the host error=its start threw"));
    }

    void vanishedPluginEndsTheWaiting()
    {
        Waiter waiter(atOnce);
        auto& bench = waiter.bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        waiter.databaseAway = true;
        waiter.enough = 2;
        waiter.then = [&] { std::filesystem::rename(bench.plugins() / "ok", bench.folder.path() / "gone"); };
        bench.startAll();
        waiter.told.wait();
        CPPUNIT_ASSERT(!waiter.result.succeeded);
        CPPUNIT_ASSERT(bench.lifecycle->status().empty());
    }

    void disablingEndsTheWaiting()
    {
        Waiter waiter(never);
        auto& bench = waiter.bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        waiter.databaseAway = true;
        bench.startAll();
        CPPUNIT_ASSERT(bench.disable("ok").succeeded);
        CPPUNIT_ASSERT(bench.report("ok").state == State::Disabled);
        CPPUNIT_ASSERT(!bench.report("ok").waiting);
        CPPUNIT_ASSERT(!bench.enable("ok").succeeded);
        CPPUNIT_ASSERT_EQUAL(1u, bench.report("ok").waiting.value().tries);
    }

    void commandTriesAtOnce()
    {
        Waiter waiter(never);
        auto& bench = waiter.bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        waiter.databaseAway = true;
        bench.startAll();
        CPPUNIT_ASSERT(!bench.reload("ok").succeeded);
        CPPUNIT_ASSERT_EQUAL(1u, bench.report("ok").waiting.value().tries);
        waiter.databaseAway = false;
        CPPUNIT_ASSERT(bench.enable("ok").succeeded);
        CPPUNIT_ASSERT(!bench.report("ok").waiting);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"text":"v1"})"), bench.answer("ok"));
    }

    void whatServesIsLeftAlone()
    {
        Waiter waiter(atOnce);
        auto& bench = waiter.bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        bench.startAll();
        bench.install("ok-v2", "ok");
        waiter.databaseAway = true;
        CPPUNIT_ASSERT(!bench.reload("ok").succeeded);
        CPPUNIT_ASSERT(bench.report("ok").state == State::Serving);
        CPPUNIT_ASSERT(!bench.report("ok").waiting);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"text":"v1"})"), bench.answer("ok"));
    }

    void stopEndsTheWaiting()
    {
        Waiter waiter(never);
        auto& bench = waiter.bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        waiter.databaseAway = true;
        bench.startAll();
        CPPUNIT_ASSERT(bench.lifecycle->stopAll("test").get().succeeded);
        CPPUNIT_ASSERT(bench.report("ok").state == State::Stopped);
        CPPUNIT_ASSERT(!bench.report("ok").waiting);
    }

    void registryIsToldLater()
    {
        Registry registry;
        Waiter waiter(atOnce);
        auto& bench = waiter.bench;
        bench.registration = &registry;
        bench.install("ok-v1", "ok");
        bench.begin();
        const auto result = bench.startAll();
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded);
        CPPUNIT_ASSERT(textOf(result).find("the registry of services could not be informed: SQLSTATE 08006") != std::string::npos);
        waiter.told.wait();
        CPPUNIT_ASSERT(waiter.result.succeeded);
        CPPUNIT_ASSERT_EQUAL(std::string("retry"), waiter.result.command);
        CPPUNIT_ASSERT_EQUAL(std::string(), waiter.result.serviceId);
        CPPUNIT_ASSERT_EQUAL(3, registry.asked.load());
    }

    void pausesGrow()
    {
        const RetryTimes times{1s, 15s};
        const std::chrono::steady_clock::time_point now{};
        const auto pause = [&](unsigned before) { return waitFor("x", before, times, now).nextTry - now; };
        const std::vector<std::chrono::steady_clock::duration> expected{1s, 2s, 4s, 8s, 15s, 15s};
        for (unsigned before = 0; before < expected.size(); ++before) CPPUNIT_ASSERT(pause(before) == expected[before]);
        CPPUNIT_ASSERT(pause(4'000'000'000u) == 15s);
        CPPUNIT_ASSERT_EQUAL(4u, waitFor("x", 3, times, now).tries);
    }

    void onlyAbsenceIsWaitedFor()
    {
        using Kind = DatabaseError::Kind;
        for (const auto kind : {Kind::Unavailable, Kind::Busy, Kind::Serialization})
            CPPUNIT_ASSERT_EQUAL(std::string("the database"), unavailableDependency(DatabaseError(kind, "08006", {}, "x")));
        for (const auto kind : {Kind::Other, Kind::UniqueViolation, Kind::ForeignKeyViolation, Kind::CheckViolation})
            CPPUNIT_ASSERT_EQUAL(std::string(), unavailableDependency(DatabaseError(kind, "42601", {}, "x")));
        CPPUNIT_ASSERT_EQUAL(std::string("what it needs"), unavailableDependency(Problem::unavailable("overloaded")));
        CPPUNIT_ASSERT_EQUAL(std::string(), unavailableDependency(Problem::internal()));
        CPPUNIT_ASSERT_EQUAL(std::string("room on the disk"),
                             unavailableDependency(std::system_error(std::make_error_code(std::errc::no_space_on_device))));
        CPPUNIT_ASSERT_EQUAL(std::string(), unavailableDependency(std::system_error(std::make_error_code(std::errc::permission_denied))));
        CPPUNIT_ASSERT_EQUAL(std::string(), unavailableDependency(std::runtime_error("x")));
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(WaitingTest);
