#include "host/ctl/Command.h"
#include "host/ctl/NewPlugin.h"

#include <boost/json/array.hpp>

#include <filesystem>

namespace portico::host::ctl
{

namespace
{

namespace fs = std::filesystem;

constexpr Option newPluginOptions[] = {
    {"record", "WORD", "what it keeps, instead of a note: room, or person:people (one and many)"},
    {"no-widget", "", "without the tile on the launchpad"},
    {"directory", "DIR", "folder to make (default: the name, in the current folder)"},
    {"template", "DIR", "folder to take it from (default: that of portico-sdk-dev or of the source tree)"},
};

fs::path templateFor(const Arguments& arguments)
{
    if (const auto named = arguments.option("template")) return *named;
    const auto own = templateOf(fs::read_symlink("/proc/self/exe"));
    if (own.empty())
        throw Refused(
            "template_missing",
            "The template is not installed: install portico-sdk-dev, or name the folder sdk/template of the sources with --template.",
            nullptr);
    return own;
}

int runNewPlugin(const Session& session, const Arguments& arguments)
{
    arguments.expectWords(1, 1);
    PluginPlan plan{.names = pluginNames(arguments.words().front()), .widget = !arguments.has("no-widget")};
    if (const auto record = arguments.option("record")) plan.record = recordNames(*record);
    const auto& names = plan.names;
    const fs::path folder = arguments.option("directory").value_or(names.id);
    const auto files = writePlugin(templateFor(arguments), folder, plan);
    const boost::json::value answer{
        {"service", names.id}, {"directory", folder.string()}, {"files", boost::json::array(files.begin(), files.end())}};
    if (printedJson(session, answer)) return 0;
    session.terminal.line("Wrote the plugin " + names.id + " to " + folder.string() + ": " + std::to_string(files.size()) + " files.");
    session.terminal.line("Its README.md says what is where. Next:");
    session.terminal.line("  cd " + folder.string());
    session.terminal.line("  cmake -B build && cmake --build build");
    session.terminal.line("  ctest --test-dir build --output-on-failure");
    return 0;
}

constexpr Command newPluginTable[] = {
    {"new-plugin", "<name>", "Write a new plugin that builds, passes its tests and loads",
     "Asks no daemon. The name is that of the service: 2 to 40 lower-case letters, digits and hyphens; put your own name in front, as "
     "acme-notes. plugin-guide.md of portico-sdk-dev goes on from there.",
     "porticoctl new-plugin acme-notes\nporticoctl new-plugin acme-rooms --record room --no-widget --directory ~/src/rooms",
     newPluginOptions, runNewPlugin},
};

} // namespace

std::span<const Command> newPluginCommands() noexcept { return newPluginTable; }

} // namespace portico::host::ctl
