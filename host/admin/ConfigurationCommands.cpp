#include "host/admin/Commands.h"

#include "host/base/Text.h"

#include <algorithm>

namespace portico::host::admin
{

namespace
{

json::array diagnosticsJson(const std::vector<config::Diagnostic>& diagnostics)
{
    json::array all;
    for (const auto& diagnostic : diagnostics)
        all.push_back({{"severity", diagnostic.severity == config::Diagnostic::Severity::Error ? "error" : "warning"},
                       {"place", diagnostic.source.text()},
                       {"key", diagnostic.key},
                       {"expected", diagnostic.expected},
                       {"found", diagnostic.found},
                       {"remedy", diagnostic.remedy},
                       {"service", diagnostic.serviceId},
                       {"text", diagnostic.text()}});
    return all;
}

/// Broken manifests are mistakes of the same kind for the operator.
void addManifestFaults(const plugins::Discovery& discovery, json::array& diagnostics)
{
    for (const auto& [id, plugin] : discovery.plugins)
        for (const auto& error : plugin.errors)
            diagnostics.push_back({{"severity", "error"}, {"place", plugin.file.string()}, {"service", id}, {"text", error}});
    for (const auto& warning : discovery.warnings) diagnostics.push_back({{"severity", "warning"}, {"text", warning}});
}

json::array changesJson(const std::vector<SettingChange>& changes)
{
    json::array all;
    for (const auto& change : changes) all.push_back({{"key", change.key}, {"effect", change.effect}});
    return all;
}

json::value runCheck(const CommandDependencies& parts, const ControlRequest&)
{
    const auto reading = parts.configuration.read();
    auto diagnostics = diagnosticsJson(reading.diagnostics);
    addManifestFaults(parts.discover(), diagnostics);
    const bool ok = std::ranges::none_of(diagnostics, [](const auto& diagnostic) { return diagnostic.at("severity") == "error"; });
    const auto changes = reading.refused() ? std::vector<SettingChange>() : parts.reloader.differences(*reading.configuration);
    json::array files;
    for (const auto& file : config::filesOf(parts.configuration.sources())) files.emplace_back(file.string());
    const auto pageOrigins = reading.refused() ? std::vector<std::string>() : reading.configuration->list("server.pageOrigins");
    return {{"ok", ok},
            {"findings", std::move(diagnostics)},
            {"files", std::move(files)},
            {"pageOrigins", json::value_from(pageOrigins)},
            {"changes", changesJson(changes)}};
}

json::value runShow(const CommandDependencies& parts, const ControlRequest& request)
{
    const auto configuration = parts.configuration.current();
    const auto& catalog = configuration->catalog();
    const auto wanted = request.text("key");
    if (!wanted.empty() && !catalog.find(wanted))
    {
        const auto nearest = catalog.nearest(wanted);
        throw Refused("unknown_setting",
                      "There is no setting '" + wanted + "'." + (nearest.empty() ? "" : " Did you mean " + nearest + "?"));
    }
    json::array settings;
    const auto add = [&, waiting = parts.reloader.waitingForRestart()](const std::string& key)
    {
        const auto* entry = configuration->find(key);
        json::object setting{{"key", key}, {"value", configuration->text(key)}, {"source", entry ? entry->source.text() : "default"}};
        // The value is not the one in force.
        if (std::ranges::find(waiting, key) != waiting.end()) setting["inForce"] = parts.reloader.startedValue(key);
        settings.push_back(std::move(setting));
    };
    if (!wanted.empty())
    {
        add(wanted);
        return {{"settings", std::move(settings)}};
    }
    for (const auto& group : config::settingGroups())
        for (const auto& setting : group.settings)
            if (setting.key.find('<') == std::string_view::npos) add(std::string(setting.key));
    for (const auto& [key, entry] : configuration->entries())
        if (key.starts_with("services.")) add(key);
    for (const auto& [key, declared] : catalog.declared()) add(key);
    return {{"settings", std::move(settings)}};
}

json::value runConfigReload(const CommandDependencies& parts, const ControlRequest& request)
{
    const auto report = parts.reloader.reload(request.peer.text);
    json::value answer{{"findings", diagnosticsJson(report.diagnostics)},
                       {"changes", changesJson(report.changes)},
                       {"operations", writeDown(report, request.peer.text, parts.history, SystemClock().now())}};
    if (!report.taken) throw Refused("invalid_configuration", "The configuration has mistakes; the one in force stays.", std::move(answer));
    if (report.failures.empty()) return answer;
    throw Refused("failed", "Failed: " + listed(report.failures) + ". Everything else was applied.", std::move(answer));
}

} // namespace

std::vector<Command> configurationCommands()
{
    return {{"config.check", runCheck}, {"config.show", runShow}, {"config.reload", runConfigReload}};
}

} // namespace portico::host::admin
