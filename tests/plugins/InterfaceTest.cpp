#include "host/plugins/InterfaceRegistry.h"
#include "host/plugins/RegistryAnnouncer.h"

#include "plugins/Workbench.h"
#include "plugins/fixtures/Echo.h"

#include "portico/interfaces/ServiceRegistry.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <cppunit/extensions/HelperMacros.h>

#include <stdexcept>

using namespace portico;
using namespace portico::host::plugins;
using fixture::Echo;
using portico::interfaces::RegisteredService;
using portico::interfaces::Registration;
using portico::interfaces::ServiceRegistry;
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

/// A keeper of the catalog that notes what it is told and answers what the test wants.
struct FakeRegistry final : ServiceRegistry
{
    std::vector<Registration> publish(std::span<const RegisteredService> enabled) override
    {
        ++asked;
        if (!error.empty()) throw std::runtime_error(error);
        told.assign(enabled.begin(), enabled.end());
        return answer;
    }
    int asked = 0;
    std::string error;
    std::vector<RegisteredService> told;
    std::vector<Registration> answer;
};

PublishedService serviceWith(const std::string& manifestText, std::vector<RouteInfo> routes)
{
    auto manifest = std::make_shared<Manifest>();
    manifest->serviceId = "crm";
    manifest->text = manifestText;
    manifest->sha256 = "abc";
    return {.manifest = std::move(manifest),
            .status = ServiceStatus::Serving,
            .generation = {},
            .routes = std::make_shared<const std::vector<RouteInfo>>(std::move(routes)),
            .origins = {"http://crm.localhost:8080", "http://localhost:8083"}};
}

RouteInfo route(const std::string& pattern, Access access)
{
    RouteInfo info;
    info.pattern = pattern;
    info.access = std::move(access);
    return info;
}
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
    CPPUNIT_TEST(manifestIsCompleted);
    CPPUNIT_TEST(registryIsToldOnlyOfChanges);
    CPPUNIT_TEST(registryThatFailsIsAskedAgain);
    CPPUNIT_TEST(incompleteServiceIsPublishedSo);
    CPPUNIT_TEST(lateProviderLearnsOfEverything);
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

    void manifestIsCompleted()
    {
        const auto text = completedManifest(serviceWith(
            R"({"launchUrl":"/app","iconUrl":"","callbackUrls":["/auth/callback","https://elsewhere.example/x"],"backchannelLogoutUrl":null,"widget":{"url":"/api/widget"}})",
            {}));
        const auto manifest = boost::json::parse(text).as_object();
        CPPUNIT_ASSERT(manifest.at("launchUrl") == "http://crm.localhost:8080/app");
        CPPUNIT_ASSERT(manifest.at("iconUrl") == "");
        CPPUNIT_ASSERT(manifest.at("callbackUrls").at(0) == "http://crm.localhost:8080/auth/callback");
        CPPUNIT_ASSERT(manifest.at("callbackUrls").at(1) == "https://elsewhere.example/x");
        CPPUNIT_ASSERT(manifest.at("backchannelLogoutUrl").is_null());
        CPPUNIT_ASSERT(manifest.at("widget").at("url") == "http://crm.localhost:8080/api/widget");
        CPPUNIT_ASSERT(manifest.at("origins").as_array().size() == 2);
    }

    void registryIsToldOnlyOfChanges()
    {
        InterfaceRegistry interfaces;
        RegistryAnnouncer announcer(interfaces);
        const std::vector one{serviceWith("{}", {route("/a", access::bearer("crm.b:read")), route("/b", access::bearerOrKey("", "x.y")),
                                                 route("/c", access::open()), route("/d", access::bearer())})};
        CPPUNIT_ASSERT(!announcer.announce(one));

        FakeRegistry registry;
        registry.answer = {{"crm", false, "no bundle for guests"}};
        const auto generation = providerOf("portico.service-registry");
        interfaces.offer(generation, ServiceRegistry::interfaceName, registry);
        generation->serve();
        interfaces.announce(*generation);
        CPPUNIT_ASSERT_EQUAL(std::string("no bundle for guests"), announcer.announce(one).value().at("crm"));
        CPPUNIT_ASSERT_EQUAL(std::string("no bundle for guests"), announcer.announce(one).value().at("crm"));
        CPPUNIT_ASSERT_EQUAL(1, registry.asked);
        CPPUNIT_ASSERT_EQUAL(std::string("crm.b:read"), registry.told.at(0).routePermissions.at(0));
        CPPUNIT_ASSERT_EQUAL(std::size_t(1), registry.told.at(0).routesWithoutPermission.size());
        CPPUNIT_ASSERT_EQUAL(std::string("GET /b"), registry.told.at(0).routesWithoutPermission.at(0));

        auto other = one;
        other[0].status = ServiceStatus::Disabled;
        announcer.announce(other);
        CPPUNIT_ASSERT_EQUAL(2, registry.asked);
        CPPUNIT_ASSERT(registry.told.empty());
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(0), generation->inFlight());
    }

    void registryThatFailsIsAskedAgain()
    {
        InterfaceRegistry interfaces;
        RegistryAnnouncer announcer(interfaces);
        FakeRegistry registry;
        const auto generation = providerOf("portico.service-registry");
        interfaces.offer(generation, ServiceRegistry::interfaceName, registry);
        generation->serve();
        interfaces.announce(*generation);
        const std::vector<PublishedService> none;
        registry.error = "the database is locked";
        CPPUNIT_ASSERT_THROW(announcer.announce(none), std::runtime_error);
        registry.error.clear();
        CPPUNIT_ASSERT(announcer.announce(none).has_value());
        CPPUNIT_ASSERT_EQUAL(2, registry.asked);
        CPPUNIT_ASSERT_EQUAL(std::uint64_t(0), generation->inFlight());
    }

    void incompleteServiceIsPublishedSo()
    {
        struct Link final : RegistrationLink
        {
            std::optional<std::map<std::string, std::string>> announce(const std::vector<PublishedService>&) override { return answer; }
            std::optional<std::map<std::string, std::string>> answer = std::map<std::string, std::string>{{"ok", "no bundle for guests"}};
        } link;
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

    void lateProviderLearnsOfEverything()
    {
        Workbench bench;
        RegistryAnnouncer announcer(bench.interfaces);
        bench.registration = &announcer;
        bench.install("ok-v1", "ok");
        bench.begin();
        CPPUNIT_ASSERT(bench.startAll().succeeded);

        FakeRegistry registry;
        for (std::uint64_t number = 1; number <= 2; ++number)
        {
            const auto generation = providerOf("portico.service-registry", number);
            bench.interfaces.offer(generation, ServiceRegistry::interfaceName, registry);
            generation->serve();
            bench.interfaces.announce(*generation);
            // Any command will do; for the lifecycle the provider's own start is one.
            bench.enable("ok");
            CPPUNIT_ASSERT_EQUAL(static_cast<int>(number), registry.asked);
            CPPUNIT_ASSERT_EQUAL(std::size_t(1), registry.told.size());
            CPPUNIT_ASSERT_EQUAL(std::string("http://ok.localhost:8080"), registry.told[0].origin);
        }
        bench.end();
    }
};

CPPUNIT_TEST_SUITE_REGISTRATION(InterfaceTest);
