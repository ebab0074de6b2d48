#include "ctl/TemporaryDirectory.h"
#include "support/Suite.h"
#include "support/Together.h"

#include "host/admin/ConfigurationReloader.h"
#include "host/base/FileDescriptor.h"
#include "host/config/InstallLayout.h"
#include "host/daemon/PartSettings.h"
#include "host/data/engines/DatabaseFactory.h"

#include <boost/json.hpp>

#include <algorithm>
#include <stdexcept>

#include <fcntl.h>

namespace portico::test
{

using namespace host;
using config::Configuration;
using portico::testing::equal;
using portico::testing::Suite;

namespace
{

/// Accepts every set of services, and publishes none.
struct NoTable final : plugins::Publisher
{
    std::function<void()> prepare(std::vector<plugins::PublishedService>) override
    {
        return [] {};
    }
};

} // namespace

/// One service is installed: crm, whose manifest is broken, so that it can be disabled, and enabling it fails.
class ConfigurationReloaderTest : public Suite<ConfigurationReloaderTest>
{
    void setUp() override
    {
        _directory.write("plugins/crm/manifest.json", "{}");
        _lifecycle.startAll("test").get();
    }

    TEST(newPathsOfCertificatesNeedARestart)
    {
        const auto key = _directory.write("key.pem", "a key");
        configure("server.tls.certificateFile = /etc/portico/other.pem\nserver.tls.privateKeyFile = " + key.string() + "\n");
        const auto report = _reloader.reload("test");
        CHECK(report.taken);
        // The service failed at the start of the host, not because of a reload.
        CHECK(report.failures.empty());
        for (const char* changed : {"server.tls.certificateFile", "server.tls.privateKeyFile"})
            equal("at the next start", effectOf(report, changed), changed);
        equal(2, _reloader.waitingForRestart().size());
    }

    TEST(failedSwitchFailsTheReload)
    {
        configure("services.crm.enabled = false\n");
        CHECK(_reloader.reload("test").failures.empty());
        CHECK(!isEnabled());
        configure("services.crm.enabled = true\nlog.level = error\n");
        const auto report = _reloader.reload("test");
        CHECK(report.failures == std::vector<std::string>{"enable crm"});
        equal("failed", effectOf(report, "services.crm.enabled"));
        equal("applied", effectOf(report, "log.level"));

        admin::OperationHistory history(_directory.path() / "operations.log", _platform.logger());
        equal(1, admin::writeDown(report, "test", history, _clock.now()).size());
        const auto entries = history.list(10, {});
        equal(2, entries.size());
        for (const auto& entry : entries) CHECK(entry.at("status") == "failed");

        // The service has not started since, and is not tried again.
        const auto second = _reloader.reload("test");
        CHECK(second.failures == std::vector<std::string>{"enable crm"});
        CHECK(second.changes.empty() && second.operations.empty());
        configure("services.crm.enabled = false\n");
        CHECK(_reloader.reload("test").failures.empty());
    }

    TEST(invalidCertificateLeavesTheRestApplied)
    {
        configure("services.crm.enabled = false\n");
        _certificateFault = "TLS: private key k.pem: not usable";
        const auto report = _reloader.reload("test");
        CHECK(report.taken);
        CHECK(report.failures == std::vector<std::string>{"certificates"});
        CHECK(report.diagnostics.back().text().find("found TLS: private key k.pem: not usable.") != std::string::npos);
        equal("applied", effectOf(report, "services.crm.enabled"));
        CHECK(!isEnabled());
        _certificateFault.clear();
        CHECK(_reloader.reload("test").failures.empty());
    }

    /// `porticoctl reload identity` reads all settings after an edit.
    TEST(switchReadByAReloadOfAServiceIsApplied)
    {
        configure("services.crm.enabled = false\n");
        CHECK(_reloader.refresh());
        CHECK(isEnabled());
        equal("applied", effectOf(_reloader.reload("test"), "services.crm.enabled"));
        CHECK(!isEnabled());
        CHECK(_reloader.reload("test").changes.empty());
    }

    TEST(changedSettingStartsFailedServiceAgain)
    {
        configure("log.level = error\n");
        CHECK(_reloader.reload("test").operations.empty());
        configure("crm.limit = 2\n");
        const auto report = _reloader.reload("test");
        CHECK(report.failures == std::vector<std::string>{"enable crm"});
        equal(1, report.operations.size());
        // `porticoctl reload identity` reads the next change first.
        configure("crm.limit = 3\n");
        CHECK(_reloader.refresh());
        equal(1, _reloader.reload("test").operations.size());
        CHECK(_reloader.reload("test").operations.empty());
    }

    TEST(switchThatCannotBeStoredSurvivesReloads)
    {
        _directory.write("state/conf.d", "in the way");
        auto switched = _reloader.switchService("crm", false, "test");
        CHECK(switched.lasting && !switched.fault.empty());
        switched.operation.get();
        CHECK(_reloader.reload("test").changes.empty());
        CHECK(!isEnabled());
        CHECK(_reloader.refresh());
        CHECK(!_store.current()->boolean("services.crm.enabled"));
    }

    TEST(concurrentSwitchesAreAllStored)
    {
        constexpr int services = 16;
        const auto idOf = [](int i) { return "service-" + std::to_string(i); };
        tests::runTogether(services, [&](int i) { equal("", _reloader.switchService(idOf(i), false, "test").fault); });
        const auto stored = _store.read().configuration;
        for (int i = 0; i < services; ++i)
        {
            const auto key = "services." + idOf(i) + ".enabled";
            CPPUNIT_ASSERT_MESSAGE(key, !stored->boolean(key) && !_store.current()->boolean(key));
        }
    }

    void configure(const std::string& text) const { _directory.write("portico.properties", text); }

    bool isEnabled() const { return _lifecycle.status().front().enabled; }

    static std::string effectOf(const admin::ReloadReport& report, const std::string& key)
    {
        const auto change = std::ranges::find(report.changes, key, &admin::SettingChange::key);
        return change == report.changes.end() ? std::string("none") : change->effect;
    }

    plugins::LifecycleSettings lifecycleSettings()
    {
        plugins::LifecycleSettings settings;
        settings.pluginDirectories = {_directory.path() / "plugins"};
        settings.stateDirectory = _directory.path() / "state";
        settings.enabled = [this](const std::string& id) { return daemon::serviceEnabled(*_store.current(), id); };
        settings.origins = [](const plugins::Manifest&) { return std::vector<std::string>(); };
        return settings;
    }

    static config::DeclaredSettings declaredSettings()
    {
        config::Rule rule;
        rule.serviceId = "crm";
        return {{"crm.limit", rule}};
    }

    admin::ConfigurationReloader::Hooks hooks()
    {
        return {[](const Configuration&) { return platform::HostFacts(); },
                [this]
                {
                    if (!_certificateFault.empty()) throw std::runtime_error(_certificateFault);
                },
                [] {}};
    }

    TemporaryDirectory _directory;
    std::string _certificateFault;
    const SystemClock _clock;
    const FileDescriptor _null{::open("/dev/null", O_WRONLY | O_CLOEXEC)};
    const data::DatabaseFactory _databases;
    plugins::InterfaceRegistry _interfaces;
    NoTable _table;
    config::ConfigurationStore _store{{{_directory.write("portico.properties", "")}, _directory.path() / "state/conf.d", {}, {}},
                                      [](const Configuration&) { return declaredSettings(); }};
    platform::Platform _platform{daemon::platformSettings(*_store.current(), _directory.path() / "state",
                                                          config::InstallLayout(_directory.path() / "bin/porticod"), _null.get(), nullptr),
                                 {},
                                 {},
                                 _clock,
                                 _databases,
                                 _interfaces};
    plugins::Lifecycle _lifecycle{lifecycleSettings(), {_platform, _table, _interfaces, _platform.logger(), _clock, nullptr}};
    admin::ConfigurationReloader _reloader{_store, _platform, _lifecycle, hooks()};
};

} // namespace portico::test
