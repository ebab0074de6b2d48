#include "plugins/Workbench.h"
#include "support/Suite.h"

#include "host/plugins/lifecycle/HealthMonitor.h"

#include "portico/Plugin.h"

#include <atomic>
#include <functional>
#include <latch>
#include <semaphore>
#include <thread>

using namespace portico;
using namespace portico::host::plugins;
using portico::tests::Journal;

namespace
{

using portico::testing::equal;
using portico::testing::Suite;

/// A plugin of which only the health is asked.
class Patient final : public Plugin
{
public:
    void declare(Routes&) override {}
    std::vector<HealthCheck> health() override
    {
        ++asked;
        return answer();
    }
    std::atomic<int> asked{0};
    std::function<std::vector<HealthCheck>()> answer = [] { return std::vector<HealthCheck>(); };
};

/// A generation that serves, with its plugin.
struct Service
{
    explicit Service(const char* id)
    {
        auto manifest = std::make_shared<Manifest>();
        manifest->serviceId = id;
        generation = std::make_shared<Generation>(std::move(manifest), 1);
        generation->setPlugin(&plugin);
        generation->serve();
    }
    std::string failing() const
    {
        std::string text;
        for (const auto& check : generation->health())
            if (!check.healthy) text += check.name + ": " + check.detail;
        return text;
    }
    Patient plugin;
    std::shared_ptr<Generation> generation;
};

} // namespace

/// Plugins are polled while they serve, and no other plugin waits for one that does not answer.
class HealthMonitorTest : public Suite<HealthMonitorTest>
{
    HealthMonitor monitorOf(std::vector<Service*> services, std::chrono::milliseconds patience)
    {
        return {{std::chrono::milliseconds(1), patience},
                [services]
                {
                    std::vector<std::shared_ptr<Generation>> generations;
                    for (const auto* service : services) generations.push_back(service->generation);
                    return generations;
                },
                _journal};
    }

    TEST(notesWhatIsSaid)
    {
        Service mail("mail"), bare("bare");
        bool reachable = false;
        mail.plugin.answer = [&] {
            return std::vector<HealthCheck>{{"smtp", reachable, reachable ? "" : "refused", std::chrono::milliseconds(3)}};
        };
        auto monitor = monitorOf({&mail, &bare}, std::chrono::minutes(1));
        monitor.askAll();
        equal("smtp: refused", mail.failing());
        CHECK(mail.generation->health().front().latency == std::chrono::milliseconds(3));
        CHECK(bare.generation->health().empty());
        monitor.askAll();
        equal(1, _journal.count("a service is not healthy service=mail failing=smtp"));
        reachable = true;
        monitor.askAll();
        equal("", mail.failing());
        equal(1, _journal.count("healthy again service=mail"));
        equal(0, mail.generation->inFlight());
    }

    TEST(aThrowIsAFailureWithoutItsText)
    {
        Service service("mail");
        service.plugin.answer = []() -> std::vector<HealthCheck> { throw std::runtime_error("password=x"); };
        auto monitor = monitorOf({&service}, std::chrono::minutes(1));
        monitor.askAll();
        equal("plugin: cannot tell", service.failing());
        equal(1, _journal.count("password=x"));
        service.plugin.answer = []() -> std::vector<HealthCheck> { throw 7; };
        monitor.askAll();
        equal("plugin: cannot tell", service.failing());
    }

    TEST(hangingHealthCheckBlocksNoOthers)
    {
        Service stuck("stuck"), quick("quick");
        std::counting_semaphore<1000> go(0);
        stuck.plugin.answer = [&]
        {
            go.acquire();
            return std::vector<HealthCheck>{{"late", true, "", {}}};
        };
        auto monitor = monitorOf({&stuck, &quick}, std::chrono::milliseconds(20));
        monitor.askAll();
        monitor.askAll();
        equal("plugin: has not answered", stuck.failing());
        equal(1, stuck.plugin.asked.load());
        equal(2, quick.plugin.asked.load());
        equal("", quick.failing());
        // Nothing delays it from here on, and its last answer is used.
        go.release(1000);
        while (stuck.generation->inFlight() > 0) std::this_thread::yield();
        while (!stuck.failing().empty()) monitor.askAll();
    }

    TEST(drainWaitsForWhoIsAsked)
    {
        Service service("slow");
        std::latch inside(1);
        std::binary_semaphore go(0);
        service.plugin.answer = [&]
        {
            inside.count_down();
            go.acquire();
            return std::vector<HealthCheck>();
        };
        auto monitor = monitorOf({&service}, std::chrono::milliseconds(0));
        monitor.askAll();
        inside.wait();
        CHECK(!service.generation->drain(std::chrono::milliseconds(1)));
        go.release();
        CHECK(service.generation->drain(std::chrono::minutes(1)));
    }

    TEST(drainingPluginIsNotAsked)
    {
        Service service("leaving");
        service.generation->noteHealth({{"smtp", true, "", {}}});
        CHECK(service.generation->drain(std::chrono::milliseconds(0)));
        monitorOf({&service}, std::chrono::minutes(1)).askAll();
        equal(0, service.plugin.asked.load());
        equal(1, service.generation->health().size());
    }

    TEST(asksAgainAndAgain)
    {
        Service service("mail");
        auto monitor = monitorOf({&service}, std::chrono::minutes(1));
        monitor.start();
        while (service.plugin.asked.load() < 3) std::this_thread::yield();
        monitor.stop();
        const auto asked = service.plugin.asked.load();
        equal(0, service.generation->inFlight());
        equal(asked, service.plugin.asked.load());
    }

    Journal _journal;
};
