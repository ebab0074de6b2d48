#include "host/admin/Commands.h"

#include "host/plugins/package/FileList.h"
#include "host/telemetry/LogTail.h"

#include <algorithm>
#include <array>

namespace portico::host::admin
{

namespace
{

/// Members of a line that are not fields of the record.
constexpr std::array<std::string_view, 6> recordMembers{"time", "level", "service", "requestId", "traceId", "message"};

template <class Kept>
const Kept& requireKept(const Kept* kept)
{
    if (!kept) throw Refused("console_off", "This host keeps nothing for a console: see the setting admin.console.");
    return *kept;
}

json::object recordJson(const telemetry::KeptRecord& record)
{
    json::object shown{{"number", record.number}, {"requestId", ""}, {"traceId", ""}};
    json::array fields;
    const auto line = json::parse(record.line);
    for (const auto& [name, value] : line.get_object())
        if (std::ranges::find(recordMembers, std::string_view(name)) != recordMembers.end())
            shown[name] = value;
        else
            fields.push_back({{"name", name}, {"value", value}});
    shown["fields"] = std::move(fields);
    return shown;
}

telemetry::LogTail::Filter filterOf(const CommandDependencies& parts, const ControlRequest& request)
{
    telemetry::LogTail::Filter filter{request.text("service"), LogLevel::Debug, request.text("requestId")};
    if (!filter.service.empty() && filter.service != "host") requireService(parts, filter.service);
    if (const auto wanted = request.text("level"); !wanted.empty())
    {
        const auto level = telemetry::parseLogLevel(wanted);
        if (!level) throw Refused("invalid_request", "The level is debug, information, warning or error.");
        filter.level = *level;
    }
    return filter;
}

json::value runLog(const CommandDependencies& parts, const ControlRequest& request)
{
    const auto& log = requireKept(parts.log);
    const auto limit = static_cast<std::size_t>(std::clamp<std::int64_t>(request.number("limit", 200), 1, 500));
    const auto page = log.read(filterOf(parts, request), request.number("after", 0), limit);
    json::array records;
    for (const auto& record : page.records) records.push_back(recordJson(record));
    return {{"records", std::move(records)}, {"next", page.next}, {"missed", page.missed}};
}

/// A list for each number: an hour of records would repeat its names 720 times.
json::value runSamples(const CommandDependencies& parts, const ControlRequest&)
{
    const auto samples = requireKept(parts.load).samples();
    const auto column = [&samples](auto value)
    {
        json::array values;
        values.reserve(samples.size());
        for (const auto& sample : samples) values.emplace_back(value(sample));
        return values;
    };
    const auto numbers = [&column](std::uint64_t LoadSample::*value) { return column([value](const auto& each) { return each.*value; }); };
    return {{"intervalSeconds", LoadHistory::interval.count()},
            {"at", column([](const auto& each) { return json::string(toString(each.at)); })},
            {"requests", numbers(&LoadSample::requests)},
            {"errors", numbers(&LoadSample::errors)},
            {"refusals", numbers(&LoadSample::refusals)},
            {"p50Microseconds", numbers(&LoadSample::p50Micros)},
            {"p99Microseconds", numbers(&LoadSample::p99Micros)},
            {"connections", numbers(&LoadSample::connections)},
            {"busyWorkers", numbers(&LoadSample::busyWorkers)},
            {"databaseSessions", numbers(&LoadSample::databaseSessions)},
            {"residentKiB", column([](const auto& each) { return each.residentBytes / 1024; })}};
}

/// Describes how the installed plugin differs from the running one, in a sentence; empty if it does not.
std::string differenceOf(const plugins::DiscoveredPlugin& plugin, const std::vector<plugins::ServiceReport>& services)
{
    if (!plugin.manifest) return "It is installed, and cannot be read: " + plugin.errors.front();
    const auto service = std::ranges::find(services, plugin.serviceId, &plugins::ServiceReport::serviceId);
    if (service == services.end()) return "It is installed, and has not been looked at yet.";
    const auto generation = std::ranges::find(service->generations, plugins::State::Serving, &plugins::GenerationReport::state);
    if (generation == service->generations.end()) return {};
    std::error_code error;
    const auto library = plugin.file.parent_path() / plugin.manifest->library;
    if (!std::filesystem::is_regular_file(library, error)) return "Its library is gone, and what serves is what was loaded.";
    if (plugins::sha256OfFile(library) == generation->sha256) return {};
    return "Another file is installed than the one that serves: " + plugin.manifest->version + ".";
}

/// Reads the libraries: nothing to ask every second.
json::value runInstalled(const CommandDependencies& parts, const ControlRequest&)
{
    const auto discovery = parts.discover();
    const auto services = parts.lifecycle.status();
    json::array differences;
    for (const auto& [id, plugin] : discovery.plugins)
        if (auto text = differenceOf(plugin, services); !text.empty()) differences.push_back({{"service", id}, {"text", std::move(text)}});
    for (const auto& service : services)
        if (!discovery.plugins.contains(service.serviceId))
            differences.push_back({{"service", service.serviceId}, {"text", "It is installed no more."}});
    return {{"differences", std::move(differences)}, {"warnings", json::value_from(discovery.warnings)}};
}

} // namespace

std::vector<Command> consoleCommands() { return {{"log", runLog}, {"samples", runSamples}, {"installed", runInstalled}}; }

} // namespace portico::host::admin
