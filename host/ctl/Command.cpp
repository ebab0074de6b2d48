#include "host/ctl/Command.h"

#include "host/base/Text.h"

#include <boost/json.hpp>

#include <algorithm>

namespace portico::host::ctl
{

namespace
{

const json::value* member(const json::value& object, std::string_view name)
{
    const auto* members = object.if_object();
    return members ? members->if_contains(json::string_view(name.data(), name.size())) : nullptr;
}

/// Lines of a name and what it means, which all begin at one column.
void appendAligned(const std::vector<std::pair<std::string, std::string_view>>& lines, std::string& out)
{
    std::size_t width = 0;
    for (const auto& [name, meaning] : lines) width = std::max(width, name.size());
    for (const auto& [name, meaning] : lines)
        out.append("  ").append(name).append(width - name.size() + 2, ' ').append(meaning).append("\n");
}

std::string spoken(std::string_view name, std::string_view behind)
{
    return std::string(name).append(behind.empty() ? "" : " ").append(behind);
}

void appendOptions(std::span<const Option> options, std::string& out)
{
    std::vector<std::pair<std::string, std::string_view>> lines;
    for (const auto& option : options) lines.emplace_back("--" + spoken(option.name, option.value), option.description);
    appendAligned(lines, out.append("\noptions:\n"));
}

void appendSummaries(const std::vector<const Command*>& commands, std::string& out)
{
    std::vector<std::pair<std::string, std::string_view>> lines;
    for (const auto* command : commands) lines.emplace_back(spoken(command->name, command->parameters), command->summary);
    appendAligned(lines, out.append("\n\ncommands:\n"));
}

constexpr Option globalOptions[] = {
    {"socket", "PATH", "control socket of the daemon (default: /run/portico/control.sock, else ./.portico/control.sock)"},
    {"all", "", "status, reload, enable or disable on all hosts of the installation, by ssh; before the command"},
    {"hosts", "FILE", "with --all: the file that lists the hosts (default: /etc/portico/hosts)"},
    {"json", "", "print the response as JSON"},
    {"help", "", "show help for porticoctl or for a command"},
    {"version", "", "print the version"},
};

std::vector<Command> joined()
{
    std::vector<Command> all;
    for (const auto part :
         {serviceCommands(), configurationCommands(), dataCommands(), backupCommands(), pluginCommands(), newPluginCommands()})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

} // namespace

Arguments::Arguments(std::span<const Option> known, std::span<const std::string> words)
{
    for (std::size_t i = 0; i < words.size(); ++i)
    {
        const std::string_view word = words[i];
        if (word == "--")
        {
            _words.insert(_words.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
            return;
        }
        if (!word.starts_with("--"))
        {
            _words.emplace_back(word);
            continue;
        }
        const auto equals = word.find('=');
        const auto name = word.substr(2, equals == std::string_view::npos ? equals : equals - 2);
        const auto option = std::find_if(known.begin(), known.end(), [&](const Option& each) { return each.name == name; });
        if (option == known.end()) throw UsageError("Unknown option --" + std::string(name) + ".");
        if (option->value.empty())
        {
            if (equals != std::string_view::npos) throw UsageError("The option --" + std::string(name) + " takes no value.");
            _options.insert_or_assign(std::string(name), std::string{});
            continue;
        }
        if (equals == std::string_view::npos && i + 1 == words.size())
            throw UsageError("The option --" + std::string(name) + " needs a value: --" + std::string(name) + " " +
                             std::string(option->value) + ".");
        auto value = equals == std::string_view::npos ? words[++i] : std::string(word.substr(equals + 1));
        if (const auto before = _options.find(name); option->repeated && before != _options.end()) value = before->second + "," + value;
        _options.insert_or_assign(std::string(name), std::move(value));
    }
}

std::optional<std::string> Arguments::option(std::string_view name) const
{
    const auto found = _options.find(name);
    return found == _options.end() ? std::nullopt : std::optional(found->second);
}

void Arguments::expectWords(std::size_t least, std::size_t most) const
{
    if (_words.size() < least) throw UsageError("An argument is missing.");
    if (_words.size() > most) throw UsageError("'" + _words[most] + "' is one argument too many.");
}

std::int64_t wholeNumber(const std::string& value)
{
    const auto number = parseNumber<std::int64_t>(value);
    if (number < 1) throw UsageError("'" + value + "' is not a number of 1 or more.");
    return *number;
}

json::object Arguments::wordAs(std::string_view name) const
{
    return _words.empty() ? json::object() : json::object{{name, _words.front()}};
}

json::object Arguments::wordsAs(std::string_view name) const { return {{name, json::array(_words.begin(), _words.end())}}; }

json::value Session::ask(json::object arguments) const
{
    std::string name(command.name);
    std::replace(name.begin(), name.end(), ' ', '.');
    return client.call(name, std::move(arguments));
}

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
    std::string out = "usage: porticoctl [--socket PATH] [--all [--hosts FILE]] [--json] <command>";
    std::vector<const Command*> all;
    for (const auto& command : commands()) all.push_back(&command);
    appendSummaries(all, out);
    appendOptions(globalOptions, out);
    out.append("\nexit status: 0 done, 1 refused or failed, 2 wrong usage, 3 no daemon\n"
               "porticoctl <command> --help shows options and examples.\n");
    return out;
}

std::string groupHelp(std::string_view firstWord)
{
    std::string out = "usage: porticoctl " + std::string(firstWord) + " <command>";
    appendSummaries(commandsOf(firstWord), out);
    out.append("\nporticoctl ").append(firstWord).append(" <command> --help explains a command and gives examples.\n");
    return out;
}

std::string commandForm(const Command& command)
{
    return "porticoctl " + spoken(spoken(command.name, command.options.empty() ? "" : "[options]"), command.parameters);
}

std::string commandHelp(const Command& command)
{
    std::string out = "usage: " + commandForm(command);
    out.append("\n\n").append(command.summary).append(".\n");
    if (!command.details.empty()) out.append(command.details).append("\n");
    if (!command.options.empty()) appendOptions(command.options, out);
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

std::vector<std::string> texts(const json::value& object, std::string_view name)
{
    std::vector<std::string> all;
    for (const auto& item : list(object, name))
        if (item.is_string()) all.emplace_back(item.get_string());
    return all;
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

Table tableOf(const json::value& answer, std::string_view name, const std::vector<Column>& columns)
{
    std::vector<std::string> headings;
    for (const auto& column : columns) headings.push_back(column.heading);
    Table table(std::move(headings));
    for (const auto& element : list(answer, name))
    {
        std::vector<std::string> row;
        for (const auto& column : columns) row.push_back(column.shown(element, column.member));
        table.add(std::move(row));
    }
    return table;
}

int showList(const Session& session, const json::value& answer, std::string_view name, const std::vector<Column>& columns,
             std::string_view ifEmpty)
{
    if (printedJson(session, answer)) return exitDone;
    const auto table = tableOf(answer, name, columns);
    if (table.empty() && !ifEmpty.empty())
        session.terminal.line(ifEmpty);
    else
        table.print(session.terminal);
    return exitDone;
}

} // namespace portico::host::ctl
