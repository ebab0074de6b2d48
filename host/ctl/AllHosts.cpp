#include "host/ctl/AllHosts.h"

#include "host/base/FileDescriptor.h"
#include "host/base/Text.h"
#include "host/ctl/Command.h"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace portico::host::ctl
{

namespace
{

constexpr std::array<std::string_view, 4> offered = {"status", "reload", "enable", "disable"};
/// The exit status of ssh when the other machine cannot be reached.
constexpr int sshFailed = 255;

/// The output of a program and its exit status.
struct Outcome
{
    int status = 0;
    std::string output;
    std::string errors;
};

FileDescriptor memory()
{
    FileDescriptor file(::memfd_create("porticoctl", MFD_CLOEXEC));
    if (!file) throw std::system_error(errno, std::generic_category(), "memfd_create");
    return file;
}

std::string writtenTo(const FileDescriptor& file)
{
    std::string content;
    std::array<char, 4096> buffer{};
    ::lseek(file.get(), 0, SEEK_SET);
    while (const auto count = ::read(file.get(), buffer.data(), buffer.size()))
    {
        if (count < 0) throw std::system_error(errno, std::generic_category(), "read");
        content.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return content;
}

Outcome runProgram(std::vector<std::string> words)
{
    const auto output = memory();
    const auto errors = memory();
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions{};
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, output.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, errors.get(), STDERR_FILENO);
    pid_t process = 0;
    const int failed = ::posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) throw Refused("no_ssh", "Cannot start " + words[0] + ": " + std::generic_category().message(failed) + ".");
    int status = 0;
    while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {}
    return {WIFEXITED(status) ? WEXITSTATUS(status) : exitRefused, writtenTo(output), writtenTo(errors)};
}

/// For the shell of the other machine.
std::string quotedWord(const std::string& word)
{
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

Outcome runOn(const NamedHost& host, const std::vector<std::string>& words)
{
    if (host.destination.empty())
    {
        std::vector<std::string> command{"/proc/self/exe", "--json"};
        command.insert(command.end(), words.begin(), words.end());
        return runProgram(std::move(command));
    }
    std::string remote = "porticoctl --json";
    for (const auto& word : words) remote += " " + quotedWord(word);
    const char* const named = std::getenv("PORTICO_SSH");
    auto outcome =
        runProgram({named && *named ? named : "ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "--", host.destination, remote});
    if (outcome.status == sshFailed) outcome.status = exitUnreachable;
    return outcome;
}

/// The answer of the daemon; null where it is no JSON.
json::value answerOf(const Outcome& outcome)
{
    boost::system::error_code failed;
    auto answer = json::parse(outcome.output, failed);
    return failed ? json::value() : answer;
}

std::string lastLine(std::string text)
{
    while (text.ends_with('\n')) text.pop_back();
    return text.substr(text.rfind('\n') + 1);
}

std::string failureOf(const Outcome& outcome, const json::value& answer)
{
    if (const auto* error = answer.is_object() ? answer.get_object().if_contains("error") : nullptr) return text(*error, "message");
    auto line = lastLine(outcome.errors);
    return line.empty() ? "exit status " + std::to_string(outcome.status) : line;
}

/// The services of a host that are in a state other than `serving`.
std::string troubleOf(const json::value& answer)
{
    std::string notes;
    for (const auto& service : list(answer, "services"))
        if (const auto status = text(service, "status"); status != "serving")
            notes += (notes.empty() ? "" : ", ") + text(service, "service") + " " + status;
    return notes;
}

void requireOffered(const std::vector<std::string>& words)
{
    if (words.empty() || std::find(offered.begin(), offered.end(), words.front()) == offered.end())
        throw UsageError("--all is for status, reload, enable and disable: porticoctl --all status.");
}

} // namespace

std::vector<NamedHost> readHosts(const std::filesystem::path& file)
{
    std::ifstream in(file);
    if (!in)
        throw Refused("no_hosts", "Cannot read " + file.string() +
                                      ". List the hosts of the installation there, one a line, or name another file with --hosts.");
    std::vector<NamedHost> hosts;
    int number = 0;
    for (std::string line; std::getline(in, line);)
    {
        ++number;
        std::istringstream words(line.substr(0, line.find('#')));
        NamedHost host;
        std::string more;
        if (!(words >> host.name)) continue;
        if (!(words >> host.destination)) host.destination = host.name == "localhost" ? "" : host.name;
        // ssh would take it for an option.
        if (words >> more || host.destination.starts_with('-'))
            throw Refused("bad_hosts", file.string() + ":" + std::to_string(number) +
                                           ": expected a name and a destination for ssh, found '" + line + "'.");
        hosts.push_back(std::move(host));
    }
    if (hosts.empty()) throw Refused("no_hosts", file.string() + " names no host.");
    return hosts;
}

int runOnAllHosts(const std::vector<NamedHost>& hosts, const std::vector<std::string>& words, bool asJson, const Terminal& terminal)
{
    requireOffered(words);
    const bool asks = words.front() == "status";
    int worst = exitDone;
    json::array answers;
    Table table({"HOST", "VERSION", "STATUS", "NOTE"});
    for (const auto& host : hosts)
    {
        if (worst != exitDone && !asks)
        {
            answers.push_back({{"host", host.name}, {"status", "skipped"}});
            table.add({host.name, "", "skipped", ""});
            continue;
        }
        const auto outcome = runOn(host, words);
        const auto answer = answerOf(outcome);
        const bool done = outcome.status == exitDone;
        if (worst == exitDone) worst = outcome.status;
        const std::string status = outcome.status == exitUnreachable ? "unreachable"
                                   : !done                           ? "failed"
                                   : asks                            ? text(answer, "state")
                                                                     : "done";
        const auto note = done ? troubleOf(answer) : failureOf(outcome, answer);
        json::object entry{{"host", host.name}, {"status", status}, {"answer", answer}};
        if (!done) entry["message"] = note;
        answers.push_back(std::move(entry));
        table.add({host.name, text(answer, "version"), status, note});
    }
    if (asJson)
        terminal.stream() << json::serialize(json::object{{"hosts", std::move(answers)}}) << '\n';
    else
        table.print(terminal);
    return worst;
}

} // namespace portico::host::ctl
