#include "host/plugins/InterfaceRegistry.h"

#include "plugins/Workbench.h"
#include "plugins/fixtures/Echo.h"

#include <cppunit/extensions/HelperMacros.h>

#include <stdexcept>

using namespace portico;
using namespace portico::host::plugins;
using fixture::Echo;
using portico::tests::textOf;
using portico::tests::Workbench;

namespace
{
struct NamedEcho final : Echo
{
    explicit NamedEcho(std::string ownName) : name(std::move(ownName)) {}
    std::string echo(std::string_view) override { return name; }
    std::string name;
};

std::shared_ptr<Generation> providerOf(const std::string& interface, std::uint64_t number = 1)
{
    auto manifest = std::make_shared<Manifest>();
    manifest->serviceId = "provider";
    manifest->provides = {{interface, "1.0"}};
    return std::make_shared<Generation>(std::move(manifest), number);
}

/// Stands for the keeper of the catalog: notes what it is told, and answers what the test wants.
struct FakeLink final : RegistrationLink
{
    std::optional<std::map<std::string, std::string>> announce(const std::vector<PublishedService>& services) override
    {
        ++asked;
        if (!error.empty()) throw std::runtime_error(error);
        told.clear();
        for (const auto& service : services)
            if (service.status == ServiceStatus::Serving) told += service.manifest->serviceId;
        return answer;
    }
    int asked = 0;
    std::string error;
    std::string told;
    std::optional<std::map<std::string, std::string>> answer = std::map<std::string, std::string>{};
};
} // namespace

/// Interfaces between plugins, and telling the registry of services.
class InterfaceTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(InterfaceTest);
    CPPUNIT_TEST(foundOnlyOnceAnnounced);
    CPPUNIT_TEST(leaseKeepsTheProvider);
    CPPUNIT_TEST(successorTakesOver);
    CPPUNIT_TEST(withdrawnWithoutSuccessorIsEmpty);
    CPPUNIT_TEST(offersAreCheckedAgainstTheManifest);
    CPPUNIT_TEST(incompleteServiceIsPublishedSo);
    CPPUNIT_TEST(registryIsToldAfterEveryCommand);
    CPPUNIT_TEST(registryThatFailsChangesNothing);
    CPPUNIT_TEST_SUITE_END();

public:
    void foundOnlyOnceAnnounced()
    {
        InterfaceRegistry interfaces;
        NamedEcho echo("one");
        const auto generation = providerOf("fixture.echo");
        interfaces.offer(generation, Echo::interfaceName, echo);
        CPPUNIT_ASSERT(!interfaces.find<Echo>());
        generation->serve();
        interfaces.announce(*generation);
        CPPUNIT_ASSERT_EQUAL(std::string("one"), interfaces.find<Echo>()->echo(""));
        ServiceInterface* found = nullptr;
        CPPUNIT_ASSERT(interfaces.find("fixture.echo", found) && found == &echo);
        CPPUNIT_ASSERT(!interfaces.find("fixture.other", found));
    }

    void leaseKeepsTheProvider()
    {
        InterfaceRegistry interfaces;
        NamedEcho echo("one");
        const auto generation = providerOf("fixture.echo");
        interfaces.offer(generation, Echo::interfaceName, echo);
        generation->serve();
        interfaces.announce(*generation);
        {
            const auto leased = interfaces.find<Echo>();
            CPPUNIT_ASSERT_EQUAL(std::uint64_t(1), generation->inFlight());
            CPPUNIT_ASSERT(!generation->drain(std::chrono::milliseconds(0)));
        }
        CPPUNIT_ASSERT(generation->drain(std::chrono::milliseconds(0)));
    }

    void successorTakesOver()
    {
        InterfaceRegistry interfaces;
        NamedEcho one("one");
        NamedEcho two("two");
        const auto first = providerOf("fixture.echo", 1);
        const auto second = providerOf("fixture.echo", 2);
        for (const auto& [generation, echo] : {std::pair{first, &one}, std::pair{second, &two}})
        {
            interfaces.offer(generation, Echo::interfaceName, *echo);
            generation->serve();
            interfaces.announce(*generation);
        }
        CPPUNIT_ASSERT_EQUAL(std::string("two"), interfaces.find<Echo>()->echo(""));
        interfaces.withdraw(*first);
        CPPUNIT_ASSERT_EQUAL(std::string("two"), interfaces.find<Echo>()->echo(""));
    }

    void withdrawnWithoutSuccessorIsEmpty()
    {
        InterfaceRegistry interfaces;
        NamedEcho echo("one");
        const auto generation = providerOf("fixture.echo");
        interfaces.offer(generation, Echo::interfaceName, echo);
        generation->serve();
        interfaces.announce(*generation);
        generation->drain(std::chrono::milliseconds(0));
        CPPUNIT_ASSERT(!interfaces.find<Echo>());
        interfaces.withdraw(*generation);
        CPPUNIT_ASSERT(!interfaces.find<Echo>());
    }

    void offersAreCheckedAgainstTheManifest()
    {
        InterfaceRegistry interfaces;
        NamedEcho echo("one");
        const auto generation = providerOf("fixture.other");
        CPPUNIT_ASSERT_THROW(interfaces.offer(generation, Echo::interfaceName, echo), std::logic_error);
        CPPUNIT_ASSERT_EQUAL(std::string("fixture.other"), interfaces.missing(*generation).at(0));
        interfaces.offer(generation, "fixture.other", echo);
        CPPUNIT_ASSERT(interfaces.missing(*generation).empty());
        CPPUNIT_ASSERT_THROW(interfaces.offer(generation, "fixture.other", echo), std::logic_error);
    }

    void incompleteServiceIsPublishedSo()
    {
        FakeLink link;
        link.answer = std::map<std::string, std::string>{{"ok", "no bundle for guests"}};
        Workbench bench;
        bench.registration = &link;
        bench.install("ok-v1", "ok");
        bench.install("ok-v2", "other");
        bench.begin();
        const auto result = bench.startAll();
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded && textOf(result).find("no bundle for guests") != std::string::npos);
        const auto registered = [&](const std::string& id)
        {
            std::shared_ptr<const tests::FakePublisher::Set> set;
            return bench.publisher.find(id, set)->registered;
        };
        CPPUNIT_ASSERT(!registered("ok") && registered("other"));
        CPPUNIT_ASSERT_EQUAL(std::string("no bundle for guests"), bench.report("ok").registrationReport);

        // Nobody can be asked: it stays as it was, also through a reload.
        link.answer.reset();
        CPPUNIT_ASSERT(bench.reload("ok").succeeded);
        CPPUNIT_ASSERT(!registered("ok"));
        link.answer.emplace();
        CPPUNIT_ASSERT(bench.reload("ok").succeeded);
        CPPUNIT_ASSERT(registered("ok"));
    }

    void registryIsToldAfterEveryCommand()
    {
        FakeLink link;
        Workbench bench;
        bench.registration = &link;
        bench.install("ok-v1", "ok");
        bench.begin();
        bench.startAll();
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), link.told);
        // Also after the one that starts or replaces the keeper of the catalog, which may be any.
        bench.disable("ok");
        CPPUNIT_ASSERT_EQUAL(std::string(), link.told);
        bench.enable("ok");
        CPPUNIT_ASSERT_EQUAL(std::string("ok"), link.told);
        CPPUNIT_ASSERT_EQUAL(3, link.asked);
    }

    void registryThatFailsChangesNothing()
    {
        FakeLink link;
        Workbench bench;
        bench.registration = &link;
        bench.install("ok-v1", "ok");
        bench.begin();
        bench.startAll();
        link.error = "the database is locked";
        const auto result = bench.reload("ok");
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded && textOf(result).find("the database is locked") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(200, bench.publisher.get("ok", "/answer").first);
        CPPUNIT_ASSERT(bench.report("ok").registered);
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(InterfaceTest);
