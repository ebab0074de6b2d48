#include "host/ctl/Command.h"

#include "host/base/Text.h"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <vector>

namespace portico::host::ctl
{

namespace json = boost::json;

namespace
{

const json::value* member(const json::value& object, std::string_view name)
{
    const auto* members = object.if_object();
    return members ? members->if_contains(json::string_view(name.data(), name.size())) : nullptr;
}

void appendOptions(std::span<const Option> options, std::string& out)
{
    std::size_t width = 0;
    const auto spoken = [](const Option& option)
    { return "--" + std::string(option.name) + (option.value.empty() ? "" : " " + std::string(option.value)); };
    for (const auto& option : options) width = std::max(width, spoken(option).size());
    for (const auto& option : options)
    {
        const auto name = spoken(option);
        out.append("  ").append(name).append(width - name.size() + 2, ' ').append(option.description).append("\n");
    }
}

void appendSummaries(const std::vector<const Command*>& commands, std::string& out)
{
    std::size_t width = 0;
    const auto spoken = [](const Command& command)
    { return std::string(command.name) + (command.parameters.empty() ? "" : " ") + std::string(command.parameters); };
    for (const auto* command : commands) width = std::max(width, spoken(*command).size());
    for (const auto* command : commands)
    {
        const auto name = spoken(*command);
        out.append("  ").append(name).append(width - name.size() + 2, ' ').append(command->summary).append("\n");
    }
}

constexpr Option globalOptions[] = {
    {"socket", "PATH", "control socket of the daemon (default: /run/portico/control.sock, else ./.portico/control.sock)"},
    {"json", "", "print the daemon's answer as JSON"},
    {"help", "", "explain porticoctl, or the command before it"},
    {"version", "", "print the version"},
};

std::vector<Command> joined()
{
    std::vector<Command> all;
    for (const auto part : {inspectionCommands(), serviceCommands(), configurationCommands(), dataCommands(), backupCommands(),
                            pluginCommands(), newPluginCommands()})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

} // namespace

std::span<const Command> commands() noexcept
{
    static const std::vector<Command> all = joined();
    return all;
}

std::size_t nameWords(const Command& command) noexcept
{
    return 1 + static_cast<std::size_t>(std::count(command.name.begin(), command.name.end(), ' '));
}

const Command* findCommand(std::span<const std::string> words) noexcept
{
    const Command* best = nullptr;
    for (const auto& command : commands())
    {
        const auto count = nameWords(command);
        if (count > words.size()) continue;
        const bool fits = count == 1 ? words[0] == command.name
                                     : command.name.starts_with(words[0]) &&
                                           command.name.substr(std::min(words[0].size() + 1, command.name.size())) == words[1];
        if (fits && (!best || count > nameWords(*best))) best = &command;
    }
    return best;
}

std::vector<const Command*> commandsOf(std::string_view firstWord)
{
    std::vector<const Command*> group;
    for (const auto& command : commands())
        if (nameWords(command) > 1 && command.name.substr(0, command.name.find(' ')) == firstWord) group.push_back(&command);
    return group;
}

std::string secondWords(const std::vector<const Command*>& group)
{
    std::string words;
    for (const auto* command : group)
    {
        if (!words.empty()) words.append(command == group.back() ? " or " : ", ");
        words.append(command->name.substr(command->name.find(' ') + 1));
    }
    return words;
}

std::string nearestCommand(std::span<const std::string> words)
{
    std::vector<std::string> names;
    for (const auto& command : commands()) names.emplace_back(command.name);
    if (words.size() > 1)
        if (auto both = nearestName(words[0] + " " + words[1], names); both.find(' ') != std::string::npos) return both;
    return nearestName(words[0], names);
}

std::string generalHelp()
{
    std::string out = "usage: porticoctl [--socket PATH] [--json] <command>\n\ncommands:\n";
    std::vector<const Command*> all;
    for (const auto& command : commands()) all.push_back(&command);
    appendSummaries(all, out);
    out.append("\noptions:\n");
    appendOptions(globalOptions, out);
    out.append("\nexit status: 0 done, 1 refused or failed, 2 wrong usage, 3 no daemon there\n"
               "porticoctl <command> --help explains a command and gives examples.\n");
    return out;
}

std::string groupHelp(std::string_view firstWord)
{
    const auto group = commandsOf(firstWord);
    std::string out = "usage: porticoctl " + std::string(firstWord) + " <command>\n\ncommands:\n";
    appendSummaries(group, out);
    out.append("\nporticoctl ").append(firstWord).append(" <command> --help explains a command and gives examples.\n");
    return out;
}

std::string commandForm(const Command& command)
{
    std::string out = "porticoctl " + std::string(command.name);
    if (!command.options.empty()) out.append(" [options]");
    if (!command.parameters.empty()) out.append(" ").append(command.parameters);
    return out;
}

std::string commandHelp(const Command& command)
{
    std::string out = "usage: " + commandForm(command);
    out.append("\n\n").append(command.summary).append(".\n");
    if (!command.details.empty()) out.append(command.details).append("\n");
    if (!command.options.empty())
    {
        out.append("\noptions:\n");
        appendOptions(command.options, out);
    }
    out.append("\nexamples:\n");
    for (std::size_t begin = 0; begin < command.examples.size();)
    {
        const auto end = std::min(command.examples.find('\n', begin), command.examples.size());
        out.append("  ").append(command.examples.substr(begin, end - begin)).append("\n");
        begin = end + 1;
    }
    return out;
}

std::string text(const json::value& object, std::string_view name)
{
    const auto* value = member(object, name);
    if (!value || value->is_null()) return {};
    if (value->is_string()) return std::string(value->get_string());
    return json::serialize(*value);
}

const json::array& list(const json::value& object, std::string_view name)
{
    static const json::array none;
    const auto* value = member(object, name);
    return value && value->is_array() ? value->get_array() : none;
}

bool flag(const json::value& object, std::string_view name)
{
    const auto* value = member(object, name);
    return value && value->is_bool() && value->get_bool();
}

bool printedJson(const Session& session, const json::value& answer)
{
    if (session.json) session.terminal.stream() << json::serialize(answer) << '\n';
    return session.json;
}

} // namespace portico::host::ctl
