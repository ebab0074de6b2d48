#include "plugins/Workbench.h"

#include "host/plugins/lifecycle/HealthMonitor.h"

#include "portico/Plugin.h"

#include <cppunit/extensions/HelperMacros.h>

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

/// Plugins are asked while they serve, and nobody waits for one that does not answer.
class HealthMonitorTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(HealthMonitorTest);
    CPPUNIT_TEST(notesWhatIsSaid);
    CPPUNIT_TEST(aThrowIsAFailureWithoutItsText);
    CPPUNIT_TEST(whoHangsDelaysNobodyAndIsNotAskedTwice);
    CPPUNIT_TEST(drainWaitsForWhoIsAsked);
    CPPUNIT_TEST(whoDrainsIsNotAsked);
    CPPUNIT_TEST(asksAgainAndAgain);
    CPPUNIT_TEST_SUITE_END();

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

    void notesWhatIsSaid()
    {
        Service mail("mail"), bare("bare");
        bool reachable = false;
        mail.plugin.answer = [&] {
            return std::vector<HealthCheck>{{"smtp", reachable, reachable ? "" : "refused", std::chrono::milliseconds(3)}};
        };
        auto monitor = monitorOf({&mail, &bare}, std::chrono::minutes(1));
        monitor.askAll();
        CPPUNIT_ASSERT_EQUAL(std::string("smtp: refused"), mail.failing());
        CPPUNIT_ASSERT(mail.generation->health().front().latency == std::chrono::milliseconds(3));
        CPPUNIT_ASSERT(bare.generation->health().empty());
        monitor.askAll();
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), _journal.count("a service is not healthy service=mail failing=smtp"));
        reachable = true;
        monitor.askAll();
        CPPUNIT_ASSERT_EQUAL(std::string(), mail.failing());
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), _journal.count("healthy again service=mail"));
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(0), mail.generation->inFlight());
    }

    void aThrowIsAFailureWithoutItsText()
    {
        Service service("mail");
        service.plugin.answer = []() -> std::vector<HealthCheck> { throw std::runtime_error("password=x"); };
        auto monitor = monitorOf({&service}, std::chrono::minutes(1));
        monitor.askAll();
        CPPUNIT_ASSERT_EQUAL(std::string("plugin: cannot tell"), service.failing());
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), _journal.count("password=x"));
        service.plugin.answer = []() -> std::vector<HealthCheck> { throw 7; };
        monitor.askAll();
        CPPUNIT_ASSERT_EQUAL(std::string("plugin: cannot tell"), service.failing());
    }

    void whoHangsDelaysNobodyAndIsNotAskedTwice()
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
        CPPUNIT_ASSERT_EQUAL(std::string("plugin: has not answered"), stuck.failing());
        CPPUNIT_ASSERT_EQUAL(1, stuck.plugin.asked.load());
        CPPUNIT_ASSERT_EQUAL(2, quick.plugin.asked.load());
        CPPUNIT_ASSERT_EQUAL(std::string(), quick.failing());
        // From here on nothing keeps it, and what it says in the end counts.
        go.release(1000);
        while (stuck.generation->inFlight() > 0) std::this_thread::yield();
        while (!stuck.failing().empty()) monitor.askAll();
    }

    void drainWaitsForWhoIsAsked()
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
        CPPUNIT_ASSERT(!service.generation->drain(std::chrono::milliseconds(1)));
        go.release();
        CPPUNIT_ASSERT(service.generation->drain(std::chrono::minutes(1)));
    }

    void whoDrainsIsNotAsked()
    {
        Service service("leaving");
        service.generation->noteHealth({{"smtp", true, "", {}}});
        CPPUNIT_ASSERT(service.generation->drain(std::chrono::milliseconds(0)));
        monitorOf({&service}, std::chrono::minutes(1)).askAll();
        CPPUNIT_ASSERT_EQUAL(0, service.plugin.asked.load());
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), service.generation->health().size());
    }

    void asksAgainAndAgain()
    {
        Service service("mail");
        auto monitor = monitorOf({&service}, std::chrono::minutes(1));
        monitor.start();
        while (service.plugin.asked.load() < 3) std::this_thread::yield();
        monitor.stop();
        const auto asked = service.plugin.asked.load();
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(0), service.generation->inFlight());
        CPPUNIT_ASSERT_EQUAL(asked, service.plugin.asked.load());
    }

    Journal _journal;
};

CPPUNIT_TEST_SUITE_REGISTRATION(HealthMonitorTest);
