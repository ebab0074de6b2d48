#include "host/ctl/Command.h"

#include <boost/json/array.hpp>

namespace portico::host::ctl
{

namespace
{

void printFindings(const Session& session, const boost::json::value& answer)
{
    for (const auto& finding : list(answer, "findings"))
    {
        const auto severity = text(finding, "severity");
        session.terminal.line(session.terminal.paint(severity, colourOf(severity)) + ": " + text(finding, "text"));
    }
}

/// False if there are none.
bool printChanges(const Session& session, const boost::json::value& answer)
{
    Table changes({"KEY", "EFFECT"});
    bool restart = false;
    for (const auto& change : list(answer, "changes"))
    {
        changes.add({text(change, "key"), text(change, "effect")});
        restart = restart || text(change, "effect") == "at the next start";
    }
    if (changes.empty()) return false;
    changes.print(session.terminal);
    if (restart)
        session.terminal.line("Restart the daemon for what takes effect at the next start; until then the old values are in force.");
    return true;
}

int runCheck(const Session& session, const Arguments& arguments)
{
    arguments.expectWords(0, 0);
    const auto answer = session.client.call("config.check");
    const bool ok = flag(answer, "ok");
    if (printedJson(session, answer)) return ok ? 0 : 1;
    printFindings(session, answer);
    for (const auto& file : list(answer, "files"))
        if (file.is_string()) session.terminal.line("read " + std::string(file.get_string()));
    if (printChanges(session, answer)) session.terminal.line("These settings differ from those in force.");
    session.terminal.line(ok ? "The configuration is right." : "The configuration has mistakes; the daemon would not take it.");
    return ok ? 0 : 1;
}

int runShow(const Session& session, const Arguments& arguments)
{
    arguments.expectWords(0, 1);
    boost::json::object request;
    if (!arguments.words().empty()) request["key"] = arguments.words().front();
    const auto answer = session.client.call("config.show", std::move(request));
    if (printedJson(session, answer)) return 0;
    Table settings({"KEY", "VALUE", "SET BY"});
    for (const auto& setting : list(answer, "settings"))
    {
        const bool waits = setting.is_object() && setting.get_object().contains("inForce");
        const auto inForce = waits ? " (after a restart; now '" + text(setting, "inForce") + "')" : std::string();
        settings.add({text(setting, "key"), text(setting, "value") + inForce, text(setting, "source")});
    }
    settings.print(session.terminal);
    return 0;
}

boost::json::value reload(const Session& session)
{
    try
    {
        return session.client.call("config.reload");
    }
    catch (const Refused& refused)
    {
        if (!session.json) printFindings(session, refused.result());
        throw;
    }
}

int runConfigReload(const Session& session, const Arguments& arguments)
{
    arguments.expectWords(0, 0);
    const auto answer = reload(session);
    if (printedJson(session, answer)) return 0;
    printFindings(session, answer);
    if (!printChanges(session, answer)) session.terminal.line("Nothing has changed.");
    return 0;
}

constexpr Command configurationTable[] = {
    {"config check",
     "",
     "Check the configuration files as they are now, with file and line of every mistake",
     "Tells also which settings differ from those in force, and what each needs. Without a running daemon: porticod --check.",
     "porticoctl config check",
     {},
     runCheck},
    {"config show",
     "[key]",
     "Show the settings in force and where each was set",
     "",
     "porticoctl config show\nporticoctl config show server.port",
     {},
     runShow},
    {"config reload",
     "",
     "Read the configuration again and apply what can change while serving",
     "Says which changes need `porticoctl reload <service>` or a restart. SIGHUP does the same.",
     "porticoctl config reload",
     {},
     runConfigReload},
};

} // namespace

std::span<const Command> configurationCommands() noexcept { return configurationTable; }

} // namespace portico::host::ctl
