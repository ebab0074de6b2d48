#include "host/admin/Commands.h"

#include <algorithm>

namespace portico::host::admin
{

namespace json = boost::json;

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

json::array filesRead(const config::LayerSources& sources)
{
    json::array files;
    for (const auto& file : config::filesOf(sources)) files.emplace_back(file.string());
    return files;
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
    bool ok = true;
    for (const auto& diagnostic : diagnostics) ok = ok && diagnostic.at("severity") != "error";
    const auto changes = reading.refused() ? std::vector<SettingChange>() : parts.reloader.differences(*reading.configuration);
    return {{"ok", ok},
            {"findings", std::move(diagnostics)},
            {"files", filesRead(parts.configuration.sources())},
            {"changes", changesJson(changes)}};
}

json::object settingJson(const std::string& key, const std::string& value, const config::Entry* entry)
{
    return {{"key", key}, {"value", value}, {"source", entry ? entry->source.text() : "default"}};
}

/// A value that waits for a restart is not the one in force.
void noteWaiting(const CommandDependencies& parts, json::array& settings)
{
    const auto waiting = parts.reloader.waitingForRestart();
    for (auto& setting : settings)
    {
        const std::string key(setting.at("key").as_string());
        if (std::ranges::find(waiting, key) != waiting.end()) setting.as_object()["inForce"] = parts.reloader.startedValue(key);
    }
}

json::value runShow(const CommandDependencies& parts, const ControlRequest& request)
{
    const auto configuration = parts.configuration.current();
    const auto wanted = request.text("key");
    if (!wanted.empty() && !configuration->catalog().find(wanted))
    {
        const auto nearest = configuration->catalog().nearest(wanted);
        throw ControlError("unknown_setting",
                           "There is no setting '" + wanted + "'." + (nearest.empty() ? "" : " Did you mean " + nearest + "?"));
    }
    json::array settings;
    if (!wanted.empty())
    {
        settings.push_back(settingJson(wanted, configuration->text(wanted), configuration->find(wanted)));
        noteWaiting(parts, settings);
        return {{"settings", std::move(settings)}};
    }
    for (const auto& group : config::settingGroups())
        for (const auto& setting : group.settings)
            if (const std::string key(setting.key); key.find('<') == std::string::npos)
                settings.push_back(settingJson(key, configuration->text(key), configuration->find(key)));
    for (const auto& [key, entry] : configuration->entries())
        if (key.starts_with("services.")) settings.push_back(settingJson(key, entry.value, &entry));
    for (const auto& [key, declared] : configuration->catalog().declared())
        settings.push_back(settingJson(key, configuration->text(key), configuration->find(key)));
    noteWaiting(parts, settings);
    return {{"settings", std::move(settings)}};
}

json::value runConfigReload(const CommandDependencies& parts, const ControlRequest& request)
{
    const auto report = parts.reloader.reload(request.peer.text);
    writeDown(report, request.peer.text, parts.history, SystemClock().now());
    json::value answer{{"findings", diagnosticsJson(report.diagnostics)}, {"changes", changesJson(report.changes)}};
    if (report.taken) return answer;
    throw ControlError("invalid_configuration", "The configuration has mistakes; the one in force stays.", std::move(answer));
}

} // namespace

void addConfigurationCommands(ControlCommands& commands, const CommandDependencies& parts)
{
    commands.add("config.check", [&parts](const ControlRequest& request) { return runCheck(parts, request); });
    commands.add("config.show", [&parts](const ControlRequest& request) { return runShow(parts, request); });
    commands.add("config.reload", [&parts](const ControlRequest& request) { return runConfigReload(parts, request); });
}

} // namespace portico::host::admin
