#include "ctl/TemporaryDirectory.h"
#include "support/Suite.h"

#include "host/admin/ConfigurationReloader.h"
#include "host/admin/HostState.h"
#include "host/config/Configuration.h"
#include "host/config/InstallLayout.h"
#include "host/daemon/PartSettings.h"
#include "host/daemon/RegistryLink.h"
#include "host/daemon/StateDirectory.h"

#include "portico/interfaces/Webhooks.h"

#include <boost/json.hpp>

#include <thread>

#include <sys/stat.h>

namespace portico::test
{

using namespace host;
using config::Configuration;
using portico::testing::equal;
using portico::testing::Suite;

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

/// A catalog that only counts reports.
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

class DaemonPartsTest : public Suite<DaemonPartsTest>
{
    TEST(originsComeFromSettingsOrPort)
    {
        equal("http://crm.localhost:8080", daemon::serviceOrigins(configured({}), "crm").front());
        equal("http://crm.localhost", daemon::serviceOrigins(configured({{"server.port", "80"}}), "crm").front());
        const auto secure = configured({{"server.tls.certificateFile", "c"}, {"server.tls.privateKeyFile", "k"}, {"server.port", "443"}});
        equal("https://crm.localhost", daemon::serviceOrigins(secure, "crm").front());
        const auto set = daemon::serviceOrigins(configured({{"services.crm.origins", "https://a.example, https://b.example"}}), "crm");
        CHECK((set == std::vector<std::string>{"https://a.example", "https://b.example"}));
    }

    TEST(plainHttpEndsWithOneSecureOrPublicOrigin)
    {
        plugins::Discovery discovery;
        discovery.plugins["crm"];
        discovery.plugins["identity"];
        const auto started = configured({});
        CHECK(daemon::hostFacts(started, started, discovery).plainHttp);
        for (const char* origin :
             {"https://crm.localhost", "http://crm.example.org", "http://localhost.example.org", "http://127.evil.example"})
        {
            const auto elsewhere = configured({{"services.crm.origins", origin}});
            const auto facts = daemon::hostFacts(elsewhere, elsewhere, discovery);
            CPPUNIT_ASSERT_MESSAGE(origin, !facts.plainHttp);
        }
        const auto disabled = daemon::hostFacts(started, configured({{"services.crm.enabled", "false"}}), discovery);
        equal(1, disabled.origins.size());
    }

    TEST(disabledPluginProvidesWebhooks)
    {
        plugins::Manifest manifest;
        plugins::Discovery discovery;
        discovery.plugins["crm"].manifest = std::make_shared<const plugins::Manifest>(manifest);
        const auto settings = configured({{"services.identity.enabled", "false"}});
        CHECK(!daemon::hostFacts(settings, settings, discovery).hasWebhooks);
        manifest.provides = {{std::string(interfaces::Webhooks::interfaceName), "1.0", false}};
        discovery.plugins["identity"].manifest = std::make_shared<const plugins::Manifest>(manifest);
        CHECK(daemon::hostFacts(settings, settings, discovery).hasWebhooks);
        discovery.plugins["identity"].manifest = nullptr;
        CHECK(daemon::hostFacts(settings, settings, discovery).hasWebhooks);
    }

    TEST(originsWaitForTheRestart)
    {
        plugins::Discovery discovery;
        discovery.plugins["crm"];
        const auto facts = daemon::hostFacts(configured({}), configured({{"services.crm.origins", "https://crm.example.org"}}), discovery);
        CHECK(facts.origins.at("crm").ends_with("crm.localhost:8080"));
        CHECK(facts.plainHttp);
    }

    TEST(twoServicesCannotShareAPort)
    {
        CHECK(config::crossCheck(configured({{"services.crm.port", "8081"}, {"services.social.port", "8082"}})).empty());
        const auto shared = config::crossCheck(configured({{"services.crm.port", "8081"}, {"services.social.port", "8081"}}));
        equal(1, shared.size());
        equal("the port of services.crm.port", shared.front().found);
        equal(1, config::crossCheck(configured({{"services.crm.port", "8080"}})).size());
    }

    TEST(certificateNeedsItsKey)
    {
        const auto diagnostics = config::crossCheck(configured({{"server.tls.certificateFile", "/etc/portico/tls.pem"}}));
        equal(1, diagnostics.size());
        equal("Set server.tls.privateKeyFile too.", diagnostics.front().remedy);
    }

    TEST(eachServicePortBecomesAListener)
    {
        const auto all = daemon::listeners(configured({{"server.bind", "127.0.0.1"},
                                                       {"services.crm.port", "8083"},
                                                       {"services.social.port", "0"},
                                                       {"server.unixSocket", "/run/p.sock"}}));
        equal(3, all.size());
        equal("127.0.0.1:8080", all[0].address);
        CHECK(all[0].service.empty());
        equal("127.0.0.1:8083", all[1].address);
        equal("crm", all[1].service);
        equal("unix:/run/p.sock", all[2].address);
        equal("[::1]:8080", daemon::listeners(configured({{"server.bind", "::1"}})).front().address);
    }

    TEST(listenersAreReadWhileTheyAreAdded)
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
        equal("999", seen.back().address);
    }

    TEST(manifestIsCompletedWithOrigins)
    {
        const auto registered = daemon::registeredService(publishedService(
            R"({"service_id":"crm","launchUrl":"/","callbackUrls":["/auth/callback","https://else.example/cb"],"iconUrl":"","widget":{"url":"/api/widget"},)"
            R"("store":{"screenshots":["/one.png","https://else.example/two.png"],"privacyUrl":"/privacy","supportUrl":""}})"));
        const auto manifest = boost::json::parse(registered.manifest);
        CHECK(manifest.at("launchUrl") == "https://crm.example.org/");
        CHECK(manifest.at("callbackUrls").at(0) == "https://crm.example.org/auth/callback");
        CHECK(manifest.at("callbackUrls").at(1) == "https://else.example/cb");
        CPPUNIT_ASSERT_MESSAGE("what is not set stays so", manifest.at("iconUrl") == "");
        CHECK(manifest.at("widget").at("url") == "https://crm.example.org/api/widget");
        const auto& store = manifest.at("store");
        CHECK(store.at("screenshots").at(0) == "https://crm.example.org/one.png");
        CHECK(store.at("screenshots").at(1) == "https://else.example/two.png");
        CHECK(store.at("privacyUrl") == "https://crm.example.org/privacy" && store.at("supportUrl") == "");
        equal(2, manifest.at("origins").as_array().size());
        equal("https://crm.example.org", registered.origin);
        CHECK((registered.routePermissions == std::vector<std::string>{"crm.contacts:read"}));
        CHECK(registered.serving);
    }

    TEST(catalogGetsChangesOnly)
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
            CHECK(refused && refused->contains("crm") == keeper.refuses);
            return keeper.asked - before;
        };
        equal(1, asked());
        equal(0, asked(), "nothing has changed");
        services[1].origins = {"https://crm.example.org"};
        equal(1, asked());
        services[1].routes = std::make_shared<const std::vector<plugins::RouteInfo>>();
        equal(1, asked(), "its routes demand something else");
        services[1].status = plugins::ServiceStatus::Failed;
        equal(1, asked());
        services[0] = serve(2);
        equal(1, asked(), "another keeper knows nothing");
        services[1].status = plugins::ServiceStatus::Serving;
        keeper.refuses = true;
        equal(1, asked());
        equal(1, asked(), "what was refused is asked again");
        keeper.refuses = false;
        equal(1, asked());
        equal(0, asked());
        services.pop_back();
        equal(1, asked(), "one is gone");
        interfaces.withdraw(*services[0].generation);
        CHECK(!link.announce(services));
        services[0] = serve(2);
        equal(1, asked(), "a keeper that returns knows nothing");
    }

    TEST(failedServiceIsReportedWithoutManifest)
    {
        auto service = publishedService(R"({"service_id":"crm","launchUrl":"/"})");
        service.status = plugins::ServiceStatus::Failed;
        const auto registered = daemon::registeredService(service);
        equal("crm", registered.serviceId);
        CHECK(!registered.serving && registered.manifest.empty() && registered.origin.empty() && registered.routePermissions.empty());
    }

    TEST(databaseUrlChoosesTheEngine)
    {
        equal("/s/data", daemon::databaseSettings(configured({}), "/s").directory.string());
        equal("/s/data", daemon::databaseSettings(configured({{"database.url", "sqlite"}}), "/s").directory.string());
        equal("/d", daemon::databaseSettings(configured({{"database.url", "sqlite:/d"}}), "/s").directory.string());
        const auto postgres = daemon::databaseSettings(configured({{"database.url", "postgresql://u@h/d"}}), "/s");
        CHECK(postgres.engine == Dialect::PostgreSQL);
        equal("postgresql://u@h/d", postgres.url);
    }

    TEST(stateDirectoryHasOneOwner)
    {
        const auto path = _directory.path() / "state";
        {
            const daemon::StateDirectory first(path);
            CPPUNIT_ASSERT_THROW(daemon::StateDirectory{path}, daemon::StartError);
            struct stat status
            {
            };
            equal(0, ::stat(path.c_str(), &status));
            equal(0700, static_cast<unsigned>(status.st_mode & 0777));
        }
        const daemon::StateDirectory next(path);
    }

    TEST(secretIsMadeOnceAndPrivate)
    {
        const auto file = _directory.path() / "secrets" / "key";
        const auto secret = daemon::hostSecret(file);
        equal(32, secret.size());
        CHECK(secret == daemon::hostSecret(file));
        CHECK(secret != daemon::hostSecret(_directory.path() / "secrets" / "other"));
        struct stat status
        {
        };
        equal(0, ::stat(file.c_str(), &status));
        equal(0600, static_cast<unsigned>(status.st_mode & 0777));
    }

    TEST(shortSecretIsNotUsed)
    {
        const auto file = _directory.write("key", "short");
        CPPUNIT_ASSERT_THROW(daemon::hostSecret(file), std::runtime_error);
    }

    TEST(switchesKeepWhatTheySaidOfOthers)
    {
        const auto switches = _directory.path() / "conf.d" / "services.properties";
        admin::keepSwitch(switches, "crm", false);
        admin::keepSwitch(switches, "social", false);
        admin::keepSwitch(switches, "crm", true);
        const auto configuration = Configuration({}, config::readProperties(switches).entries);
        CHECK(configuration.boolean("services.crm.enabled"));
        CHECK(!configuration.boolean("services.social.enabled"));
    }

    TEST(overlayReportsStrongerLayers)
    {
        config::ConfigurationStore store({{}, {}, {}, {"services.crm.enabled=false"}},
                                         [](const Configuration&) { return config::DeclaredSettings(); });
        store.adopt(store.read().configuration);
        CHECK(store.overlay({"services.crm.enabled", "false", {"drop-in", 1}}));
        store.adopt(store.read().configuration);
        CHECK(!store.overlay({"services.crm.enabled", "true", {"drop-in", 1}}));
        CPPUNIT_ASSERT_MESSAGE("it holds now all the same", store.current()->boolean("services.crm.enabled"));
        CHECK(store.overlay({"services.crm.enabled", "true", {"drop-in", 1}}, false));
        CPPUNIT_ASSERT_MESSAGE("what is not stored stays", store.read().configuration->boolean("services.crm.enabled"));
        CPPUNIT_ASSERT_MESSAGE("the command line is still stronger", !store.overlay({"services.crm.enabled", "true", {"drop-in", 1}}));
        CHECK(!store.read().configuration->boolean("services.crm.enabled"));
    }

    TEST(layoutFollowsThePrefix)
    {
        equal("/etc/portico/portico.properties", config::InstallLayout("/usr/bin/porticod").configurationFile().string());
        const config::InstallLayout own(_directory.path() / "bin" / "porticod");
        equal((_directory.path() / "etc/portico/portico.properties").string(), own.configurationFile().string());
        equal((_directory.path() / "lib/portico/plugins").string(), own.pluginsDirectory().string());
    }

    /// Another user could change such a link at any moment.
    TEST(symlinkToBuiltinIsNotBuiltin)
    {
        const auto& root = _directory.path();
        const config::InstallLayout layout(root / "bin" / "porticod");
        _directory.write("lib/portico/plugins/crm/manifest.json", "{}");
        _directory.write("lib/portico/plugins/acme/manifest.json", "{}");
        std::filesystem::create_directories(root / "others");
        std::filesystem::create_directory_symlink(root / "lib/portico/plugins/crm", root / "others/crm");
        std::filesystem::create_directory_symlink(root / "lib/portico/plugins", root / "same");
        CHECK(layout.isBuiltIn("crm", root / "lib/portico/plugins/crm"));
        CHECK(layout.isBuiltIn("crm", root / "same/crm"));
        CHECK(!layout.isBuiltIn("crm", root / "others/crm"));
        CHECK(!layout.isBuiltIn("acme", root / "lib/portico/plugins/acme"));
        CHECK(!layout.isBuiltIn("crm", root / "lib/portico/plugins/acme"));
    }

    TemporaryDirectory _directory;
};

} // namespace portico::test
