#include "host/admin/ConsoleOperations.h"

#include "host/plugins/trust/TrustPolicy.h"

#include "portico/Id.h"
#include "portico/Problem.h"
#include "portico/system/Credentials.h"

#include <algorithm>
#include <array>

namespace portico::host::admin
{

namespace
{

constexpr std::array<std::string_view, 7> questions{"status", "services", "operations", "jobs.list", "log", "samples", "installed"};
constexpr std::array<std::string_view, 6> changes{"reload", "enable", "disable", "jobs.retry", "jobs.discard", "config.reload"};
constexpr std::size_t remembered = 100;
/// Each has a thread, and most of them wait for the lifecycle, which does one at a time.
constexpr int maxRunning = 8;

json::object parseArguments(std::string_view text)
{
    if (text.empty()) return {};
    json::error_code error;
    auto value = json::parse(json::string_view(text.data(), text.size()), error);
    if (error || !value.is_object()) throw Problem::badRequest("invalid_request", "The arguments are an object of JSON.");
    return std::move(value.get_object());
}

std::string requestLine(std::string_view command, json::object arguments)
{
    return json::serialize(json::object{{"command", command}, {"arguments", std::move(arguments)}});
}

std::string textOf(const json::value& object, const char* member) { return std::string(object.at(member).get_string()); }

[[noreturn]] void throwRefusal(const std::string& code, const std::string& message)
{
    const int status = code == "invalid_request" ? 400 : code == "unknown_service" || code == "not_found" ? 404 : 409;
    throw Problem(status, code, message);
}

bool checksCredentials(const plugins::Discovery& discovery, const std::string& service)
{
    const auto found = discovery.plugins.find(service);
    return found != discovery.plugins.end() && found->second.manifest &&
           found->second.manifest->offers(interfaces::Credentials::interfaceName);
}

} // namespace

ConsoleOperations::ConsoleOperations(const ControlCommands& commands, const CommandDependencies& parts, std::string console)
    : _commands(commands), _parts(parts), _console(std::move(console))
{
}

bool ConsoleOperations::isFor(const plugins::Generation& user) const
{
    if (user.serviceId() != _console) return false;
    for (const auto& service : _parts.lifecycle.status())
        for (const auto& generation : service.generations)
            if (service.serviceId == _console && generation.number == user.number())
                return generation.provenance == plugins::builtInProvenance;
    return false;
}

std::string ConsoleOperations::ask(std::string_view question, std::string_view arguments)
{
    if (std::ranges::find(questions, question) == questions.end())
        throw Problem::badRequest("invalid_request", "The console does not ask that.");
    const auto answer = json::parse(_commands.answer(requestLine(question, parseArguments(arguments)), Peer{}));
    if (!answer.at("ok").get_bool()) throwRefusal(textOf(answer.at("error"), "code"), textOf(answer.at("error"), "message"));
    return json::serialize(answer.at("result"));
}

json::object ConsoleOperations::requireHarmless(std::string_view command, std::string_view arguments) const
try
{
    if (std::ranges::find(changes, command) == changes.end())
        throw Problem::conflict("use_porticoctl", "The console does not do that: porticoctl does.");
    ControlRequest request{std::string(command), parseArguments(arguments), {}};
    const auto services = request.texts("services");
    for (const auto& service : services) requireService(_parts, service);
    const auto discovery = command == "disable" ? _parts.discover() : plugins::Discovery();
    for (const auto& service : services)
        if (command == "disable" && (service == _console || checksCredentials(discovery, service)))
            throw Problem::conflict("use_porticoctl",
                                    "Without " + service + " this console is unreachable: run porticoctl disable " + service + ".");
    return std::move(request.arguments);
}
catch (const Refused& refusal)
{
    throwRefusal(refusal.code(), refusal.what());
}

void ConsoleOperations::check(std::string_view command, std::string_view arguments) { requireHarmless(command, arguments); }

std::string ConsoleOperations::begin(std::string_view command, std::string_view arguments, const Operator& by)
{
    auto parsed = requireHarmless(command, arguments);
    const auto now = _clock.now();
    auto begun = std::make_shared<Begun>();
    begun->id = "opn_" + makeUlid(now);
    begun->command = command;
    begun->requestedBy = by.userId + " (console, " + by.sessionId + ", " + by.clientAddress + ", request " + by.requestId + ")";
    begun->startedAt = now;
    {
        const std::lock_guard lock(_mutex);
        if (std::ranges::count_if(_begun, [](const auto& each) { return each->answer.is_null(); }) >= maxRunning)
            throw Problem::unavailable("overloaded", "As many operations are under way as the console begins: wait for one.", 5);
        _begun.push_back(begun);
        if (_begun.size() > remembered)
            _begun.erase(std::ranges::find_if(_begun, [](const auto& each) { return !each->answer.is_null(); }));
    }
    _threads.run(
        [this, begun, line = requestLine(command, std::move(parsed))] {
            finish(begun, _commands.answer(line, Peer{0, 0, begun->requestedBy}));
        });
    return begun->id;
}
void ConsoleOperations::finish(const std::shared_ptr<Begun>& begun, const std::string& answer)
{
    auto parsed = json::parse(answer);
    const std::lock_guard lock(_mutex);
    begun->answer = std::move(parsed);
    begun->endedAt = _clock.now();
}

std::string ConsoleOperations::progress(std::string_view operationId)
{
    const std::lock_guard lock(_mutex);
    const auto found = std::ranges::find(_begun, operationId, [](const auto& each) -> std::string_view { return each->id; });
    if (found == _begun.end()) throw Problem::notFound("There is no such operation, or it is long ago: `operations` has what it did.");
    const auto& begun = **found;
    json::object shown{{"id", begun.id},
                       {"command", begun.command},
                       {"state", "running"},
                       {"requestedBy", begun.requestedBy},
                       {"startedAt", toString(begun.startedAt)},
                       {"endedAt", nullptr},
                       {"result", nullptr},
                       {"error", nullptr}};
    if (begun.answer.is_null()) return json::serialize(shown);
    shown["state"] = begun.answer.at("ok").get_bool() ? "succeeded" : "failed";
    shown["endedAt"] = toString(begun.endedAt);
    for (const char* member : {"result", "error"})
        if (const auto* value = begun.answer.get_object().if_contains(member)) shown[member] = *value;
    return json::serialize(shown);
}

} // namespace portico::host::admin
