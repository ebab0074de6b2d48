#include "host/ctl/Command.h"

#include "host/base/Text.h"
#include "host/ctl/PrivateDaemon.h"

#include <boost/json.hpp>

#include <fstream>

namespace portico::host::ctl
{

namespace
{

constexpr Option operationOptions[] = {{"service", "ID", "only of this service"},
                                       {"limit", "N", "at most so many (default and most: 200)"}};
constexpr Option openApiOptions[] = {{"config", "FILE", "configuration of a daemon to start for this question"},
                                     {"output", "FILE", "file to write instead of standard output"}};
constexpr Option reloadOptions[] = {{"all", "", "reload every service, start new ones, and stop those whose folder was removed"}};

std::string duration(const std::string& seconds)
{
    const auto total = seconds.empty() ? 0 : std::stoll(seconds);
    if (total < 120) return std::to_string(total) + " s";
    if (total < 7200) return std::to_string(total / 60) + " min";
    if (total < 172800) return std::to_string(total / 3600) + " h";
    return std::to_string(total / 86400) + " d";
}

int runStatus(const Session& session, const Arguments&)
{
    const auto answer = session.ask();
    if (printedJson(session, answer)) return exitDone;
    const auto& terminal = session.terminal;
    const auto state = text(answer, "state");
    terminal.line("porticod " + text(answer, "version") + "  " + terminal.paint(state, colourOf(state)) + "  pid " + text(answer, "pid") +
                  "  up " + duration(text(answer, "uptimeSeconds")));
    terminal.line("state     " + text(answer, "stateDirectory"));
    terminal.line("database  " + text(answer, "database"));
    terminal.line("values    " + text(answer, "stateStore") +
                  (flag(answer, "stateStoreAnswers") ? "" : "  " + terminal.paint("does not answer", Colour::Bad)));
    if (flag(answer, "safeMode"))
        terminal.line(terminal.paint("safe mode", Colour::Warning) + " only the plugins are started that came with porticod");
    for (const auto& listener : list(answer, "listeners"))
        terminal.line("listens   " + text(listener, "address") + "  " + text(listener, "serves"));
    terminal.line("memory    " + text(answer, "residentKiB") + " KiB");
    if (const auto waiting = listed(texts(answer, "restartNeededFor")); !waiting.empty()) terminal.line("restart   needed for " + waiting);
    const auto services = tableOf(answer, "services", {{"SERVICE", "service"}, {"STATUS", "status"}, {"NOTE", "note"}});
    if (services.empty()) return exitDone;
    terminal.line();
    services.print(terminal);
    return exitDone;
}

int runRoutes(const Session& session, const Arguments& arguments)
{
    return showList(session, session.ask(arguments.wordAs("service")), "routes",
                    {{"SERVICE", "service"}, {"METHOD", "method"}, {"PATH", "path"}, {"ACCESS", "access"}});
}

int runOpenApi(const Session& session, const Arguments& arguments)
{
    auto request = arguments.wordAs("service");
    json::value document;
    if (const auto configuration = arguments.option("config"))
    {
        const PrivateDaemon daemon(*configuration);
        document = daemon.client().call("openapi", std::move(request));
    }
    else
        document = session.ask(std::move(request));
    if (const auto file = arguments.option("output"))
    {
        std::ofstream output(*file);
        output << json::serialize(document) << '\n';
        if (!output.flush()) throw Refused("write_failed", "Cannot write " + *file + ": check the rights and the free space there.");
    }
    else
        session.terminal.stream() << json::serialize(document) << '\n';
    return exitDone;
}

int runMetrics(const Session& session, const Arguments&)
{
    const auto answer = session.ask();
    if (!printedJson(session, answer)) session.terminal.stream() << text(answer, "text");
    return exitDone;
}

int runStop(const Session& session, const Arguments&)
{
    const auto answer = session.ask();
    if (!printedJson(session, answer)) session.terminal.line("porticod (pid " + text(answer, "pid") + ") is stopping.");
    return exitDone;
}

/// Microseconds of an answer as milliseconds with one digit: `12.3`.
std::string milliseconds(const json::value& object, std::string_view member)
{
    const auto value = text(object, member);
    const auto tenths = value.empty() ? 0 : (std::stoll(value) + 50) / 100;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

std::string okOrFailed(const json::value& step, std::string_view member) { return flag(step, member) ? "ok" : "failed"; }

std::string indented(const json::value& step, std::string_view member) { return "  " + text(step, member); }

/// Returns the first line of the first text; --json has all.
std::string firstLine(const json::value& operation, std::string_view member)
{
    const auto all = texts(operation, member);
    return all.empty() ? "" : all.front().substr(0, all.front().find('\n'));
}

void printOperation(const Terminal& terminal, const json::value& operation)
{
    const auto status = text(operation, "status");
    const auto service = text(operation, "service");
    terminal.line(text(operation, "command") + (service.empty() ? "" : " ") + service + ": " + terminal.paint(status, colourOf(status)) +
                  " in " + milliseconds(operation, "microseconds") + " ms");
    const auto steps = tableOf(operation, "steps",
                               {{"  STEP", "name", indented},
                                {"SERVICE", "service"},
                                {"RESULT", "ok", okOrFailed},
                                {"MS", "microseconds", milliseconds},
                                {"DETAIL", "detail"}});
    if (!steps.empty()) steps.print(terminal);
    for (const auto& message : texts(operation, "messages")) terminal.line("  " + message);
}

/// Runs a command that changes services; what it reports is shown also when it was refused.
int change(const Session& session, json::object request)
{
    try
    {
        const auto answer = session.ask(std::move(request));
        if (!printedJson(session, answer)) printOperations(session.terminal, answer);
        return exitDone;
    }
    catch (const Refused& refused)
    {
        if (!session.json) printOperations(session.terminal, refused.result());
        throw;
    }
}

int runChange(const Session& session, const Arguments& arguments) { return change(session, arguments.wordsAs("services")); }

int runReload(const Session& session, const Arguments& arguments)
{
    const bool all = arguments.has("all");
    arguments.expectWords(all ? 0 : 1, all ? 0 : 100);
    auto request = arguments.wordsAs("services");
    request["all"] = all;
    return change(session, std::move(request));
}

int runServices(const Session& session, const Arguments&)
{
    return showList(session, session.ask(), "services",
                    {{"SERVICE", "service"},
                     {"STATUS", "status"},
                     {"VERSION", "version"},
                     {"GENERATION", "generation"},
                     {"IN FLIGHT", "inFlight"},
                     {"ORIGIN", "origin"},
                     {"NOTE", "note"}},
                    "No service is installed.");
}

int runOperations(const Session& session, const Arguments& arguments)
{
    json::object request;
    if (const auto service = arguments.option("service")) request["service"] = *service;
    if (const auto limit = arguments.option("limit")) request["limit"] = wholeNumber(*limit);
    return showList(session, session.ask(std::move(request)), "operations",
                    {{"OPERATION", "id"},
                     {"COMMAND", "command"},
                     {"SERVICE", "service"},
                     {"STATUS", "status"},
                     {"MS", "microseconds", milliseconds},
                     {"WHEN", "endedAt"},
                     {"BY", "requestedBy"},
                     {"DETAIL", "messages", firstLine}},
                    "Nothing was asked for.");
}

constexpr Command serviceTable[] = {
    {"status", "", "Show the state of the daemon: version, listeners, database, services", "",
     "porticoctl status\nporticoctl --json status", 0, 0, runStatus},
    {"routes", "[service]", "Show the routes and the access that each requires", "", "porticoctl routes crm", 0, 1, runRoutes},
    {"openapi", "<service>", "Print the OpenAPI 3.1 document of a service",
     "With --config no daemon needs to run: one is started with that configuration, on an empty state and a free port, and stopped again.",
     "porticoctl openapi crm > crm.json\nporticoctl openapi acme-notes --config build/porticod.properties --output acme-notes.json", 1, 1,
     runOpenApi, openApiOptions},
    {"metrics", "", "Print the metrics in the Prometheus text format", "", "porticoctl metrics | grep portico_http", 0, 0, runMetrics},
    {"stop", "", "Stop the daemon after running requests have finished", "Under systemd use systemctl stop portico.",
     "porticoctl --socket ./.portico/control.sock stop", 0, 0, runStop},
    {"services", "", "Show every service with its state, generation and origin",
     "A generation is one loaded copy of a plugin; `resident` ones could not be removed from memory and end with the next restart of the "
     "daemon. A service that is `waiting` is retried automatically: a dependency of its start is unavailable (--json: retrySeconds).",
     "porticoctl services\nporticoctl --json services | jq -r '.services[].service'", 0, 0, runServices},
    {"enable", "<service>...", "Start services and keep them enabled after restarts",
     "Writes services.<id>.enabled into a drop-in of the state directory.", "porticoctl enable crm", 1, 100, runChange},
    {"disable", "<service>...", "Stop services and keep them disabled after restarts; others keep serving",
     "Their routes answer 503 service_disabled.", "porticoctl disable crm", 1, 100, runChange},
    {"reload", "<service>...", "Replace the running plugin by the one on disk, without a failed request",
     "If the new one does not start, the old one keeps serving and the exit status is 1.", "porticoctl reload crm\nporticoctl reload --all",
     0, 100, runReload, reloadOptions},
    {"dev reset", "<service>...", "Delete all data of services, database and files, and restart them (for plugin authors)",
     "Needed after a change of a migration that had already run. Refused unless plugins.resettable of the daemon's configuration "
     "names the service, like the porticod.properties that CMake writes beside a plugin's build.",
     "porticoctl dev reset crm", 1, 100, runChange},
    {"operations", "", "Show operations with user and result, newest first",
     "Services that were started, stopped, enabled, disabled, reloaded or migrated, reloads of the configuration, backups, jobs that were "
     "retried or discarded, accounts that were created. The state directory keeps more of them in operations.log, a JSON object a line.",
     "porticoctl operations\nporticoctl operations --service crm --limit 10", 0, 0, runOperations, operationOptions},
};

} // namespace

void printOperations(const Terminal& terminal, const json::value& answer)
{
    for (const auto& operation : list(answer, "operations")) printOperation(terminal, operation);
}

std::span<const Command> serviceCommands() noexcept { return serviceTable; }

} // namespace portico::host::ctl
