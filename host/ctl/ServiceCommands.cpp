#include "host/ctl/Command.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace portico::host::ctl
{

namespace json = boost::json;

namespace
{

constexpr Option operationOptions[] = {{"service", "ID", "only of this service"},
                                       {"limit", "N", "at most so many (default and most: 200)"}};
constexpr Option reloadOptions[] = {{"all", "", "reload every service that runs, one after the other"}};

/// Microseconds of an answer as milliseconds with one digit: `12.3`.
std::string milliseconds(const json::value& object)
{
    const auto value = text(object, "microseconds");
    const auto tenths = value.empty() ? 0 : (std::stoll(value) + 50) / 100;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

void printOperation(const Terminal& terminal, const json::value& operation)
{
    const auto status = text(operation, "status");
    const auto service = text(operation, "service");
    terminal.line(text(operation, "command") + (service.empty() ? "" : " ") + service + ": " + terminal.paint(status, colourOf(status)) +
                  " in " + milliseconds(operation) + " ms");
    Table steps({"  STEP", "SERVICE", "RESULT", "MS", "DETAIL"});
    for (const auto& step : list(operation, "steps"))
        steps.add({"  " + text(step, "name"), text(step, "service"), flag(step, "ok") ? "ok" : "failed", milliseconds(step),
                   text(step, "detail")});
    if (!steps.empty()) steps.print(terminal, 2);
    for (const auto& message : list(operation, "messages"))
        if (message.is_string()) terminal.line("  " + std::string(message.get_string()));
}

void printOperations(const Session& session, const json::value& answer)
{
    if (printedJson(session, answer)) return;
    for (const auto& operation : list(answer, "operations")) printOperation(session.terminal, operation);
}

/// Runs a command that changes services; what it reports is shown also when it was refused.
int change(const Session& session, std::string_view command, json::object arguments)
{
    try
    {
        printOperations(session, session.client.call(command, std::move(arguments)));
        return 0;
    }
    catch (const Refused& refused)
    {
        if (!refused.result().is_null() && !session.json) printOperations(session, refused.result());
        throw;
    }
}

json::object servicesArgument(const Arguments& arguments)
{
    return {{"services", json::array(arguments.words().begin(), arguments.words().end())}};
}

int runEnable(const Session& session, const Arguments& arguments)
{
    arguments.expectWords(1, 100);
    return change(session, "enable", servicesArgument(arguments));
}

int runDisable(const Session& session, const Arguments& arguments)
{
    arguments.expectWords(1, 100);
    return change(session, "disable", servicesArgument(arguments));
}

int runReload(const Session& session, const Arguments& arguments)
{
    const bool all = arguments.has("all");
    arguments.expectWords(all ? 0 : 1, all ? 0 : 100);
    auto request = servicesArgument(arguments);
    request["all"] = all;
    return change(session, "reload", std::move(request));
}

int runDevReset(const Session& session, const Arguments& arguments)
{
    arguments.expectWords(1, 100);
    return change(session, "dev-reset", servicesArgument(arguments));
}

int runServices(const Session& session, const Arguments& arguments)
{
    arguments.expectWords(0, 0);
    const auto answer = session.client.call("services");
    if (printedJson(session, answer)) return 0;
    Table table({"SERVICE", "STATUS", "VERSION", "GENERATION", "IN FLIGHT", "ORIGIN", "NOTE"});
    for (const auto& service : list(answer, "services"))
        table.add({text(service, "service"), text(service, "status"), text(service, "version"), text(service, "generation"),
                   text(service, "inFlight"), text(service, "origin"), text(service, "note")});
    if (table.empty())
        session.terminal.line("No service is installed.");
    else
        table.print(session.terminal, 1);
    return 0;
}

/// Of its messages; --json has them all.
std::string firstLine(const json::value& operation)
{
    for (const auto& message : list(operation, "messages"))
        if (message.is_string())
        {
            const std::string line(message.get_string());
            return line.substr(0, line.find('\n'));
        }
    return {};
}

int runOperations(const Session& session, const Arguments& arguments)
{
    arguments.expectWords(0, 0);
    json::object request;
    if (const auto service = arguments.option("service")) request["service"] = *service;
    if (const auto limit = arguments.option("limit")) request["limit"] = wholeNumber(*limit);
    const auto answer = session.client.call("operations", std::move(request));
    if (printedJson(session, answer)) return 0;
    Table table({"OPERATION", "COMMAND", "SERVICE", "STATUS", "MS", "WHEN", "BY", "DETAIL"});
    for (const auto& operation : list(answer, "operations"))
        table.add({text(operation, "id"), text(operation, "command"), text(operation, "service"), text(operation, "status"),
                   milliseconds(operation), text(operation, "endedAt"), text(operation, "requestedBy"), firstLine(operation)});
    if (table.empty())
        session.terminal.line("Nothing was asked for.");
    else
        table.print(session.terminal, 3);
    return 0;
}

constexpr Command serviceTable[] = {
    {"services",
     "",
     "Show every service: whether it serves, which generation, at which origin",
     "A generation is one loaded copy of a plugin; `resident` ones could not be removed from memory and go with the next restart of the "
     "daemon. A service that is `waiting` is tried again by itself: what its start needs is away (--json: retrySeconds).",
     "porticoctl services\nporticoctl --json services | jq -r '.services[].service'",
     {},
     runServices},
    {"enable",
     "<service>...",
     "Start services and keep them enabled over restarts",
     "Writes services.<id>.enabled into a drop-in of the state directory.",
     "porticoctl enable crm",
     {},
     runEnable},
    {"disable",
     "<service>...",
     "Stop services while the others serve on, and keep them disabled over restarts",
     "Their routes answer 503 service_disabled.",
     "porticoctl disable crm",
     {},
     runDisable},
    {"reload", "<service>...", "Load the plugin that is on disk now and replace the running one, without a failed request",
     "If the new one does not start, the old one serves on and the exit status is 1.", "porticoctl reload crm\nporticoctl reload --all",
     reloadOptions, runReload},
    {"dev reset",
     "<service>...",
     "Delete all data of services, database and files, and start them anew: for authors of plugins",
     "The way back from a migration that was changed after it had run. Refused unless plugins.resettable of the daemon's configuration "
     "names the "
     "service, as the porticod.properties does that CMake writes beside a plugin's build.",
     "porticoctl dev reset crm",
     {},
     runDevReset},
    {"operations", "", "Show who changed what, the newest first, and how it ended",
     "Services that were started, stopped, enabled, disabled, reloaded or migrated, reloads of the configuration, backups, jobs that were "
     "retried "
     "or discarded, accounts that were made. The state directory keeps more of them in operations.log, a JSON object a line.",
     "porticoctl operations\nporticoctl operations --service crm --limit 10", operationOptions, runOperations},
};

} // namespace

std::span<const Command> serviceCommands() noexcept { return serviceTable; }

} // namespace portico::host::ctl
