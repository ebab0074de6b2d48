#include "host/ctl/Command.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

namespace portico::host::ctl
{

namespace
{

std::string duration(const std::string& seconds)
{
    const auto total = seconds.empty() ? 0 : std::stoll(seconds);
    if (total < 120) return std::to_string(total) + " s";
    if (total < 7200) return std::to_string(total / 60) + " min";
    if (total < 172800) return std::to_string(total / 3600) + " h";
    return std::to_string(total / 86400) + " d";
}

int runStatus(const Session& session, const Arguments& arguments)
{
    arguments.expectWords(0, 0);
    const auto answer = session.client.call("status");
    if (printedJson(session, answer)) return 0;
    const auto& terminal = session.terminal;
    const auto state = text(answer, "state");
    terminal.line("porticod " + text(answer, "version") + "  " + terminal.paint(state, colourOf(state)) + "  pid " + text(answer, "pid") +
                  "  up " + duration(text(answer, "uptimeSeconds")));
    terminal.line("state     " + text(answer, "stateDirectory"));
    terminal.line("database  " + text(answer, "database"));
    terminal.line("values    " + text(answer, "stateStore") +
                  (flag(answer, "stateStoreAnswers") ? std::string() : "  " + terminal.paint("does not answer", Colour::Bad)));
    if (flag(answer, "safeMode"))
        terminal.line(terminal.paint("safe mode", Colour::Warning) + " only the plugins are started that came with porticod");
    for (const auto& listener : list(answer, "listeners"))
        terminal.line("listens   " + text(listener, "address") + "  " + text(listener, "serves"));
    terminal.line("memory    " + text(answer, "residentKiB") + " KiB");
    std::string waiting;
    for (const auto& key : list(answer, "restartNeededFor"))
        if (key.is_string()) waiting += (waiting.empty() ? "" : ", ") + std::string(key.get_string());
    if (!waiting.empty()) terminal.line("restart   needed for " + waiting);
    Table services({"SERVICE", "STATUS", "NOTE"});
    for (const auto& service : list(answer, "services"))
        services.add({text(service, "service"), text(service, "status"), text(service, "note")});
    if (services.empty()) return 0;
    terminal.line();
    services.print(terminal, 1);
    return 0;
}

int runRoutes(const Session& session, const Arguments& arguments)
{
    arguments.expectWords(0, 1);
    boost::json::object request;
    if (!arguments.words().empty()) request["service"] = arguments.words().front();
    const auto answer = session.client.call("routes", std::move(request));
    if (printedJson(session, answer)) return 0;
    Table routes({"SERVICE", "METHOD", "PATH", "ACCESS"});
    for (const auto& route : list(answer, "routes"))
        routes.add({text(route, "service"), text(route, "method"), text(route, "path"), text(route, "access")});
    routes.print(session.terminal);
    return 0;
}

int runOpenApi(const Session& session, const Arguments& arguments)
{
    arguments.expectWords(1, 1);
    const auto answer = session.client.call("openapi", {{"service", arguments.words().front()}});
    session.terminal.stream() << boost::json::serialize(answer) << '\n';
    return 0;
}

int runMetrics(const Session& session, const Arguments& arguments)
{
    arguments.expectWords(0, 0);
    const auto answer = session.client.call("metrics");
    if (!printedJson(session, answer)) session.terminal.stream() << text(answer, "text");
    return 0;
}

int runStop(const Session& session, const Arguments& arguments)
{
    arguments.expectWords(0, 0);
    const auto answer = session.client.call("stop");
    if (!printedJson(session, answer)) session.terminal.line("porticod (pid " + text(answer, "pid") + ") is stopping.");
    return 0;
}

constexpr Command inspectionTable[] = {
    {"status",
     "",
     "Show whether the daemon is well: version, listeners, database, services",
     "",
     "porticoctl status\nporticoctl --json status",
     {},
     runStatus},
    {"routes", "[service]", "Show the routes that are served and what each demands", "", "porticoctl routes crm", {}, runRoutes},
    {"openapi", "<service>", "Print the OpenAPI 3.1 document of a service", "", "porticoctl openapi crm > crm.json", {}, runOpenApi},
    {"metrics", "", "Print the metrics in Prometheus' text form", "", "porticoctl metrics | grep portico_http", {}, runMetrics},
    {"stop",
     "",
     "Stop the daemon after its running requests have ended",
     "Under systemd use systemctl stop portico.",
     "porticoctl --socket ./.portico/control.sock stop",
     {},
     runStop},
};

} // namespace

std::span<const Command> inspectionCommands() noexcept { return inspectionTable; }

} // namespace portico::host::ctl
