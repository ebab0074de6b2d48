#include "ctl/TemporaryDirectory.h"

#include "host/admin/ConfigurationReloader.h"
#include "host/admin/HostState.h"
#include "host/config/Configuration.h"
#include "host/config/InstallLayout.h"
#include "host/daemon/PartSettings.h"
#include "host/daemon/RegistryLink.h"
#include "host/daemon/StateDirectory.h"

#include <boost/json.hpp>
#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <thread>

#include <sys/stat.h>

namespace portico::test
{

using namespace host;
using config::Configuration;

namespace
{

Configuration configured(std::vector<std::pair<std::string, std::string>> settings)
{
    std::vector<config::Entry> entries;
    for (auto& [key, value] : settings) entries.push_back({std::move(key), std::move(value), {"test", 1}});
    return Configuration({}, std::move(entries));
}

plugins::PublishedService publishedService(std::string manifest)
{
    plugins::Manifest parsed;
    parsed.serviceId = "crm";
    parsed.text = std::move(manifest);
    parsed.sha256 = "abc";
    plugins::RouteInfo reading;
    reading.access = access::bearerOrKey("crm.contacts:read", "contacts.read");
    plugins::RouteInfo open;
    open.access = access::open();
    plugins::PublishedService service;
    service.manifest = std::make_shared<const plugins::Manifest>(std::move(parsed));
    service.status = plugins::ServiceStatus::Serving;
    service.routes = std::make_shared<const std::vector<plugins::RouteInfo>>(std::vector{reading, open, reading});
    service.origins = {"https://crm.example.org", "http://crm.localhost:8080"};
    return service;
}

/// Keeps the catalog as far as that it counts how often it is told.
struct Keeper final : interfaces::ServiceRegistry
{
    std::vector<interfaces::Registration> publish(std::string_view, std::span<const interfaces::RegisteredService> enabled) override
    {
        ++asked;
        std::vector<interfaces::Registration> answers;
        for (const auto& service : enabled)
            if (service.serving) answers.push_back({service.serviceId, !refuses || service.serviceId != "crm", "it is refused"});
        return answers;
    }
    int asked = 0;
    bool refuses = false;
};

} // namespace

class DaemonPartsTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(DaemonPartsTest);
    CPPUNIT_TEST(originsComeFromSettingsOrPort);
    CPPUNIT_TEST(plainHttpEndsWithOneSecureOrPublicOrigin);
    CPPUNIT_TEST(originsWaitForTheRestart);
    CPPUNIT_TEST(twoServicesCannotShareAPort);
    CPPUNIT_TEST(certificateNeedsItsKey);
    CPPUNIT_TEST(eachServicePortBecomesAListener);
    CPPUNIT_TEST(listenersAreReadWhileTheyAreAdded);
    CPPUNIT_TEST(manifestIsCompletedWithOrigins);
    CPPUNIT_TEST(nothingIsToldOfWhatDoesNotServe);
    CPPUNIT_TEST(keeperIsToldWhatChanged);
    CPPUNIT_TEST(databaseUrlChoosesTheEngine);
    CPPUNIT_TEST(stateDirectoryHasOneOwner);
    CPPUNIT_TEST(secretIsMadeOnceAndPrivate);
    CPPUNIT_TEST(shortSecretIsNotUsed);
    CPPUNIT_TEST(switchesKeepWhatTheySaidOfOthers);
    CPPUNIT_TEST(overlayTellsOfStrongerLayers);
    CPPUNIT_TEST(layoutFollowsThePrefix);
    CPPUNIT_TEST(whatOnlyLeadsToABuiltInPluginIsNone);
    CPPUNIT_TEST_SUITE_END();

public:
    void originsComeFromSettingsOrPort()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("http://crm.localhost:8080"), daemon::serviceOrigins(configured({}), "crm").front());
        CPPUNIT_ASSERT_EQUAL(std::string("http://crm.localhost"),
                             daemon::serviceOrigins(configured({{"server.port", "80"}}), "crm").front());
        const auto secure = configured({{"server.tls.certificateFile", "c"}, {"server.tls.privateKeyFile", "k"}, {"server.port", "443"}});
        CPPUNIT_ASSERT_EQUAL(std::string("https://crm.localhost"), daemon::serviceOrigins(secure, "crm").front());
        const auto set = daemon::serviceOrigins(configured({{"services.crm.origins", "https://a.example, https://b.example"}}), "crm");
        CPPUNIT_ASSERT((set == std::vector<std::string>{"https://a.example", "https://b.example"}));
    }

    void plainHttpEndsWithOneSecureOrPublicOrigin()
    {
        plugins::Discovery discovery;
        discovery.plugins["crm"];
        discovery.plugins["identity"];
        const auto started = configured({});
        CPPUNIT_ASSERT(daemon::hostFacts(started, started, discovery).plainHttp);
        for (const char* origin :
             {"https://crm.localhost", "http://crm.example.org", "http://localhost.example.org", "http://127.evil.example"})
        {
            const auto elsewhere = configured({{"services.crm.origins", origin}});
            const auto facts = daemon::hostFacts(elsewhere, elsewhere, discovery);
            CPPUNIT_ASSERT_MESSAGE(origin, !facts.plainHttp);
        }
        const auto disabled = daemon::hostFacts(started, configured({{"services.crm.enabled", "false"}}), discovery);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, disabled.origins.size());
    }

    void originsWaitForTheRestart()
    {
        plugins::Discovery discovery;
        discovery.plugins["crm"];
        const auto facts = daemon::hostFacts(configured({}), configured({{"services.crm.origins", "https://crm.example.org"}}), discovery);
        CPPUNIT_ASSERT(facts.origins.at("crm").ends_with("crm.localhost:8080"));
        CPPUNIT_ASSERT(facts.plainHttp);
    }

    void twoServicesCannotShareAPort()
    {
        CPPUNIT_ASSERT(config::crossCheck(configured({{"services.crm.port", "8081"}, {"services.social.port", "8082"}})).empty());
        const auto shared = config::crossCheck(configured({{"services.crm.port", "8081"}, {"services.social.port", "8081"}}));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, shared.size());
        CPPUNIT_ASSERT_EQUAL(std::string("the port of services.crm.port"), shared.front().found);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, config::crossCheck(configured({{"services.crm.port", "8080"}})).size());
    }

    void certificateNeedsItsKey()
    {
        const auto diagnostics = config::crossCheck(configured({{"server.tls.certificateFile", "/etc/portico/tls.pem"}}));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, diagnostics.size());
        CPPUNIT_ASSERT_EQUAL(std::string("Set server.tls.privateKeyFile too."), diagnostics.front().remedy);
    }

    void eachServicePortBecomesAListener()
    {
        const auto all = daemon::listeners(configured({{"server.bind", "127.0.0.1"},
                                                       {"services.crm.port", "8083"},
                                                       {"services.social.port", "0"},
                                                       {"server.unixSocket", "/run/p.sock"}}));
        CPPUNIT_ASSERT_EQUAL(std::size_t{3}, all.size());
        CPPUNIT_ASSERT_EQUAL(std::string("127.0.0.1:8080"), all[0].address);
        CPPUNIT_ASSERT(all[0].service.empty());
        CPPUNIT_ASSERT_EQUAL(std::string("127.0.0.1:8083"), all[1].address);
        CPPUNIT_ASSERT_EQUAL(std::string("crm"), all[1].service);
        CPPUNIT_ASSERT_EQUAL(std::string("unix:/run/p.sock"), all[2].address);
        CPPUNIT_ASSERT_EQUAL(std::string("[::1]:8080"), daemon::listeners(configured({{"server.bind", "::1"}})).front().address);
    }

    void listenersAreReadWhileTheyAreAdded()
    {
        constexpr std::size_t count = 1000;
        admin::HostState state;
        std::jthread start(
            [&state]
            {
                for (std::size_t i = 0; i < count; ++i) state.add({std::to_string(i), "crm"});
            });
        std::vector<admin::ListenerReport> seen;
        while (seen.size() < count) seen = state.listeners();
        CPPUNIT_ASSERT_EQUAL(std::string("999"), seen.back().address);
    }

    void manifestIsCompletedWithOrigins()
    {
        const auto registered = daemon::registeredService(publishedService(
            R"({"service_id":"crm","launchUrl":"/","callbackUrls":["/auth/callback","https://else.example/cb"],"iconUrl":"","widget":{"url":"/api/widget"},)"
            R"("store":{"screenshots":["/one.png","https://else.example/two.png"],"privacyUrl":"/privacy","supportUrl":""}})"));
        const auto manifest = boost::json::parse(registered.manifest);
        CPPUNIT_ASSERT(manifest.at("launchUrl") == "https://crm.example.org/");
        CPPUNIT_ASSERT(manifest.at("callbackUrls").at(0) == "https://crm.example.org/auth/callback");
        CPPUNIT_ASSERT(manifest.at("callbackUrls").at(1) == "https://else.example/cb");
        CPPUNIT_ASSERT_MESSAGE("what is not set stays so", manifest.at("iconUrl") == "");
        CPPUNIT_ASSERT(manifest.at("widget").at("url") == "https://crm.example.org/api/widget");
        const auto& store = manifest.at("store");
        CPPUNIT_ASSERT(store.at("screenshots").at(0) == "https://crm.example.org/one.png");
        CPPUNIT_ASSERT(store.at("screenshots").at(1) == "https://else.example/two.png");
        CPPUNIT_ASSERT(store.at("privacyUrl") == "https://crm.example.org/privacy" && store.at("supportUrl") == "");
        CPPUNIT_ASSERT_EQUAL(std::size_t{2}, manifest.at("origins").as_array().size());
        CPPUNIT_ASSERT_EQUAL(std::string("https://crm.example.org"), registered.origin);
        CPPUNIT_ASSERT((registered.routePermissions == std::vector<std::string>{"crm.contacts:read"}));
        CPPUNIT_ASSERT(registered.serving);
    }

    void keeperIsToldWhatChanged()
    {
        plugins::InterfaceRegistry interfaces;
        Keeper keeper;
        auto manifest = std::make_shared<plugins::Manifest>();
        manifest->serviceId = "keeper";
        manifest->text = "{}";
        manifest->provides = {{std::string(Keeper::interfaceName), std::string(Keeper::interfaceVersion), true}};
        const auto serve = [&](std::uint64_t number)
        {
            auto generation = std::make_shared<plugins::Generation>(manifest, number);
            interfaces.offer(generation, Keeper::interfaceName, Keeper::interfaceVersion, keeper);
            interfaces.announce(*generation);
            generation->serve();
            plugins::PublishedService service;
            service.manifest = manifest;
            service.status = plugins::ServiceStatus::Serving;
            service.generation = std::move(generation);
            service.routes = std::make_shared<const std::vector<plugins::RouteInfo>>();
            service.origins = {"http://keeper.localhost"};
            return service;
        };
        daemon::RegistryLink link(interfaces, "host");
        std::vector services{serve(1), publishedService(R"({"service_id":"crm"})")};
        const auto asked = [&]
        {
            const auto before = keeper.asked;
            const auto refused = link.announce(services);
            CPPUNIT_ASSERT(refused && refused->contains("crm") == keeper.refuses);
            return keeper.asked - before;
        };
        CPPUNIT_ASSERT_EQUAL(1, asked());
        CPPUNIT_ASSERT_EQUAL_MESSAGE("nothing has changed", 0, asked());
        services[1].origins = {"https://crm.example.org"};
        CPPUNIT_ASSERT_EQUAL(1, asked());
        services[1].routes = std::make_shared<const std::vector<plugins::RouteInfo>>();
        CPPUNIT_ASSERT_EQUAL_MESSAGE("its routes demand something else", 1, asked());
        services[1].status = plugins::ServiceStatus::Failed;
        CPPUNIT_ASSERT_EQUAL(1, asked());
        services[0] = serve(2);
        CPPUNIT_ASSERT_EQUAL_MESSAGE("another keeper knows nothing", 1, asked());
        services[1].status = plugins::ServiceStatus::Serving;
        keeper.refuses = true;
        CPPUNIT_ASSERT_EQUAL(1, asked());
        CPPUNIT_ASSERT_EQUAL_MESSAGE("what was refused is asked again", 1, asked());
        keeper.refuses = false;
        CPPUNIT_ASSERT_EQUAL(1, asked());
        CPPUNIT_ASSERT_EQUAL(0, asked());
        services.pop_back();
        CPPUNIT_ASSERT_EQUAL_MESSAGE("one is gone", 1, asked());
    }

    void nothingIsToldOfWhatDoesNotServe()
    {
        auto service = publishedService(R"({"service_id":"crm","launchUrl":"/"})");
        service.status = plugins::ServiceStatus::Failed;
        const auto registered = daemon::registeredService(service);
        CPPUNIT_ASSERT_EQUAL(std::string("crm"), registered.serviceId);
        CPPUNIT_ASSERT(!registered.serving && registered.manifest.empty() && registered.origin.empty() &&
                       registered.routePermissions.empty());
    }

    void databaseUrlChoosesTheEngine()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("/s/data"), daemon::databaseSettings(configured({}), "/s").directory.string());
        CPPUNIT_ASSERT_EQUAL(std::string("/s/data"),
                             daemon::databaseSettings(configured({{"database.url", "sqlite"}}), "/s").directory.string());
        CPPUNIT_ASSERT_EQUAL(std::string("/d"),
                             daemon::databaseSettings(configured({{"database.url", "sqlite:/d"}}), "/s").directory.string());
        const auto postgres = daemon::databaseSettings(configured({{"database.url", "postgresql://u@h/d"}}), "/s");
        CPPUNIT_ASSERT(postgres.engine == Dialect::PostgreSQL);
        CPPUNIT_ASSERT_EQUAL(std::string("postgresql://u@h/d"), postgres.url);
    }

    void stateDirectoryHasOneOwner()
    {
        const auto path = _directory.path() / "state";
        {
            const daemon::StateDirectory first(path);
            CPPUNIT_ASSERT_THROW(daemon::StateDirectory{path}, daemon::StartError);
            struct stat status
            {
            };
            CPPUNIT_ASSERT_EQUAL(0, ::stat(path.c_str(), &status));
            CPPUNIT_ASSERT_EQUAL(0700U, static_cast<unsigned>(status.st_mode & 0777));
        }
        const daemon::StateDirectory next(path);
    }

    void secretIsMadeOnceAndPrivate()
    {
        const auto file = _directory.path() / "secrets" / "key";
        const auto secret = daemon::hostSecret(file);
        CPPUNIT_ASSERT_EQUAL(std::size_t{32}, secret.size());
        CPPUNIT_ASSERT(secret == daemon::hostSecret(file));
        CPPUNIT_ASSERT(secret != daemon::hostSecret(_directory.path() / "secrets" / "other"));
        struct stat status
        {
        };
        CPPUNIT_ASSERT_EQUAL(0, ::stat(file.c_str(), &status));
        CPPUNIT_ASSERT_EQUAL(0600U, static_cast<unsigned>(status.st_mode & 0777));
    }

    void shortSecretIsNotUsed()
    {
        const auto file = _directory.write("key", "short");
        CPPUNIT_ASSERT_THROW(daemon::hostSecret(file), std::runtime_error);
    }

    void switchesKeepWhatTheySaidOfOthers()
    {
        const auto switches = _directory.path() / "conf.d" / "services.properties";
        admin::keepSwitch(switches, "crm", false);
        admin::keepSwitch(switches, "social", false);
        admin::keepSwitch(switches, "crm", true);
        const auto configuration = Configuration({}, config::readProperties(switches).entries);
        CPPUNIT_ASSERT(configuration.boolean("services.crm.enabled"));
        CPPUNIT_ASSERT(!configuration.boolean("services.social.enabled"));
    }

    void overlayTellsOfStrongerLayers()
    {
        config::ConfigurationStore store({{}, {}, {}, {"services.crm.enabled=false"}},
                                         [](const Configuration&) { return config::DeclaredSettings(); });
        store.adopt(store.read().configuration);
        CPPUNIT_ASSERT(store.overlay({"services.crm.enabled", "false", {"drop-in", 1}}));
        store.adopt(store.read().configuration);
        CPPUNIT_ASSERT(!store.overlay({"services.crm.enabled", "true", {"drop-in", 1}}));
        CPPUNIT_ASSERT_MESSAGE("it holds now all the same", store.current()->boolean("services.crm.enabled"));
    }

    void layoutFollowsThePrefix()
    {
        CPPUNIT_ASSERT_EQUAL(std::string("/etc/portico/portico.properties"),
                             config::InstallLayout("/usr/bin/porticod").configurationFile().string());
        const config::InstallLayout own(_directory.path() / "bin" / "porticod");
        CPPUNIT_ASSERT_EQUAL((_directory.path() / "etc/portico/portico.properties").string(), own.configurationFile().string());
        CPPUNIT_ASSERT_EQUAL((_directory.path() / "lib/portico/plugins").string(), own.pluginsDirectory().string());
    }

    /// A link that somebody else may turn around at any moment.
    void whatOnlyLeadsToABuiltInPluginIsNone()
    {
        const auto& root = _directory.path();
        const config::InstallLayout layout(root / "bin" / "porticod");
        _directory.write("lib/portico/plugins/crm/manifest.json", "{}");
        _directory.write("lib/portico/plugins/acme/manifest.json", "{}");
        std::filesystem::create_directories(root / "others");
        std::filesystem::create_directory_symlink(root / "lib/portico/plugins/crm", root / "others/crm");
        std::filesystem::create_directory_symlink(root / "lib/portico/plugins", root / "same");
        CPPUNIT_ASSERT(layout.isBuiltIn("crm", root / "lib/portico/plugins/crm"));
        CPPUNIT_ASSERT(layout.isBuiltIn("crm", root / "same/crm"));
        CPPUNIT_ASSERT(!layout.isBuiltIn("crm", root / "others/crm"));
        CPPUNIT_ASSERT(!layout.isBuiltIn("acme", root / "lib/portico/plugins/acme"));
        CPPUNIT_ASSERT(!layout.isBuiltIn("crm", root / "lib/portico/plugins/acme"));
    }

private:
    TemporaryDirectory _directory;
};

CPPUNIT_TEST_SUITE_REGISTRATION(DaemonPartsTest);

} // namespace portico::test
