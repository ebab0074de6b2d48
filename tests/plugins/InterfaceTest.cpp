#include "host/plugins/runtime/InterfaceRegistry.h"

#include "plugins/Workbench.h"
#include "plugins/fixtures/Echo.h"
#include "support/Suite.h"

#include <stdexcept>

using namespace portico;
using namespace portico::host::plugins;
using fixture::Echo;
using portico::tests::textOf;
using portico::tests::Workbench;

namespace
{

using portico::testing::equal;
using portico::testing::Suite;

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

/// One of those that say that there may be many.
std::shared_ptr<Generation> oneOfMany(const std::string& service, const std::string& version = "1.0", std::uint64_t number = 1)
{
    auto manifest = std::make_shared<Manifest>();
    manifest->serviceId = service;
    manifest->provides = {{"fixture.echo", version, false, true}};
    return std::make_shared<Generation>(std::move(manifest), number);
}

void announce(InterfaceRegistry& interfaces, const std::shared_ptr<Generation>& generation, Echo& echo)
{
    interfaces.offer(generation, Echo::interfaceName, generation->manifest().provides.at(0).version, echo);
    generation->serve();
    interfaces.announce(*generation);
}

std::shared_ptr<Generation> userOf(const std::string& interface, const std::string& version)
{
    auto manifest = std::make_shared<Manifest>();
    manifest->serviceId = "user";
    manifest->needs = {{interface, version, true}};
    return std::make_shared<Generation>(std::move(manifest), 1);
}

/// A catalog of services: records reports, and gives the test's answers.
struct FakeLink final : RegistrationLink
{
    std::optional<std::map<std::string, std::string>> announce(const std::vector<PublishedService>& services) override
    {
        ++asked;
        if (onAnnounce) onAnnounce();
        if (!error.empty()) throw std::runtime_error(error);
        told.clear();
        for (const auto& service : services)
            if (service.status == ServiceStatus::Serving) told += service.manifest->serviceId;
        all.insert(told);
        return answer;
    }
    int asked = 0;
    std::function<void()> onAnnounce;
    std::string error;
    std::string told;
    std::set<std::string> all;
    std::optional<std::map<std::string, std::string>> answer = std::map<std::string, std::string>{};
};
} // namespace

/// Interfaces between plugins, and selectivePart the registry of services.
class InterfaceTest : public Suite<InterfaceTest>
{
    TEST(hostInterfaceIsForSelectedPlugins)
    {
        InterfaceRegistry interfaces;
        NamedEcho ofHost("host");
        bool given = true;
        interfaces.provideByHost<Echo>(ofHost, [&](const Generation& user) { return given && user.serviceId() == "user"; });
        ServiceInterface* found = nullptr;
        const auto find = [&](const Generation& user, std::string_view compiled)
        { return interfaces.find(user, Echo::interfaceName, compiled, found); };
        CHECK(find(*userOf("fixture.echo", "^1.0"), "1.0"));
        CHECK(found == static_cast<ServiceInterface*>(&ofHost));
        CPPUNIT_ASSERT_MESSAGE("compiled against more than there is", !find(*userOf("fixture.echo", "^1.0"), "1.9"));
        CPPUNIT_ASSERT_MESSAGE("wants another version", !find(*userOf("fixture.echo", "^2.0"), "1.0"));
        CPPUNIT_ASSERT_THROW(find(*userOf("fixture.other", "^1.0"), "1.0"), std::logic_error);
        // A plugin with the same interface does not replace the host's.
        NamedEcho impostor("impostor");
        const auto generation = providerOf("fixture.echo");
        announce(interfaces, generation, impostor);
        CHECK(find(*userOf("fixture.echo", "^1.0"), "1.0"));
        CHECK(found == static_cast<ServiceInterface*>(&ofHost));
        given = false;
        CHECK(!find(*userOf("fixture.echo", "^1.0"), "1.0"));
    }

    TEST(foundOnlyOnceAnnounced)
    {
        InterfaceRegistry interfaces;
        NamedEcho echo("one");
        const auto generation = providerOf("fixture.echo");
        interfaces.offer(generation, Echo::interfaceName, Echo::interfaceVersion, echo);
        CHECK(!interfaces.find<Echo>());
        generation->serve();
        interfaces.announce(*generation);
        equal("one", interfaces.find<Echo>()->echo(""));
        CHECK(interfaces.find<Echo>());
        ServiceInterface* found = nullptr;
        CHECK(!interfaces.find("fixture.other", "1.0", found));
    }

    TEST(leaseKeepsTheProvider)
    {
        InterfaceRegistry interfaces;
        NamedEcho echo("one");
        const auto generation = providerOf("fixture.echo");
        interfaces.offer(generation, Echo::interfaceName, Echo::interfaceVersion, echo);
        generation->serve();
        interfaces.announce(*generation);
        {
            const auto leased = interfaces.find<Echo>();
            equal(1, generation->inFlight());
            CHECK(!generation->drain(std::chrono::milliseconds(0)));
        }
        CHECK(generation->drain(std::chrono::milliseconds(0)));
    }

    TEST(successorTakesOver)
    {
        InterfaceRegistry interfaces;
        NamedEcho one("one");
        NamedEcho two("two");
        const auto first = providerOf("fixture.echo", 1);
        const auto second = providerOf("fixture.echo", 2);
        for (const auto& [generation, echo] : {std::pair{first, &one}, std::pair{second, &two}})
        {
            interfaces.offer(generation, Echo::interfaceName, Echo::interfaceVersion, *echo);
            generation->serve();
            interfaces.announce(*generation);
        }
        equal("two", interfaces.find<Echo>()->echo(""));
        interfaces.withdraw(*first);
        equal("two", interfaces.find<Echo>()->echo(""));
    }

    TEST(withdrawnWithoutSuccessorIsEmpty)
    {
        InterfaceRegistry interfaces;
        NamedEcho echo("one");
        const auto generation = providerOf("fixture.echo");
        interfaces.offer(generation, Echo::interfaceName, Echo::interfaceVersion, echo);
        generation->serve();
        interfaces.announce(*generation);
        generation->drain(std::chrono::milliseconds(0));
        CHECK(!interfaces.find<Echo>());
        interfaces.withdraw(*generation);
        CHECK(!interfaces.find<Echo>());
    }

    TEST(manyProvideAndEachIsFound)
    {
        InterfaceRegistry interfaces;
        const auto user = userOf("fixture.echo", "^1");
        const auto all = [&] { return interfaces.providers(*user, Echo::interfaceName, Echo::interfaceVersion); };
        CHECK(all().empty());
        NamedEcho crm("crm"), calendar("calendar"), social("social");
        const auto first = oneOfMany("crm");
        const auto second = oneOfMany("calendar");
        const auto third = oneOfMany("social");
        announce(interfaces, first, crm);
        announce(interfaces, second, calendar);
        announce(interfaces, third, social);
        // Always in the same order, independent of registration.
        CHECK(all() == std::vector<std::string>({"calendar", "crm", "social"}));
        for (const auto& service : all())
        {
            ServiceInterface* found = nullptr;
            const auto lease = interfaces.findOf(*user, service, Echo::interfaceName, Echo::interfaceVersion, found);
            CHECK(lease);
            equal(service, static_cast<Echo*>(found)->echo(""));
        }
        equal("calendar", interfaces.find<Echo>()->echo(""));
        // The plugin was found a moment ago and has gone now.
        second->drain(std::chrono::milliseconds(0));
        ServiceInterface* found = nullptr;
        CHECK(!interfaces.findOf(*user, "calendar", Echo::interfaceName, Echo::interfaceVersion, found));
        CHECK(!interfaces.findOf(*user, "nobody", Echo::interfaceName, Echo::interfaceVersion, found));
        interfaces.withdraw(*second);
        CHECK(all() == std::vector<std::string>({"crm", "social"}));
        CPPUNIT_ASSERT_THROW(interfaces.providers(*userOf("other", "^1"), Echo::interfaceName, Echo::interfaceVersion), std::logic_error);
        CPPUNIT_ASSERT_THROW(interfaces.findOf(*userOf("other", "^1"), "crm", Echo::interfaceName, Echo::interfaceVersion, found),
                             std::logic_error);
    }

    TEST(oneOfManyIsReplacedByItsOwnSuccessor)
    {
        InterfaceRegistry interfaces;
        const auto user = userOf("fixture.echo", "^1");
        NamedEcho crm("crm"), calendar("old"), fresh("new");
        const auto old = oneOfMany("calendar", "1.0", 1);
        const auto other = oneOfMany("crm");
        const auto successor = oneOfMany("calendar", "1.0", 2);
        announce(interfaces, old, calendar);
        announce(interfaces, other, crm);
        announce(interfaces, successor, fresh);
        interfaces.withdraw(*old);
        CHECK(interfaces.providers(*user, Echo::interfaceName, Echo::interfaceVersion) == std::vector<std::string>({"calendar", "crm"}));
        equal("new", interfaces.find<Echo>()->echo(""));
    }

    TEST(onlyFittingProvidersAreFound)
    {
        InterfaceRegistry interfaces;
        const auto user = userOf("fixture.echo", "^1");
        NamedEcho crm("crm"), calendar("calendar");
        const auto later = oneOfMany("calendar", "2.0");
        const auto fits = oneOfMany("crm");
        announce(interfaces, later, calendar);
        announce(interfaces, fits, crm);
        CHECK(interfaces.providers(*user, Echo::interfaceName, Echo::interfaceVersion) == std::vector<std::string>{"crm"});
        ServiceInterface* found = nullptr;
        CHECK(!interfaces.findOf(*user, "calendar", Echo::interfaceName, Echo::interfaceVersion, found));
    }

    TEST(offersAreCheckedAgainstTheManifest)
    {
        InterfaceRegistry interfaces;
        NamedEcho echo("one");
        const auto generation = providerOf("fixture.other");
        CPPUNIT_ASSERT_THROW(interfaces.offer(generation, Echo::interfaceName, Echo::interfaceVersion, echo), std::logic_error);
        equal("fixture.other", interfaces.missing(*generation).at(0));
        interfaces.offer(generation, "fixture.other", "1.0", echo);
        CHECK(interfaces.missing(*generation).empty());
        CPPUNIT_ASSERT_THROW(interfaces.offer(generation, "fixture.other", "1.0", echo), std::logic_error);
    }

    TEST(lookupRequiresDeclaration)
    {
        InterfaceRegistry interfaces;
        ServiceInterface* found = nullptr;
        CPPUNIT_ASSERT_THROW(interfaces.find(*userOf("fixture.other", "^1"), "fixture.echo", "1.0", found), std::logic_error);
        CHECK(!interfaces.find(*userOf("fixture.echo", "^1"), "fixture.echo", "1.0", found));
    }

    TEST(anotherVersionIsAbsent)
    {
        InterfaceRegistry interfaces;
        NamedEcho echo("one");
        const auto generation = providerOf("fixture.echo");
        CPPUNIT_ASSERT_THROW(interfaces.offer(generation, "fixture.echo", "1.1", echo), std::logic_error);
        interfaces.offer(generation, "fixture.echo", "1.0", echo);
        generation->serve();
        interfaces.announce(*generation);
        const auto finds = [&](const std::string& asked, const char* compiled)
        {
            ServiceInterface* found = nullptr;
            const auto user = userOf("fixture.echo", asked);
            const bool there = interfaces.find(*user, "fixture.echo", compiled, found) != nullptr;
            equal(std::string(there ? "" : "1.0"), interfaces.unusable(*user, "fixture.echo", compiled));
            return there;
        };
        CHECK(finds("^1", "1.0") && finds("1.0", "1.0"));
        // Both versions matter: the manifest's, and the one that the calling code was compiled against.
        CHECK(!finds("^2", "1.0") && !finds("^1.1", "1.0") && !finds("^1", "1.1") && !finds("^1", "2.0"));
        ServiceInterface* found = nullptr;
        CHECK(!interfaces.find("fixture.echo", "1.1", found) && interfaces.find("fixture.echo", "1.0", found));
    }

    /// The call once went to the other version, and crashed in the provider.
    TEST(anotherVersionIsWarnedOf)
    {
        Workbench bench;
        bench.install("provider", "provider", {{"plugin.provides", R"([{"interface":"fixture.echo","version":"1.0"}])"}});
        const auto result =
            bench.serve("consumer", "consumer", {{"plugin.requires", R"([{"interface":"fixture.echo","version":"^7","optional":true}])"}});
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded);
        CPPUNIT_ASSERT_MESSAGE(textOf(result),
                               textOf(result).find("it does without 'fixture.echo' ^7, found 1.0, provided by 'provider'") !=
                                   std::string::npos);
        equal(R"({"text":"nobody"})", bench.answer("consumer"));
    }

    TEST(incompleteServiceIsPublishedSo)
    {
        FakeLink link;
        link.answer = std::map<std::string, std::string>{{"ok", "no bundle for guests"}};
        Workbench bench;
        bench.registration = &link;
        bench.install("ok-v1", "ok");
        const auto result = bench.serve("ok-v2", "other");
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded && textOf(result).find("no bundle for guests") != std::string::npos);
        const auto registered = [&](const std::string& id)
        {
            std::shared_ptr<const tests::FakePublisher::Set> set;
            return bench.publisher.find(id, set)->registered;
        };
        CHECK(!registered("ok") && registered("other"));
        equal("no bundle for guests", bench.report("ok").registrationReport);

        // Without an answer, registrations stay unchanged, also through a reload.
        link.answer.reset();
        CHECK(bench.reload("ok").succeeded);
        CHECK(!registered("ok"));
        link.answer.emplace();
        CHECK(bench.reload("ok").succeeded);
        CHECK(registered("ok"));
    }

    TEST(registryIsNotifiedAfterEveryCommand)
    {
        FakeLink link;
        Workbench bench;
        bench.registration = &link;
        bench.serve("ok-v1", "ok");
        equal("ok", link.told);
        // Also after the one that starts or replaces the keeper of the catalog, which may be any.
        bench.disable("ok");
        equal("", link.told);
        bench.enable("ok");
        equal("ok", link.told);
        equal(4, link.asked);
    }

    /// A request right after a service is enabled or replaced is checked against its current registration.
    TEST(registryIsNotifiedBeforeRoutesAreOpen)
    {
        FakeLink link;
        Workbench bench;
        bench.registration = &link;
        bench.install("ok-v1", "ok");
        bench.serve("ok-v1", "other");
        bench.disable("ok");
        std::vector<int> seen;
        link.onAnnounce = [&] { seen.push_back(bench.publisher.get("ok", "/answer").first); };
        link.answer = std::map<std::string, std::string>{{"ok", "no bundle for guests"}};
        const auto published = bench.publisher.published.load();
        bench.enable("ok");
        equal(503, seen.at(0));
        equal(published + 1, bench.publisher.published.load());
        CHECK(!bench.report("ok").registered);

        link.onAnnounce = [&] { seen.push_back(bench.answer("ok") == R"({"text":"v2"})" ? 2 : 1); };
        seen.clear();
        link.all.clear();
        bench.replace("ok-v2", "ok");
        // In one order, so that the keeper need not look whether it knows it.
        CHECK(link.all == std::set<std::string>{"okother"});
        equal(2, seen.size());
        equal(1, seen.front());

        // If the table cannot be built, the catalog is notified of the version that keeps serving.
        bench.install("ok-v1", "ok");
        bench.publisher.refuseNext = true;
        const auto asked = link.asked;
        CHECK(!bench.reload("ok").succeeded);
        equal(asked + 2, link.asked);
        equal("okother", link.told);
    }

    TEST(registryThatFailsChangesNothing)
    {
        FakeLink link;
        Workbench bench;
        bench.registration = &link;
        bench.serve("ok-v1", "ok");
        link.error = "the database is locked";
        const auto result = bench.reload("ok");
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded && textOf(result).find("the database is locked") != std::string::npos);
        equal(200, bench.publisher.get("ok", "/answer").first);
        CHECK(bench.report("ok").registered);
    }
};
