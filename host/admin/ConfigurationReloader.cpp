#include "host/admin/ConfigurationReloader.h"

#include "host/daemon/config/Values.h"

#include <set>

namespace portico::host::admin
{

namespace
{

using config::Configuration;

std::set<std::string> changedKeys(const Configuration& before, const Configuration& after)
{
    std::set<std::string> keys;
    const auto compare = [&keys](const Configuration& from, const Configuration& to)
    {
        for (const auto& [key, entry] : from.entries())
        {
            if (!from.catalog().find(key)) continue;
            const auto value = to.catalog().find(key) ? to.text(key) : std::string{};
            if (value != entry.value) keys.insert(key);
        }
    };
    compare(before, after);
    compare(after, before);
    return keys;
}

bool isSwitch(std::string_view key) { return config::matchesPattern("services.<id>.enabled", key); }

std::string effect(const config::Rule& rule)
{
    if (!rule.serviceId.empty()) return "porticoctl reload " + rule.serviceId;
    return rule.applies == config::Applies::Live ? "applied" : "at the next start";
}

} // namespace

void ConfigurationReloader::take(const std::shared_ptr<const Configuration>& configuration)
{
    _store.adopt(configuration);
    platform::Settings settings;
    for (const auto& [key, entry] : configuration->entries()) settings.emplace(key, entry.value);
    _platform.configure(std::move(settings));
    _platform.tell(_hooks.facts(*configuration));
}

ReloadReport ConfigurationReloader::reload(const std::string& requestedBy)
{
    const std::lock_guard lock(_mutex);
    auto reading = _store.read();
    ReloadReport report{!reading.refused(), std::move(reading.findings), {}};
    if (!report.taken) return report;

    const auto before = _store.current();
    take(reading.configuration);
    const auto& after = *reading.configuration;
    for (const auto& key : changedKeys(*before, after))
    {
        const auto rule = after.catalog().find(key);
        report.changes.push_back({key, rule ? effect(*rule) : "none: no plugin declares it any more"});
    }
    if (const auto level = platform::parseLogLevel(after.text("log.level"))) _platform.log().setLevel(*level);
    _hooks.reloadCertificates();
    applySwitches(*before, after, requestedBy);
    return report;
}

bool ConfigurationReloader::refresh()
{
    const std::lock_guard lock(_mutex);
    const auto reading = _store.read();
    if (reading.refused()) return false;
    take(reading.configuration);
    return true;
}

void ConfigurationReloader::applySwitches(const Configuration& before, const Configuration& after, const std::string& requestedBy)
{
    constexpr std::string_view prefix = "services.";
    constexpr std::string_view suffix = ".enabled";
    for (const auto& key : changedKeys(before, after))
    {
        if (!isSwitch(key)) continue;
        auto id = key.substr(prefix.size(), key.size() - prefix.size() - suffix.size());
        if (after.boolean(key))
            _lifecycle.enable(std::move(id), requestedBy).wait();
        else
            _lifecycle.disable(std::move(id), requestedBy).wait();
    }
}

} // namespace portico::host::admin
