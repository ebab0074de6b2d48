#include "host/ctl/Command.h"

#include <boost/json.hpp>

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
    const auto changes = tableOf(answer, "changes", {{"KEY", "key"}, {"EFFECT", "effect"}});
    if (changes.empty()) return false;
    changes.print(session.terminal);
    for (const auto& change : list(answer, "changes"))
        if (text(change, "effect") == "at the next start")
        {
            session.terminal.line("Restart the daemon for what takes effect at the next start; until then the old values are in force.");
            break;
        }
    return true;
}

int runCheck(const Session& session, const Arguments&)
{
    const auto answer = session.ask();
    const bool ok = flag(answer, "ok");
    if (printedJson(session, answer)) return ok ? exitDone : exitRefused;
    printFindings(session, answer);
    for (const auto& file : texts(answer, "files")) session.terminal.line("read " + file);
    for (const auto& origin : texts(answer, "pageOrigins"))
        session.terminal.line("Pages may also send to " + origin + " and show pictures of it (server.pageOrigins).");
    if (printChanges(session, answer)) session.terminal.line("These settings differ from those in force.");
    session.terminal.line(ok ? "The configuration is right." : "The configuration has mistakes; the daemon would not take it.");
    return ok ? exitDone : exitRefused;
}

std::string valueAndForce(const boost::json::value& setting, std::string_view member)
{
    const bool waits = setting.is_object() && setting.get_object().contains("inForce");
    return text(setting, member) + (waits ? " (after a restart; now '" + text(setting, "inForce") + "')" : "");
}

int runShow(const Session& session, const Arguments& arguments)
{
    return showList(session, session.ask(arguments.wordAs("key")), "settings",
                    {{"KEY", "key"}, {"VALUE", "value", valueAndForce}, {"SET BY", "source"}});
}

int runConfigReload(const Session& session, const Arguments&)
{
    const auto show = [&session](const boost::json::value& answer)
    {
        printFindings(session, answer);
        const bool changed = printChanges(session, answer);
        printOperations(session.terminal, answer);
        return changed;
    };
    try
    {
        const auto answer = session.ask();
        if (!printedJson(session, answer) && !show(answer)) session.terminal.line("Nothing has changed.");
        return exitDone;
    }
    catch (const Refused& refused)
    {
        if (!session.json) show(refused.result());
        throw;
    }
}

constexpr Command configurationTable[] = {
    {"config check", "", "Check the configuration files and report every mistake with file and line",
     "Also lists settings that differ from those in force, and what each needs. Without a running daemon: porticod --check.",
     "porticoctl config check", 0, 0, runCheck},
    {"config show", "[key]", "Show the current settings and where each was set", "",
     "porticoctl config show\nporticoctl config show server.port", 0, 1, runShow},
    {"config reload", "", "Reload the configuration and apply what can change without a restart",
     "Says which changes need `porticoctl reload <service>` or a restart. Reads renewed certificates. If a service or a certificate fails, "
     "the rest is applied and the exit status is 1. SIGHUP does the same.",
     "porticoctl config reload", 0, 0, runConfigReload},
};

} // namespace

std::span<const Command> configurationCommands() noexcept { return configurationTable; }

} // namespace portico::host::ctl
