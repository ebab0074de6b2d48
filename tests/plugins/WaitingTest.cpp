#include "plugins/Workbench.h"
#include "support/Suite.h"

#include "host/plugins/lifecycle/DependencyUnavailable.h"

#include "portico/Database.h"
#include "portico/Problem.h"

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

using portico::testing::equal;
using portico::testing::Suite;

DatabaseError away() { return {DatabaseError::Kind::Unavailable, "08006", {}, "SQLSTATE 08006: no answer"}; }

/// A workbench whose database can be made unavailable.
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
    /// Number of the attempt at which `then` runs, on the lifecycle thread.
    int enough = 0;
    std::function<void()> then;
    Pipe told;
    /// Result of the hook; read after the pipe.
    OperationResult result;
    Workbench bench;
};

/// Longer than a test, so that no retry runs.
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
class WaitingTest : public Suite<WaitingTest>
{
    TEST(waitsForTheDatabase)
    {
        Waiter waiter(never);
        auto& bench = waiter.bench;
        bench.install("ok-v1", "ok");
        bench.install("ok-v1", "other");
        bench.begin();
        waiter.databaseAway = true;
        const auto result = bench.startAll();
        CHECK(!result.succeeded);
        const auto text = textOf(result);
        CPPUNIT_ASSERT_MESSAGE(text, text.find("ok: SQLSTATE 08006: no answer") != std::string::npos);
        CPPUNIT_ASSERT_MESSAGE(text, text.find("ok: it waits for the database, and is retried automatically") != std::string::npos);
        const auto report = bench.report("ok");
        equal("waiting", std::string(name(report.state)));
        CHECK(report.waiting && bench.report("other").waiting);
        equal("the database", report.waiting->what);
        equal(1, report.waiting->tries);
        CHECK(report.waiting->nextTry > std::chrono::steady_clock::now());
        std::shared_ptr<const tests::FakePublisher::Set> published;
        CHECK(bench.publisher.find("ok", published)->status == ServiceStatus::Failed);
        equal(0, bench.contexts.alive.load());
    }

    TEST(startsWhenItIsBack)
    {
        Waiter waiter(atOnce);
        auto& bench = waiter.bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        waiter.databaseAway = true;
        waiter.enough = 4;
        waiter.then = [&] { waiter.databaseAway = false; };
        CHECK(!bench.startAll().succeeded);
        waiter.told.wait();
        equal(R"({"text":"v1"})", bench.answer("ok"));
        const auto report = bench.report("ok");
        CHECK(report.state == State::Serving);
        CHECK(!report.waiting);
        equal("", report.lastError);
        CPPUNIT_ASSERT_MESSAGE(textOf(waiter.result), waiter.result.succeeded);
        equal("retry", waiter.result.command);
        equal("ok", waiter.result.serviceId);
        equal("the host", waiter.result.requestedBy);
        equal("ok: it had waited for the database; tries before: 4", waiter.result.messages.at(0));
        // However often it was tried.
        equal(1, bench.journal.count("plugin command failed"));
        equal(1, bench.journal.count("change=started"));
        const int tries = waiter.tries;
        CHECK(bench.reload("ok").succeeded);
        equal(tries + 1, waiter.tries.load());
    }

    TEST(startsWhenThePluginFindsItBack)
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
        equal(4, waiter.tries.load());
        equal(R"({"text":"start-away"})", bench.answer("ok"));
        equal(1, bench.contexts.alive.load());
    }

    TEST(refusalIsNotTriedAgain)
    {
        for (const bool byMigration : {false, true})
        {
            Waiter waiter(atOnce);
            auto& bench = waiter.bench;
            bench.install(byMigration ? "ok-v1" : "start-throws", "ok");
            if (byMigration) bench.contexts.failingMigrations = {{"ok", "0001_things.sql:3: expected the migration to run"}};
            bench.begin();
            CHECK(!bench.startAll().succeeded);
            CHECK(bench.report("ok").state == State::Failed);
            CHECK(!bench.report("ok").waiting);
        }
    }

    TEST(refusalEndsTheWaiting)
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
        CHECK(!waiter.result.succeeded);
        const auto report = bench.report("ok");
        CHECK(report.state == State::Failed);
        equal("its start threw: the setting x.y is missing", report.lastError);
        // The log has it, as it is new.
        equal(1, bench.journal.count("command=retry service=ok by=the host error=its start threw"));
    }

    TEST(vanishedPluginEndsTheWaiting)
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
        CHECK(!waiter.result.succeeded);
        CHECK(bench.lifecycle->status().empty());
    }

    TEST(disablingEndsTheWaiting)
    {
        Waiter waiter(never);
        auto& bench = waiter.bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        waiter.databaseAway = true;
        bench.startAll();
        CHECK(bench.disable("ok").succeeded);
        CHECK(bench.report("ok").state == State::Disabled);
        CHECK(!bench.report("ok").waiting);
        CHECK(!bench.enable("ok").succeeded);
        equal(1, bench.report("ok").waiting.value().tries);
    }

    TEST(commandTriesAtOnce)
    {
        Waiter waiter(never);
        auto& bench = waiter.bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        waiter.databaseAway = true;
        bench.startAll();
        CHECK(!bench.reload("ok").succeeded);
        equal(1, bench.report("ok").waiting.value().tries);
        waiter.databaseAway = false;
        CHECK(bench.enable("ok").succeeded);
        CHECK(!bench.report("ok").waiting);
        equal(R"({"text":"v1"})", bench.answer("ok"));
    }

    TEST(servingVersionIsNotRetried)
    {
        Waiter waiter(atOnce);
        auto& bench = waiter.bench;
        bench.serve("ok-v1", "ok");
        bench.install("ok-v2", "ok");
        waiter.databaseAway = true;
        CHECK(!bench.reload("ok").succeeded);
        CHECK(bench.report("ok").state == State::Serving);
        CHECK(!bench.report("ok").waiting);
        equal(R"({"text":"v1"})", bench.answer("ok"));
    }

    TEST(stopEndsTheWaiting)
    {
        Waiter waiter(never);
        auto& bench = waiter.bench;
        bench.install("ok-v1", "ok");
        bench.begin();
        waiter.databaseAway = true;
        bench.startAll();
        CHECK(bench.lifecycle->stopAll("test").get().succeeded);
        CHECK(bench.report("ok").state == State::Stopped);
        CHECK(!bench.report("ok").waiting);
    }

    TEST(registryIsNotifiedLater)
    {
        Registry registry;
        Waiter waiter(atOnce);
        auto& bench = waiter.bench;
        bench.registration = &registry;
        const auto result = bench.serve("ok-v1", "ok");
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded);
        CHECK(textOf(result).find("the registry of services could not be informed: SQLSTATE 08006") != std::string::npos);
        waiter.told.wait();
        CHECK(waiter.result.succeeded);
        equal("retry", waiter.result.command);
        equal("", waiter.result.serviceId);
        equal(3, registry.asked.load());
    }

    TEST(pausesGrow)
    {
        const RetryTimes times{1s, 15s};
        const std::chrono::steady_clock::time_point now{};
        const auto pause = [&](unsigned before) { return waitFor("x", before, times, now).nextTry - now; };
        const std::vector<std::chrono::steady_clock::duration> expected{1s, 2s, 4s, 8s, 15s, 15s};
        for (unsigned before = 0; before < expected.size(); ++before) CHECK(pause(before) == expected[before]);
        CHECK(pause(4'000'000'000u) == 15s);
        equal(4, waitFor("x", 3, times, now).tries);
    }

    TEST(onlyAbsenceIsWaitedFor)
    {
        using Kind = DatabaseError::Kind;
        for (const auto kind : {Kind::Unavailable, Kind::Busy, Kind::Serialization})
            equal("the database", unavailableDependency(DatabaseError(kind, "08006", {}, "x")));
        for (const auto kind : {Kind::Other, Kind::UniqueViolation, Kind::ForeignKeyViolation, Kind::CheckViolation})
            equal("", unavailableDependency(DatabaseError(kind, "42601", {}, "x")));
        equal("what it needs", unavailableDependency(Problem::unavailable("overloaded")));
        equal("", unavailableDependency(Problem::internal()));
        equal("room on the disk", unavailableDependency(std::system_error(std::make_error_code(std::errc::no_space_on_device))));
        equal("", unavailableDependency(std::system_error(std::make_error_code(std::errc::permission_denied))));
        equal("", unavailableDependency(std::runtime_error("x")));
    }
};
