#include "host/admin/Commands.h"

#include "host/base/Text.h"

#include <algorithm>
#include <future>

namespace portico::host::admin
{

namespace
{

using plugins::OperationResult;

/// Waits for operations and returns their results; refused if one of them failed.
class Outcome
{
public:
    explicit Outcome(const CommandDependencies& parts) : _parts(parts) {}

    void await(std::future<OperationResult> operation)
    {
        const auto result = operation.get();
        if (!result.succeeded)
        {
            _failed.push_back(result.serviceId.empty() ? result.command : result.command + " " + result.serviceId);
            _servesOn = _servesOn || serves(result.serviceId);
        }
        _operations.emplace_back(_parts.history.add(result, SystemClock().now()));
    }

    /// Adds a failure beside those of the operations, in a sentence.
    void fail(std::string why) { _fault = std::move(why); }

    void note(const std::string& text)
    {
        if (!_operations.empty()) _operations.back().get_object()["messages"].get_array().emplace_back(text);
    }

    json::value answer()
    {
        json::value answer{{"operations", std::move(_operations)}};
        if (_failed.empty() && _fault.empty()) return answer;
        if (_failed.empty()) throw Refused("failed", _fault, std::move(answer));
        throw Refused("failed",
                      "Failed: " + listed(_failed) + "." + (_servesOn ? " What served before serves on." : "") +
                          (_fault.empty() ? "" : " " + _fault),
                      std::move(answer));
    }

private:
    /// Returns true if the service serves now, or any service for a command about all of them.
    bool serves(const std::string& serviceId) const
    {
        return std::ranges::any_of(
            _parts.lifecycle.status(), [&](const plugins::ServiceReport& service)
            { return service.state == plugins::State::Serving && (serviceId.empty() || service.serviceId == serviceId); });
    }

    const CommandDependencies& _parts;
    json::array _operations;
    std::vector<std::string> _failed;
    std::string _fault;
    bool _servesOn = false;
};

std::vector<std::string> requireServices(const CommandDependencies& parts, const ControlRequest& request)
{
    auto services = request.texts("services");
    if (services.empty()) throw Refused("invalid_request", "Which service?");
    for (const auto& service : services) requireService(parts, service);
    return services;
}

json::value runSwitch(const CommandDependencies& parts, const ControlRequest& request, bool enabled)
{
    Outcome outcome(parts);
    for (const auto& service : requireServices(parts, request))
    {
        auto switched = parts.reloader.switchService(service, enabled, request.peer.text);
        if (!switched.fault.empty()) outcome.fail(std::move(switched.fault));
        outcome.await(std::move(switched.operation));
        if (!switched.lasting)
            outcome.note("At the next reload of the configuration or start, the environment or the command line sets services." + service +
                         ".enabled to something else.");
    }
    return outcome.answer();
}

/// Deletes the data of a service that is off. Returns the reason why some or all of it is left; empty if none is.
std::string dropData(const CommandDependencies& parts, const std::string& service)
try
{
    parts.platform.drop(service);
    return {};
}
catch (const std::exception& error)
{
    return error.what();
}

/// Resets a plugin during its development. Only services that the configuration lists may be reset, so that no other is named by mistake.
json::value runDevReset(const CommandDependencies& parts, const ControlRequest& request)
{
    const auto services = requireServices(parts, request);
    const auto allowed = parts.configuration.current()->list("plugins.resettable");
    for (const auto& service : services)
        if (std::ranges::find(allowed, service) == allowed.end())
            throw Refused("not_in_development",
                          "Nothing was deleted. dev reset deletes all data of a service, so it works only for services in "
                          "plugins.resettable, and " +
                              service + " is not one of them on this daemon.");
    // `drop` checks this again: a backup may begin while a service stops.
    if (!parts.platform.blobHold().beginRemoval())
        throw Refused("busy", "Nothing was deleted, because a backup is being made. Repeat the command after the backup.");
    Outcome outcome(parts);
    for (const auto& service : services)
    {
        outcome.await(parts.lifecycle.disable(service, request.peer.text));
        const auto fault = dropData(parts, service);
        outcome.await(parts.lifecycle.enable(service, request.peer.text));
        if (fault.empty()) continue;
        outcome.fail("Cannot delete all data of " + service + ": " + fault + ".");
        break;
    }
    return outcome.answer();
}

json::value runReload(const CommandDependencies& parts, const ControlRequest& request)
{
    Outcome outcome(parts);
    const bool refreshed = parts.reloader.refresh();
    if (request.flag("all"))
        outcome.await(parts.lifecycle.reloadAll(request.peer.text));
    else
        for (const auto& service : requireServices(parts, request)) outcome.await(parts.lifecycle.reload(service, request.peer.text));
    if (!refreshed) outcome.note("The configuration has mistakes, so that the settings in force stay: porticoctl config check names them.");
    return outcome.answer();
}

json::array generationsJson(const plugins::ServiceReport& service)
{
    json::array generations;
    for (const auto& generation : service.generations)
        generations.push_back({{"number", generation.number},
                               {"version", generation.version},
                               {"state", name(generation.state)},
                               {"inFlight", generation.inFlight},
                               {"sha256", generation.sha256},
                               {"provenance", generation.provenance},
                               {"since", toString(generation.since)},
                               {"reason", generation.reason}});
    return generations;
}

std::string noteOn(const plugins::ServiceReport& service)
{
    if (auto trouble = troubleOf(service); !trouble.empty()) return trouble;
    if (!service.registered) return "incomplete: " + service.registrationReport;
    for (const auto& generation : service.generations)
        if (generation.state == plugins::State::Serving && generation.provenance == "unsigned") return "unsigned";
    const auto residents = std::count_if(service.generations.begin(), service.generations.end(),
                                         [](const auto& generation) { return generation.state == plugins::State::Resident; });
    return residents == 0 ? "" : std::to_string(residents) + " resident in memory";
}

/// Until the next try; null where none is to come.
json::value retrySeconds(const plugins::ServiceReport& service)
{
    if (!service.waiting) return nullptr;
    const auto left = std::chrono::ceil<std::chrono::seconds>(service.waiting->nextTry - std::chrono::steady_clock::now());
    return std::max<std::int64_t>(left.count(), 0);
}

json::value runServices(const CommandDependencies& parts, const ControlRequest&)
{
    const auto table = parts.routes.copy();
    json::array services;
    for (const auto& service : parts.lifecycle.status())
    {
        const auto* site = table->site(service.serviceId);
        json::object item{{"service", service.serviceId},
                          {"status", name(service.state)},
                          {"enabled", service.enabled},
                          {"version", service.version},
                          {"origin", site ? json::value(site->origin) : json::value()},
                          {"routes", service.routes},
                          {"since", toString(service.since)},
                          {"note", noteOn(service)},
                          {"retrySeconds", retrySeconds(service)},
                          {"generation", nullptr},
                          {"inFlight", nullptr},
                          {"manifest", service.manifestFile},
                          {"generations", generationsJson(service)}};
        for (const auto& generation : service.generations)
            if (generation.state == plugins::State::Serving)
            {
                item["generation"] = generation.number;
                item["inFlight"] = generation.inFlight;
            }
        services.push_back(std::move(item));
    }
    return {{"services", std::move(services)}};
}

json::value runOperations(const CommandDependencies& parts, const ControlRequest& request)
{
    const auto limit = static_cast<std::size_t>(std::clamp<std::int64_t>(request.number("limit", 200), 1, 200));
    return {{"operations", parts.history.list(limit, request.text("service"))}};
}

} // namespace

std::string troubleOf(const plugins::ServiceReport& service)
{
    const auto seconds = retrySeconds(service);
    if (!seconds.is_int64()) return service.lastError;
    return "waits for " + service.waiting->what + ", next try in " + std::to_string(seconds.get_int64()) + " s: " + service.lastError;
}

std::vector<Command> serviceCommands()
{
    return {{"services", runServices},
            {"enable", [](const auto& parts, const auto& request) { return runSwitch(parts, request, true); }},
            {"disable", [](const auto& parts, const auto& request) { return runSwitch(parts, request, false); }},
            {"reload", runReload},
            {"dev.reset", runDevReset},
            {"operations", runOperations}};
}

} // namespace portico::host::admin
