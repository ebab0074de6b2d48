#pragma once

#include "host/ctl/Arguments.h"
#include "host/ctl/Client.h"
#include "host/ctl/Terminal.h"

#include <boost/json/value.hpp>

#include <istream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::ctl
{

/// What a command works with.
struct Session
{
    const Client& client;
    const Terminal& terminal;
    std::istream& input;
    /// Print what the daemon answered, as it is.
    bool json = false;
};

/// One command of porticoctl.
struct Command
{
    /// One or two words: `reload`, `config check`.
    std::string_view name;
    /// Behind the name: `<service>`.
    std::string_view parameters;
    std::string_view summary;
    /// What else one has to know; may be empty.
    std::string_view details;
    /// One or more lines, each a whole command.
    std::string_view examples;
    std::span<const Option> options;
    /// Returns the exit code. @throws UsageError, Unreachable, Refused
    int (*run)(const Session& session, const Arguments& arguments);
};

std::span<const Command> commands() noexcept;
/// The command that the words begin with, the longest first; null if there is none.
const Command* findCommand(std::span<const std::string> words) noexcept;
/// Number of words in its name.
std::size_t nameWords(const Command& command) noexcept;

/// Those whose names begin with this word and have another one, as `config`; empty if there are none.
std::vector<const Command*> commandsOf(std::string_view firstWord);
/// `check, show or reload`.
std::string secondWords(const std::vector<const Command*>& group);
/// The name of the command that somebody who wrote these words most likely meant; empty if none is near.
std::string nearestCommand(std::span<const std::string> words);

std::string generalHelp();
/// What commands there are that begin with this word.
std::string groupHelp(std::string_view firstWord);
std::string commandHelp(const Command& command);
/// How it is called: `porticoctl reload [options] <service>...`
std::string commandForm(const Command& command);

// The commands, by what they are about.
std::span<const Command> serviceCommands() noexcept;
std::span<const Command> inspectionCommands() noexcept;
std::span<const Command> configurationCommands() noexcept;
std::span<const Command> dataCommands() noexcept;
std::span<const Command> pluginCommands() noexcept;
std::span<const Command> newPluginCommands() noexcept;
std::span<const Command> backupCommands() noexcept;

// Reading of answers: a missing member is empty, so that an older daemon does not break a newer porticoctl.
std::string text(const boost::json::value& object, std::string_view member);
const boost::json::array& list(const boost::json::value& object, std::string_view member);
bool flag(const boost::json::value& object, std::string_view member);

/// Prints the answer itself with --json and tells whether that is all there is to do.
bool printedJson(const Session& session, const boost::json::value& answer);

} // namespace portico::host::ctl
