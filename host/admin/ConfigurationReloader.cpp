#include "host/admin/ConfigurationReloader.h"

#include "host/base/DurableFiles.h"
#include "host/base/Text.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <system_error>

namespace portico::host::admin
{

namespace
{
std::string switchOf(const std::string& serviceId) { return "services." + serviceId + ".enabled"; }
} // namespace

void keepSwitch(const std::filesystem::path& file, const std::string& serviceId, bool enabled)
{
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    std::map<std::string, std::string> values;
    if (std::filesystem::exists(file))
        for (const auto& entry : config::readProperties(file).entries) values[entry.key] = entry.value;
    values[switchOf(serviceId)] = enabled ? "true" : "false";

    std::string content = "# Written by porticoctl enable and disable.\n";
    for (const auto& [key, value] : values) content.append(key).append(" = ").append(value).append("\n");
    try
    {
        replaceFile(file, content);
    }
    catch (const std::system_error& failed)
    {
        throw std::runtime_error("Cannot write " + file.string() + ": " + failed.code().message() +
                                 ". The change holds until the next start only.");
    }
}

namespace
{

using config::Configuration;

/// Returns an empty text for undeclared keys.
std::string valueIn(const Configuration& configuration, const std::string& key)
{
    return configuration.catalog().find(key) ? configuration.text(key) : std::string();
}

std::set<std::string> changedKeys(const Configuration& before, const Configuration& after)
{
    std::set<std::string> keys;
    for (const auto* each : {&before, &after})
        for (const auto& [key, entry] : each->entries())
            if (each->catalog().find(key) && valueIn(before, key) != valueIn(after, key)) keys.insert(key);
    return keys;
}

bool needsRestart(const config::Rule& rule) { return rule.serviceId.empty() && rule.applies == config::Applies::Restart; }

SettingChange describe(const std::string& key, const std::optional<config::Rule>& rule)
{
    if (!rule) return {key, "none: no plugin declares it any more"};
    if (!rule->serviceId.empty()) return {key, "porticoctl reload " + rule->serviceId};
    if (needsRestart(*rule)) return {key, "at the next start", true};
    return {key, "porticoctl config reload"};
}

} // namespace

boost::json::array writeDown(const ReloadReport& report, const std::string& requestedBy, OperationHistory& history, Instant now)
{
    std::string text;
    for (const auto& change : report.changes)
        text.append(text.empty() ? "" : ", ").append(change.key).append(" (").append(change.effect).append(")");
    plugins::OperationResult operation;
    operation.command = "config reload";
    operation.requestedBy = requestedBy;
    operation.succeeded = report.taken && report.failures.empty();
    if (!report.failures.empty()) operation.messages.push_back("failed: " + listed(report.failures));
    operation.messages.push_back(!report.taken  ? "the configuration has mistakes; the one in force stays"
                                 : text.empty() ? "nothing has changed"
                                                : text);
    history.add(operation, now);
    boost::json::array services;
    for (const auto& switched : report.operations) services.emplace_back(history.add(switched, now));
    return services;
}

platform::Settings pluginSettings(const Configuration& configuration)
{
    platform::Settings settings;
    for (const auto& [key, entry] : configuration.entries()) settings.emplace(key, entry.value);
    return settings;
}

std::vector<SettingChange> ConfigurationReloader::differences(const Configuration& wanted) const
{
    std::set<std::string> keys;
    const auto collect = [&](const Configuration& inForce, bool restart)
    {
        for (const auto& key : changedKeys(inForce, wanted))
            if (const auto rule = wanted.catalog().find(key); restart == (rule && needsRestart(*rule))) keys.insert(key);
    };
    collect(*_started, true);
    collect(*_store.current(), false);
    // A reload of a service puts all settings in force, and switches no other service.
    for (const auto& service : _lifecycle.status())
        if (const auto key = switchOf(service.serviceId); wanted.boolean(key) != service.enabled) keys.insert(key);
    std::vector<SettingChange> changes;
    for (const auto& key : keys) changes.push_back(describe(key, wanted.catalog().find(key)));
    return changes;
}

std::vector<std::string> ConfigurationReloader::waitingForRestart() const
{
    std::vector<std::string> keys;
    for (auto& change : differences(*_store.current()))
        if (change.needsRestart) keys.push_back(std::move(change.key));
    return keys;
}

void ConfigurationReloader::take(const std::shared_ptr<const Configuration>& configuration)
{
    _store.adopt(configuration);
    _platform.configure(pluginSettings(*configuration));
    _platform.tell(_hooks.facts(*configuration));
}

ReloadReport ConfigurationReloader::reload(const std::string& requestedBy)
{
    const std::lock_guard lock(_mutex);
    // Always, even if the files are invalid: an operator who rotated the log waits for it.
    _hooks.reopenLog();
    auto reading = _store.read();
    ReloadReport report{!reading.refused(), std::move(reading.diagnostics), {}, {}, {}};
    if (!report.taken) return report;

    const auto& after = *reading.configuration;
    report.changes = differences(after);
    take(reading.configuration);
    for (auto& change : report.changes)
        if (const auto rule = after.catalog().find(change.key); rule && rule->serviceId.empty() && !change.needsRestart)
            change.effect = "applied";
    if (const auto level = telemetry::parseLogLevel(after.text("log.level"))) _platform.log().setLevel(*level);
    reloadCertificates(report);
    applySwitches(after, requestedBy, report);
    _readEarlier.clear();
    return report;
}

bool ConfigurationReloader::refresh()
{
    const std::lock_guard lock(_mutex);
    const auto reading = _store.read();
    if (reading.refused()) return false;
    auto changed = changedKeys(*_store.current(), *reading.configuration);
    // Services that work need no second start.
    std::set<std::string> failed;
    for (const auto& service : _lifecycle.status())
        if (service.state == plugins::State::Failed) failed.insert(service.serviceId);
    std::erase_if(changed,
                  [&](const std::string& key)
                  {
                      const auto rule = reading.configuration->catalog().find(key);
                      return !rule || !failed.contains(rule->serviceId);
                  });
    _readEarlier.merge(changed);
    take(reading.configuration);
    return true;
}

ConfigurationReloader::Switched ConfigurationReloader::switchService(const std::string& serviceId, bool enabled,
                                                                     const std::string& requestedBy)
{
    const std::lock_guard lock(_mutex);
    const auto file = _store.sources().dropIns / "services.properties";
    Switched switched;
    // Stored first: the request applies to the next start, however this attempt ends. A full disk must not keep the service that fills
    // it enabled.
    try
    {
        keepSwitch(file, serviceId, enabled);
    }
    catch (const std::runtime_error& error)
    {
        switched.fault = error.what();
    }
    switched.lasting = _store.overlay({switchOf(serviceId), enabled ? "true" : "false", {file.string(), 1}}, switched.fault.empty());
    switched.operation = enabled ? _lifecycle.enable(serviceId, requestedBy) : _lifecycle.disable(serviceId, requestedBy);
    return switched;
}

void ConfigurationReloader::reloadCertificates(ReloadReport& report) const
try
{
    _hooks.reloadCertificates();
}
catch (const std::exception& error)
{
    constexpr const char* key = "server.tls.certificateFile";
    const auto* entry = _started->find(key);
    report.diagnostics.push_back({config::Diagnostic::Severity::Error,
                                  entry ? entry->source : config::Source(),
                                  key,
                                  "a certificate and its private key",
                                  error.what(),
                                  "The one in use stays.",
                                  {}});
    report.failures.emplace_back("certificates");
}

void ConfigurationReloader::applySwitches(const Configuration& wanted, const std::string& requestedBy, ReloadReport& report)
{
    for (const auto& service : _lifecycle.status())
    {
        const auto& id = service.serviceId;
        const auto key = switchOf(id);
        const bool enabled = wanted.boolean(key);
        const bool failedBefore = _notEnabled.erase(id) > 0;
        const auto isOwn = [&](const std::string& changed)
        {
            const auto rule = wanted.catalog().find(changed);
            return rule && rule->serviceId == id;
        };
        // The host retries services that wait, and only an operator releases quarantined ones.
        const bool corrected =
            enabled && service.state == plugins::State::Failed &&
            (std::ranges::any_of(report.changes, isOwn, &SettingChange::key) || std::ranges::any_of(_readEarlier, isOwn));
        if (enabled == service.enabled && !corrected)
        {
            // Services that failed without a reload are not reported: `systemctl reload`, for example after the renewal of a certificate,
            // must not fail because of them.
            if (!failedBefore || !enabled || service.state == plugins::State::Serving) continue;
            report.failures.push_back("enable " + id);
            _notEnabled.insert(id);
            continue;
        }
        auto operation = (enabled ? _lifecycle.enable(id, requestedBy) : _lifecycle.disable(id, requestedBy)).get();
        if (!operation.succeeded)
        {
            report.failures.push_back(operation.command + " " + id);
            if (enabled) _notEnabled.insert(id);
            if (const auto change = std::ranges::find(report.changes, key, &SettingChange::key); change != report.changes.end())
                change->effect = "failed";
        }
        else if (enabled)
            for (auto& change : report.changes)
                if (isOwn(change.key)) change.effect = "applied";
        report.operations.push_back(std::move(operation));
    }
}

} // namespace portico::host::admin
