#include "host/ctl/PrivateDaemon.h"

#include "host/base/FileDescriptor.h"
#include "host/base/ReadFiles.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

namespace portico::host::ctl
{

namespace fs = std::filesystem;

namespace
{

constexpr auto betweenLooks = std::chrono::milliseconds(50);
constexpr auto startPatience = std::chrono::minutes(1);
constexpr auto stopPatience = std::chrono::seconds(10);
constexpr std::size_t maxLogBytes = 4000;

fs::path daemonProgram()
{
    const auto folder = fs::read_symlink("/proc/self/exe").parent_path();
    for (const auto& candidate : {folder / "porticod", folder.parent_path() / "sbin" / "porticod"})
        if (fs::exists(candidate)) return candidate;
    throw Refused("daemon_missing",
                  "Expected porticod beside " + folder.string() + "/porticoctl, found none: install the package portico.");
}

/// A port of 127.0.0.1 that no process listens on now.
int freePort()
{
    const FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (socket.get() < 0 || ::bind(socket.get(), generic, size) != 0 || ::getsockname(socket.get(), generic, &size) != 0)
        throw std::system_error(errno, std::generic_category(), "Cannot find a free port");
    return ntohs(address.sin_port);
}

fs::path newFolder()
{
    auto name = (fs::temp_directory_path() / "porticoctl-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), "Cannot make a folder " + name);
    return name;
}

} // namespace

PrivateDaemon::PrivateDaemon(const fs::path& configuration)
{
    const auto program = daemonProgram();
    _state = newFolder();
    try
    {
        start(program, configuration);
        waitUntilServing();
    }
    catch (...)
    {
        stop();
        throw;
    }
}

PrivateDaemon::~PrivateDaemon() { stop(); }

void PrivateDaemon::start(const fs::path& program, const fs::path& configuration)
{
    std::vector<std::string> words{program.string(), "--config", configuration.string(), "--state", _state.string()};
    for (const auto& setting : {"server.bind=127.0.0.1", "server.unixSocket=", "database.url=sqlite:"})
        words.insert(words.end(), {"--set", setting});
    words.insert(words.end(), {"--set", "control.socket=" + (_state / "control.sock").string()});
    words.insert(words.end(), {"--set", "server.port=" + std::to_string(freePort())});
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);

    const auto log = (_state / "porticod.log").string();
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    const int failed = ::posix_spawn(&_process, program.c_str(), &files, nullptr, arguments.data(), environ);
    ::posix_spawn_file_actions_destroy(&files);
    if (failed == 0) return;
    _process = -1;
    throw std::system_error(failed, std::generic_category(), "Cannot start " + program.string());
}

bool PrivateDaemon::ended()
{
    if (_process > 0 && ::waitpid(_process, nullptr, WNOHANG) == _process) _process = -1;
    return _process < 0;
}

void PrivateDaemon::waitUntilServing()
{
    const auto end = std::chrono::steady_clock::now() + startPatience;
    while (!ended() && std::chrono::steady_clock::now() < end)
    {
        try
        {
            const auto status = client().call("status");
            const auto* state = status.is_object() ? status.get_object().if_contains("state") : nullptr;
            if (state && state->is_string() && state->get_string() == "serving") return;
        }
        catch (const std::exception&)
        {
            // The control socket is not there yet.
        }
        std::this_thread::sleep_for(betweenLooks);
    }
    throw Refused("daemon_failed", "porticoctl started a daemon to read the document, and that daemon did not start:\n" + endOfLog());
}

void PrivateDaemon::stop() noexcept
{
    if (_process > 0) ::kill(_process, SIGTERM);
    const auto end = std::chrono::steady_clock::now() + stopPatience;
    while (!ended())
    {
        if (std::chrono::steady_clock::now() > end) ::kill(_process, SIGKILL);
        std::this_thread::sleep_for(betweenLooks);
    }
    std::error_code ignored;
    if (!_state.empty()) fs::remove_all(_state, ignored);
}

std::string PrivateDaemon::endOfLog() const
{
    auto text = contentOf(_state / "porticod.log").value_or("");
    return text.size() > maxLogBytes ? text.substr(text.size() - maxLogBytes) : text;
}

} // namespace portico::host::ctl
