#include "plugins/Workbench.h"
#include "support/Suite.h"

#include "plugins/fixtures/Echo.h"

#include <atomic>
#include <fstream>
#include <thread>
#include <vector>

using namespace portico;
using namespace portico::host::plugins;
using portico::tests::textOf;
using portico::tests::Workbench;

namespace
{

using portico::testing::equal;
using portico::testing::Suite;

/// Sanitizers keep every generation in memory and are slow: fewer rounds show the same races.
int rounds() { return tests::neverUnmaps() ? 40 : 200; }

/// Threads that send requests until they are stopped, and count answers other than 200.
class Clients
{
public:
    Clients(const Workbench& bench, const std::string& serviceId, int count)
    {
        for (int i = 0; i < count; ++i)
            _threads.emplace_back(
                [this, &bench, serviceId]
                {
                    while (!_done)
                    {
                        const auto [status, body] = bench.publisher.get(serviceId, "/answer");
                        ++_answers;
                        if (status != 200 || !body.starts_with(R"({"text":)")) ++_failures;
                        // Two cores for five threads: without this the lifecycle thread waits for its turn at the fake table's mutex.
                        std::this_thread::yield();
                    }
                });
    }
    void waitForAnswers(std::uint64_t count) const
    {
        const auto target = _answers + count;
        while (_answers < target) std::this_thread::yield();
    }
    std::uint64_t failures()
    {
        _done = true;
        for (auto& thread : _threads) thread.join();
        _threads.clear();
        return _failures;
    }

private:
    std::atomic<bool> _done{false};
    std::atomic<std::uint64_t> _answers{0};
    std::atomic<std::uint64_t> _failures{0};
    std::vector<std::thread> _threads;
};

long residentKilobytes()
{
    std::ifstream status("/proc/self/statm");
    long total = 0;
    long resident = 0;
    status >> total >> resident;
    return resident * 4;
}
} // namespace

/// Hundreds of reloads while requests and calls between plugins run.
class ReloadUnderLoadTest : public Suite<ReloadUnderLoadTest>
{
    TEST(noRequestFails)
    {
        Workbench bench;
        bench.serve("ok-v1", "ok");
        Clients clients(bench, "ok", 4);
        for (int i = 0; i < rounds(); ++i)
        {
            const auto result = bench.replace(i % 2 == 0 ? "ok-v2" : "ok-v1", "ok");
            CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded);
            clients.waitForAnswers(10);
        }
        equal(0, clients.failures());
        equal(0, bench.report("ok").generations.at(0).inFlight);
        equal(1, bench.contexts.alive.load());
        equal(bench.journal.count("constructed"), bench.journal.count("destroyed") + 1);
        if (!tests::neverUnmaps()) equal(1, bench.mappedCopies());
    }

    TEST(noCallBetweenPluginsFails)
    {
        Workbench bench;
        bench.install("provider", "provider", {{"plugin.provides", R"([{"interface":"fixture.echo","version":"1.0"}])"}});
        CHECK(bench.serve("consumer", "consumer", {{"plugin.requires", R"([{"interface":"fixture.echo","version":"^1"}])"}}).succeeded);
        std::atomic<bool> done = false;
        std::atomic<std::uint64_t> wrong = 0;
        std::thread caller(
            [&]
            {
                while (!done)
                    if (bench.answer("consumer") != R"({"text":"echo of hello"})") ++wrong;
            });
        std::thread host(
            [&]
            {
                while (!done)
                {
                    auto echo = bench.interfaces.find<fixture::Echo>();
                    if (!echo || echo->echo("host") != "echo of host") ++wrong;
                }
            });
        for (int i = 0; i < rounds() / 4; ++i)
        {
            CHECK(bench.reload("provider").succeeded);
            CHECK(bench.reload("consumer").succeeded);
        }
        done = true;
        caller.join();
        host.join();
        equal(0, wrong.load());
    }

    TEST(commandsFromManyThreadsTakeTurns)
    {
        Workbench bench;
        bench.install("ok-v1", "ok");
        bench.serve("ok-v2", "other");
        std::vector<std::thread> operators;
        for (int i = 0; i < 4; ++i)
            operators.emplace_back(
                [&, i]
                {
                    for (int k = 0; k < rounds() / 10; ++k)
                    {
                        const std::string id = (i + k) % 2 == 0 ? "ok" : "other";
                        if (k % 5 == 4)
                        {
                            bench.disable(id);
                            bench.enable(id);
                        }
                        else
                            bench.reload(id);
                        bench.lifecycle->status();
                    }
                });
        for (auto& thread : operators) thread.join();
        for (const auto* id : {"ok", "other"}) bench.enable(id);
        equal(200, bench.publisher.get("ok", "/answer").first);
        equal(200, bench.publisher.get("other", "/answer").first);
        equal(2, bench.contexts.alive.load());
        equal(2, bench.contexts.active.load());
    }

    TEST(memoryStaysFlat)
    {
        if (tests::neverUnmaps()) return;
        Workbench bench;
        bench.serve("ok-v1", "ok");
        const auto reloadOften = [&](int count)
        {
            for (int i = 0; i < count; ++i) CHECK(bench.reload("ok").succeeded);
        };
        reloadOften(100);
        const auto before = residentKilobytes();
        reloadOften(400);
        const auto grown = residentKilobytes() - before;
        // A generation that stayed would take some 100 KiB: 400 of them 40 MiB. What the journal keeps is far below the bound.
        CPPUNIT_ASSERT_MESSAGE(std::to_string(grown) + " KiB more after 400 reloads", grown < 4096);
    }
};
