#include "host/ctl/AllHosts.h"
#include "host/ctl/Command.h"

#include <boost/json.hpp>

#include <algorithm>

namespace portico::host::ctl
{

namespace
{

/// Options of every command, at any place of the command line.
struct Globals
{
    std::string socket;
    /// Empty: the usual one.
    std::string hosts;
    bool all = false;
    bool json = false;
    bool help = false;
    bool version = false;
};

/// Removes the global options from the words.
Globals takeGlobals(std::vector<std::string>& words)
{
    Globals globals;
    const auto end = std::find(words.begin(), words.end(), "--");
    auto kept = words.begin();
    const auto value = [&](auto& word, std::string_view name, std::string_view what)
    {
        if (word->size() > name.size()) return word->substr(name.size() + 1);
        if (++word == end)
            throw UsageError("The option " + std::string(name) + " needs a value: " + std::string(name) + " " + std::string(what) + ".");
        return *word;
    };
    for (auto word = words.begin(); word != end; ++word)
        if (*word == "--json")
            globals.json = true;
        else if (*word == "--help" || *word == "-h")
            globals.help = true;
        else if (*word == "--version")
            globals.version = true;
        // Behind the command it is the command's: `reload --all`.
        else if (*word == "--all" && kept == words.begin())
            globals.all = true;
        else if (kept == words.begin() && (*word == "--hosts" || word->starts_with("--hosts=")))
            globals.hosts = value(word, "--hosts", "FILE");
        else if (*word == "--socket" || word->starts_with("--socket="))
            globals.socket = value(word, "--socket", "PATH");
        else
            *kept++ = *word;
    words.erase(kept, end);
    return globals;
}

/// The command, or wrong usage that says what it may have been.
const Command& requireCommand(const std::vector<std::string>& words)
{
    if (words.empty()) throw UsageError("Which command?");
    if (const auto* command = findCommand(words)) return *command;
    if (words[0].starts_with("-")) throw UsageError("Unknown option " + words[0] + " before the command.");
    const auto group = commandsOf(words[0]);
    if (!group.empty() && words.size() == 1) throw UsageError("'" + words[0] + "' needs a subcommand: " + secondWords(group) + ".");
    const auto meant = nearestCommand(words);
    const auto said = group.empty() ? words[0] : words[0] + " " + words[1];
    throw UsageError("Unknown command '" + said + "'." + (meant.empty() ? "" : " Did you mean " + meant + "?"));
}

/// Help of the command, of the group of commands, or of all, that the words begin with.
std::string help(const std::vector<std::string>& words)
{
    if (words.empty()) return generalHelp();
    if (words.size() == 1 && !commandsOf(words[0]).empty()) return groupHelp(words[0]);
    return commandHelp(requireCommand(words));
}

int execute(std::vector<std::string> words, std::istream& input, const Terminal& output)
{
    const Command* command = nullptr;
    try
    {
        const auto globals = takeGlobals(words);
        if (globals.version || globals.help)
        {
            output.stream() << (globals.version ? "porticoctl " PORTICO_VERSION "\n" : help(words));
            return exitDone;
        }
        if (globals.all) return runOnAllHosts(readHosts(globals.hosts.empty() ? hostsFile : globals.hosts), words, globals.json, output);
        if (!globals.hosts.empty()) throw UsageError("--hosts needs --all before it.");
        command = &requireCommand(words);
        const auto client = globals.socket.empty() ? Client::byDefault() : Client(globals.socket);
        const Arguments arguments(command->options, std::span(words).subspan(nameWords(*command)));
        arguments.expectWords(command->minWords, command->maxWords);
        return command->run({client, output, input, *command, globals.json}, arguments);
    }
    catch (const UsageError& error)
    {
        // A command's own help says more than the general one.
        if (!command) throw UsageError(std::string(error.what()) + " See porticoctl --help.");
        throw UsageError(std::string(error.what()) + " Usage: " + commandForm(*command) + "; see porticoctl " + std::string(command->name) +
                         " --help.");
    }
}

/// A script that asked for JSON gets the refusal as JSON too, on standard output like every answer.
void tellScript(const Refused& refused, const Terminal& output)
{
    boost::json::object answer{{"error", {{"code", refused.code()}, {"message", refused.what()}}}};
    if (!refused.result().is_null()) answer["result"] = refused.result();
    output.stream() << boost::json::serialize(answer) << '\n';
}

} // namespace

int run(std::vector<std::string> words, std::istream& input, const Terminal& output, std::ostream& errors)
{
    const bool asJson = std::find(words.begin(), words.end(), "--json") != words.end();
    const auto ended = [&errors](const std::exception& error, int status)
    {
        errors << "porticoctl: " << printable(error.what()) << '\n';
        return status;
    };
    try
    {
        return execute(std::move(words), input, output);
    }
    catch (const UsageError& error)
    {
        return ended(error, exitUsage);
    }
    catch (const Unreachable& error)
    {
        return ended(error, exitUnreachable);
    }
    catch (const Refused& refused)
    {
        if (asJson) tellScript(refused, output);
        return ended(refused, exitRefused);
    }
    catch (const std::exception& error)
    {
        return ended(error, exitRefused);
    }
}

} // namespace portico::host::ctl
