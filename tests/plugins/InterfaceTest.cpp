#include "host/plugins/runtime/InterfaceRegistry.h"

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

/// Stands for the keeper of the catalog: notes what it is told, and answers what the test wants.
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

/// Interfaces between plugins, and telling the registry of services.
class InterfaceTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(InterfaceTest);
    CPPUNIT_TEST(foundOnlyOnceAnnounced);
    CPPUNIT_TEST(leaseKeepsTheProvider);
    CPPUNIT_TEST(successorTakesOver);
    CPPUNIT_TEST(withdrawnWithoutSuccessorIsEmpty);
    CPPUNIT_TEST(offersAreCheckedAgainstTheManifest);
    CPPUNIT_TEST(whatIsLookedForIsDeclared);
    CPPUNIT_TEST(anotherVersionIsAbsent);
    CPPUNIT_TEST(anotherVersionIsWarnedOf);
    CPPUNIT_TEST(whatTheHostProvidesIsForWhomItSays);
    CPPUNIT_TEST(manyProvideAndEachIsFound);
    CPPUNIT_TEST(oneOfManyIsReplacedByItsOwnSuccessor);
    CPPUNIT_TEST(ofManyOnlyThoseThatFitAreTold);
    CPPUNIT_TEST(incompleteServiceIsPublishedSo);
    CPPUNIT_TEST(registryIsToldAfterEveryCommand);
    CPPUNIT_TEST(registryIsToldBeforeRoutesAreOpen);
    CPPUNIT_TEST(registryThatFailsChangesNothing);
    CPPUNIT_TEST_SUITE_END();

public:
    void whatTheHostProvidesIsForWhomItSays()
    {
        InterfaceRegistry interfaces;
        NamedEcho ofHost("host");
        bool given = true;
        interfaces.provideByHost<Echo>(ofHost, [&](const Generation& user) { return given && user.serviceId() == "user"; });
        ServiceInterface* found = nullptr;
        const auto find = [&](const Generation& user, std::string_view compiled)
        { return interfaces.find(user, Echo::interfaceName, compiled, found); };
        CPPUNIT_ASSERT(find(*userOf("fixture.echo", "^1.0"), "1.0"));
        CPPUNIT_ASSERT(found == static_cast<ServiceInterface*>(&ofHost));
        CPPUNIT_ASSERT_MESSAGE("compiled against more than there is", !find(*userOf("fixture.echo", "^1.0"), "1.9"));
        CPPUNIT_ASSERT_MESSAGE("wants another version", !find(*userOf("fixture.echo", "^2.0"), "1.0"));
        CPPUNIT_ASSERT_THROW(find(*userOf("fixture.other", "^1.0"), "1.0"), std::logic_error);
        // A plugin that offers the same takes nobody away from the host.
        NamedEcho impostor("impostor");
        const auto generation = providerOf("fixture.echo");
        announce(interfaces, generation, impostor);
        CPPUNIT_ASSERT(find(*userOf("fixture.echo", "^1.0"), "1.0"));
        CPPUNIT_ASSERT(found == static_cast<ServiceInterface*>(&ofHost));
        given = false;
        CPPUNIT_ASSERT(!find(*userOf("fixture.echo", "^1.0"), "1.0"));
    }

    void foundOnlyOnceAnnounced()
    {
        InterfaceRegistry interfaces;
        NamedEcho echo("one");
        const auto generation = providerOf("fixture.echo");
        interfaces.offer(generation, Echo::interfaceName, Echo::interfaceVersion, echo);
        CPPUNIT_ASSERT(!interfaces.find<Echo>());
        generation->serve();
        interfaces.announce(*generation);
        CPPUNIT_ASSERT_EQUAL(std::string("one"), interfaces.find<Echo>()->echo(""));
        CPPUNIT_ASSERT(interfaces.find<Echo>());
        ServiceInterface* found = nullptr;
        CPPUNIT_ASSERT(!interfaces.find("fixture.other", "1.0", found));
    }

    void leaseKeepsTheProvider()
    {
        InterfaceRegistry interfaces;
        NamedEcho echo("one");
        const auto generation = providerOf("fixture.echo");
        interfaces.offer(generation, Echo::interfaceName, Echo::interfaceVersion, echo);
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
            interfaces.offer(generation, Echo::interfaceName, Echo::interfaceVersion, *echo);
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
        interfaces.offer(generation, Echo::interfaceName, Echo::interfaceVersion, echo);
        generation->serve();
        interfaces.announce(*generation);
        generation->drain(std::chrono::milliseconds(0));
        CPPUNIT_ASSERT(!interfaces.find<Echo>());
        interfaces.withdraw(*generation);
        CPPUNIT_ASSERT(!interfaces.find<Echo>());
    }

    void manyProvideAndEachIsFound()
    {
        InterfaceRegistry interfaces;
        const auto user = userOf("fixture.echo", "^1");
        const auto all = [&] { return interfaces.providers(*user, Echo::interfaceName, Echo::interfaceVersion); };
        CPPUNIT_ASSERT(all().empty());
        NamedEcho crm("crm"), calendar("calendar"), social("social");
        const auto first = oneOfMany("crm");
        const auto second = oneOfMany("calendar");
        const auto third = oneOfMany("social");
        announce(interfaces, first, crm);
        announce(interfaces, second, calendar);
        announce(interfaces, third, social);
        // In one order, whoever came first.
        CPPUNIT_ASSERT(all() == std::vector<std::string>({"calendar", "crm", "social"}));
        for (const auto& service : all())
        {
            ServiceInterface* found = nullptr;
            const auto lease = interfaces.findOf(*user, service, Echo::interfaceName, Echo::interfaceVersion, found);
            CPPUNIT_ASSERT(lease);
            CPPUNIT_ASSERT_EQUAL(service, static_cast<Echo*>(found)->echo(""));
        }
        CPPUNIT_ASSERT_EQUAL(std::string("calendar"), interfaces.find<Echo>()->echo(""));
        // Told a moment ago, gone now.
        second->drain(std::chrono::milliseconds(0));
        ServiceInterface* found = nullptr;
        CPPUNIT_ASSERT(!interfaces.findOf(*user, "calendar", Echo::interfaceName, Echo::interfaceVersion, found));
        CPPUNIT_ASSERT(!interfaces.findOf(*user, "nobody", Echo::interfaceName, Echo::interfaceVersion, found));
        interfaces.withdraw(*second);
        CPPUNIT_ASSERT(all() == std::vector<std::string>({"crm", "social"}));
        CPPUNIT_ASSERT_THROW(interfaces.providers(*userOf("other", "^1"), Echo::interfaceName, Echo::interfaceVersion), std::logic_error);
        CPPUNIT_ASSERT_THROW(interfaces.findOf(*userOf("other", "^1"), "crm", Echo::interfaceName, Echo::interfaceVersion, found),
                             std::logic_error);
    }

    void oneOfManyIsReplacedByItsOwnSuccessor()
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
        CPPUNIT_ASSERT(interfaces.providers(*user, Echo::interfaceName, Echo::interfaceVersion) ==
                       std::vector<std::string>({"calendar", "crm"}));
        CPPUNIT_ASSERT_EQUAL(std::string("new"), interfaces.find<Echo>()->echo(""));
    }

    void ofManyOnlyThoseThatFitAreTold()
    {
        InterfaceRegistry interfaces;
        const auto user = userOf("fixture.echo", "^1");
        NamedEcho crm("crm"), calendar("calendar");
        const auto later = oneOfMany("calendar", "2.0");
        const auto fits = oneOfMany("crm");
        announce(interfaces, later, calendar);
        announce(interfaces, fits, crm);
        CPPUNIT_ASSERT(interfaces.providers(*user, Echo::interfaceName, Echo::interfaceVersion) == std::vector<std::string>{"crm"});
        ServiceInterface* found = nullptr;
        CPPUNIT_ASSERT(!interfaces.findOf(*user, "calendar", Echo::interfaceName, Echo::interfaceVersion, found));
    }

    void offersAreCheckedAgainstTheManifest()
    {
        InterfaceRegistry interfaces;
        NamedEcho echo("one");
        const auto generation = providerOf("fixture.other");
        CPPUNIT_ASSERT_THROW(interfaces.offer(generation, Echo::interfaceName, Echo::interfaceVersion, echo), std::logic_error);
        CPPUNIT_ASSERT_EQUAL(std::string("fixture.other"), interfaces.missing(*generation).at(0));
        interfaces.offer(generation, "fixture.other", "1.0", echo);
        CPPUNIT_ASSERT(interfaces.missing(*generation).empty());
        CPPUNIT_ASSERT_THROW(interfaces.offer(generation, "fixture.other", "1.0", echo), std::logic_error);
    }

    void whatIsLookedForIsDeclared()
    {
        InterfaceRegistry interfaces;
        ServiceInterface* found = nullptr;
        CPPUNIT_ASSERT_THROW(interfaces.find(*userOf("fixture.other", "^1"), "fixture.echo", "1.0", found), std::logic_error);
        CPPUNIT_ASSERT(!interfaces.find(*userOf("fixture.echo", "^1"), "fixture.echo", "1.0", found));
    }

    void anotherVersionIsAbsent()
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
            CPPUNIT_ASSERT_EQUAL(std::string(there ? "" : "1.0"), interfaces.unusable(*user, "fixture.echo", compiled));
            return there;
        };
        CPPUNIT_ASSERT(finds("^1", "1.0") && finds("1.0", "1.0"));
        // What the manifest asks for, and what the code that calls was compiled against.
        CPPUNIT_ASSERT(!finds("^2", "1.0") && !finds("^1.1", "1.0") && !finds("^1", "1.1") && !finds("^1", "2.0"));
        ServiceInterface* found = nullptr;
        CPPUNIT_ASSERT(!interfaces.find("fixture.echo", "1.1", found) && interfaces.find("fixture.echo", "1.0", found));
    }

    /// The call once went to the other version, and crashed in the provider.
    void anotherVersionIsWarnedOf()
    {
        Workbench bench;
        bench.install("provider", "provider", {{"plugin.provides", R"([{"interface":"fixture.echo","version":"1.0"}])"}});
        bench.install("consumer", "consumer", {{"plugin.requires", R"([{"interface":"fixture.echo","version":"^7","optional":true}])"}});
        bench.begin();
        const auto result = bench.startAll();
        CPPUNIT_ASSERT_MESSAGE(textOf(result), result.succeeded);
        CPPUNIT_ASSERT_MESSAGE(textOf(result),
                               textOf(result).find("it does without 'fixture.echo' ^7, found 1.0, provided by 'provider'") !=
                                   std::string::npos);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"text":"nobody"})"), bench.answer("consumer"));
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
        CPPUNIT_ASSERT_EQUAL(4, link.asked);
    }

    /// Who comes a moment after a service is enabled or replaced is judged by what it is now.
    void registryIsToldBeforeRoutesAreOpen()
    {
        FakeLink link;
        Workbench bench;
        bench.registration = &link;
        bench.install("ok-v1", "ok");
        bench.install("ok-v1", "other");
        bench.begin();
        bench.startAll();
        bench.disable("ok");
        std::vector<int> seen;
        link.onAnnounce = [&] { seen.push_back(bench.publisher.get("ok", "/answer").first); };
        link.answer = std::map<std::string, std::string>{{"ok", "no bundle for guests"}};
        const auto published = bench.publisher.published.load();
        bench.enable("ok");
        CPPUNIT_ASSERT_EQUAL(503, seen.at(0));
        CPPUNIT_ASSERT_EQUAL(published + 1, bench.publisher.published.load());
        CPPUNIT_ASSERT(!bench.report("ok").registered);

        link.onAnnounce = [&] { seen.push_back(bench.answer("ok") == R"({"text":"v2"})" ? 2 : 1); };
        seen.clear();
        link.all.clear();
        bench.install("ok-v2", "ok");
        bench.reload("ok");
        // In one order, so that the keeper need not look whether it knows it.
        CPPUNIT_ASSERT(link.all == std::set<std::string>{"okother"});
        CPPUNIT_ASSERT_EQUAL(std::size_t(2), seen.size());
        CPPUNIT_ASSERT_EQUAL(1, seen.front());

        // A table that could not be made: the keeper hears again of what serves on.
        bench.install("ok-v1", "ok");
        bench.publisher.refuseNext = true;
        const auto asked = link.asked;
        CPPUNIT_ASSERT(!bench.reload("ok").succeeded);
        CPPUNIT_ASSERT_EQUAL(asked + 2, link.asked);
        CPPUNIT_ASSERT_EQUAL(std::string("okother"), link.told);
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
