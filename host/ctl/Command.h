#pragma once

#include "host/ctl/Client.h"
#include "host/ctl/Terminal.h"

#include <boost/json/value.hpp>

#include <cstdint>
#include <istream>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::ctl
{

namespace json = boost::json;

inline constexpr int exitDone = 0;
inline constexpr int exitRefused = 1;
inline constexpr int exitUsage = 2;
inline constexpr int exitUnreachable = 3;

/// porticoctl itself, without the process around it. Returns the exit code.
int run(std::vector<std::string> words, std::istream& input, const Terminal& output, std::ostream& errors);

/// The command line is wrong: exit code 2.
class UsageError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

struct Option
{
    std::string_view name; ///< Without the two hyphens.
    /// Value in the help (`FILE`); empty: the option takes no value.
    std::string_view value;
    std::string_view description;
    /// May be given several times; the values come in one, with commas between them.
    bool repeated = false;
};

/// Words and options of one command.
class Arguments
{
public:
    /// `--name value`, `--name=value`; `--` ends the options. @throws UsageError
    Arguments(std::span<const Option> known, std::span<const std::string> words);

    bool has(std::string_view option) const { return _options.contains(option); }
    std::optional<std::string> option(std::string_view name) const;
    const std::vector<std::string>& words() const noexcept { return _words; }
    /// @throws UsageError unless the number of words is within the two.
    void expectWords(std::size_t least, std::size_t most) const;

    // Arguments of a request to the daemon.
    /// The first word under this name, if there is one.
    boost::json::object wordAs(std::string_view name) const;
    /// All words, as a list.
    boost::json::object wordsAs(std::string_view name) const;

private:
    std::map<std::string, std::string, std::less<>> _options;
    std::vector<std::string> _words;
};

/// A number from 1. @throws UsageError
std::int64_t wholeNumber(const std::string& value);

struct Command;

/// Environment of a command.
struct Session
{
    const Client& client;
    const Terminal& terminal;
    std::istream& input;
    const Command& command;
    /// Print what the daemon answered, as it is.
    bool json = false;

    /// Asks the daemon for what it calls as this command is called, with a dot between the words. @throws Unreachable, Refused
    boost::json::value ask(boost::json::object arguments = {}) const;
};

/// One command of porticoctl.
struct Command
{
    /// One or two words: `reload`, `config check`.
    std::string_view name;
    /// Behind the name: `<service>`.
    std::string_view parameters;
    std::string_view summary;
    /// Further explanation; may be empty.
    std::string_view details;
    /// One or more lines, each a whole command.
    std::string_view examples;
    /// How many words there may be behind the name.
    std::size_t minWords;
    std::size_t maxWords;
    /// Returns the exit code. @throws UsageError, Unreachable, Refused
    int (*run)(const Session& session, const Arguments& arguments);
    std::span<const Option> options = {};
};

std::span<const Command> commands() noexcept;
/// The command that the words begin with, the longest first; null if there is none.
const Command* findCommand(std::span<const std::string> words) noexcept;
/// Number of words in its name.
std::size_t nameWords(const Command& command) noexcept;

/// Returns the commands whose names begin with this word and have a second one, such as `config`; empty if there are none.
std::vector<const Command*> commandsOf(std::string_view firstWord);
/// `check, show or reload`.
std::string secondWords(const std::vector<const Command*>& group);
/// Returns the command that is nearest to these words; empty if none is near.
std::string nearestCommand(std::span<const std::string> words);

std::string generalHelp();
/// Lists the commands that begin with this word.
std::string groupHelp(std::string_view firstWord);
std::string commandHelp(const Command& command);
/// How it is called: `porticoctl reload [options] <service>...`
std::string commandForm(const Command& command);

// The commands, by what they are about.
std::span<const Command> serviceCommands() noexcept;
std::span<const Command> configurationCommands() noexcept;
std::span<const Command> dataCommands() noexcept;
std::span<const Command> pluginCommands() noexcept;
std::span<const Command> newPluginCommands() noexcept;
std::span<const Command> backupCommands() noexcept;

// Reading of answers: a missing member is empty, so that an older daemon does not break a newer porticoctl.
std::string text(const boost::json::value& object, std::string_view member);
const boost::json::array& list(const boost::json::value& object, std::string_view member);
bool flag(const boost::json::value& object, std::string_view member);
/// The texts of a list.
std::vector<std::string> texts(const boost::json::value& object, std::string_view member);

/// Prints the raw answer with --json. Returns true if it was printed.
bool printedJson(const Session& session, const boost::json::value& answer);

/// Prints the operations of services in an answer, with their steps and messages.
void printOperations(const Terminal& terminal, const boost::json::value& answer);

/// One column of a list in an answer: which member of its elements it shows, and how.
struct Column
{
    std::string heading;
    std::string_view member;
    std::string (*shown)(const boost::json::value& element, std::string_view member) = text;
};
Table tableOf(const boost::json::value& answer, std::string_view list, const std::vector<Column>& columns);
/// Prints the answer itself with --json, else its list as a table, or `ifEmpty` in its place. Returns the exit code.
int showList(const Session& session, const boost::json::value& answer, std::string_view list, const std::vector<Column>& columns,
             std::string_view ifEmpty = {});

} // namespace portico::host::ctl
