#include "host/ctl/Program.h"

#include "host/ctl/Command.h"

#include <boost/json/serialize.hpp>

#include <algorithm>

namespace portico::host::ctl
{

namespace
{

/// What holds for every command, wherever it stands on the command line.
struct Globals
{
    std::string socket;
    bool json = false;
    bool help = false;
    bool version = false;
};

Globals takeGlobals(std::vector<std::string>& words)
{
    Globals globals;
    std::vector<std::string> rest;
    for (std::size_t i = 0; i < words.size(); ++i)
    {
        const auto& word = words[i];
        if (word == "--")
        {
            rest.insert(rest.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
            break;
        }
        if (word == "--json")
            globals.json = true;
        else if (word == "--help" || word == "-h")
            globals.help = true;
        else if (word == "--version")
            globals.version = true;
        else if (word == "--socket" && i + 1 == words.size())
            throw UsageError("The option --socket needs a value: --socket PATH.");
        else if (word == "--socket")
            globals.socket = words[++i];
        else if (word.starts_with("--socket="))
            globals.socket = word.substr(9);
        else
            rest.push_back(word);
    }
    words = std::move(rest);
    return globals;
}

/// Wrong usage of a command that there is: its own help says more than the general one.
class MisusedCommand : public std::runtime_error
{
public:
    MisusedCommand(const UsageError& error, const Command& command)
        : std::runtime_error(std::string(error.what()) + " The form is: " + commandForm(command) + "; porticoctl " +
                             std::string(command.name) + " --help explains.")
    {
    }
};

/// The command, or wrong usage that says what it may have been.
const Command& requireCommand(const std::vector<std::string>& words)
{
    if (words.empty()) throw UsageError("Which command?");
    if (const auto* command = findCommand(words)) return *command;
    if (words[0].starts_with("-")) throw UsageError("There is no option " + words[0] + " before a command.");
    const auto group = commandsOf(words[0]);
    if (!group.empty() && words.size() == 1) throw UsageError("'" + words[0] + "' needs a second word: " + secondWords(group) + ".");
    const auto meant = nearestCommand(words);
    const auto said = group.empty() ? words[0] : words[0] + " " + words[1];
    throw UsageError("There is no command '" + said + "'." + (meant.empty() ? "" : " Did you mean " + meant + "?"));
}

int execute(std::vector<std::string> words, std::istream& input, const Terminal& output)
{
    const auto globals = takeGlobals(words);
    if (globals.version)
    {
        output.line("porticoctl " PORTICO_VERSION);
        return exitDone;
    }
    if (globals.help && words.empty())
    {
        output.stream() << generalHelp();
        return exitDone;
    }
    if (globals.help && words.size() == 1 && !commandsOf(words[0]).empty())
    {
        output.stream() << groupHelp(words[0]);
        return exitDone;
    }
    const auto& command = requireCommand(words);
    if (globals.help)
    {
        output.stream() << commandHelp(command);
        return exitDone;
    }
    const auto client = globals.socket.empty() ? Client::byDefault() : Client(globals.socket);
    try
    {
        const Arguments arguments(command.options, std::span(words).subspan(nameWords(command)));
        return command.run({client, output, input, globals.json}, arguments);
    }
    catch (const UsageError& error)
    {
        throw MisusedCommand(error, command);
    }
}

/// A script that asked for JSON gets the refusal as JSON too, on standard output like every answer.
void report(const Refused& refused, bool asJson, const Terminal& output, std::ostream& errors)
{
    errors << "porticoctl: " << printable(refused.what()) << '\n';
    if (!asJson) return;
    boost::json::object answer{{"error", {{"code", refused.code()}, {"message", refused.what()}}}};
    if (!refused.result().is_null()) answer["result"] = refused.result();
    output.stream() << boost::json::serialize(answer) << '\n';
}

} // namespace

int run(std::vector<std::string> words, std::istream& input, const Terminal& output, std::ostream& errors)
{
    const bool asJson = std::find(words.begin(), words.end(), "--json") != words.end();
    try
    {
        return execute(std::move(words), input, output);
    }
    catch (const UsageError& error)
    {
        errors << "porticoctl: " << printable(error.what()) << " porticoctl --help explains.\n";
        return exitUsage;
    }
    catch (const MisusedCommand& error)
    {
        errors << "porticoctl: " << error.what() << '\n';
        return exitUsage;
    }
    catch (const Unreachable& error)
    {
        errors << "porticoctl: " << printable(error.what()) << '\n';
        return exitUnreachable;
    }
    catch (const Refused& refused)
    {
        report(refused, asJson, output, errors);
        return exitRefused;
    }
    catch (const std::exception& error)
    {
        errors << "porticoctl: " << printable(error.what()) << '\n';
        return exitRefused;
    }
}

} // namespace portico::host::ctl
