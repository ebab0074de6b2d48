#include "host/plugins/quarantine/CrashHandler.h"

#include "host/plugins/quarantine/CrashScene.h"
#include "host/plugins/runtime/PluginScope.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <fcntl.h>
#include <stdexcept>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace portico::host::plugins
{

namespace
{

constexpr auto signalCount = CrashHandler::fatalSignals.size();

// A signal handler has no argument of ours: what it needs is here, written before the handler is installed.
std::atomic<int> reportDescriptor{-1};
std::array<int, 2> probePipe{-1, -1};
std::int64_t runMillis = 0;
std::array<struct sigaction, signalCount> earlier;
[[maybe_unused]] const struct sigaction endOfProcess
{
};

static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may not wait for a lock");

std::int64_t millisNow() noexcept
{
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void report(const PluginTag& tag, const siginfo_t& info, const void* context) noexcept
{
    const bool inside = tag.phase != PluginTag::Phase::None;
    const char phase = inside ? static_cast<char>(tag.phase) : '-';
    const auto signal = static_cast<std::uint64_t>(info.si_signo);
    const CrashScene scene(info, context, probePipe);
    SignalSafeLine line;
    line.number(static_cast<std::uint64_t>(millisNow())).text(" ").number(static_cast<std::uint64_t>(runMillis)).text(" ");
    line.text(inside ? tag.serviceId.data() : "-").text(" ").text(inside ? tag.sha256.data() : "-").text(" ");
    line.number(inside ? tag.generation : 0).text(" ").text({&phase, 1}).text(" ").number(signal).text(" ");
    scene.describe(line);
    line.write(reportDescriptor.load());

    SignalSafeLine spoken;
    spoken.text("porticod: signal ").number(signal);
    if (inside)
        spoken.text(" inside the plugin ").text(tag.serviceId.data()).text(", generation ").number(tag.generation);
    else
        spoken.text(" outside of any plugin");
    scene.describe(spoken.text(", "));
    spoken.text("; the process ends").write(STDERR_FILENO);
}

/// The kernel's own, and what the process raised itself, as abort() does.
bool happenedHere(const siginfo_t& info) noexcept { return info.si_code > 0 || info.si_pid == ::getpid(); }

/// A sanitizer's report, or the end of the process with a core. Never what POCO installs for its applications: an exception thrown out of a
/// signal handler, which hides where the fault was.
const struct sigaction& nextCourse([[maybe_unused]] const struct sigaction& before) noexcept
{
#ifdef PORTICO_SANITIZE
    return before;
#else
    return endOfProcess;
#endif
}

extern "C" void portico_crash_handler(int signal, siginfo_t* info, void* context)
{
    const int kept = errno;
    if (happenedHere(*info)) report(PluginScope::current(), *info, context);
    // The next course is taken when this returns: the fault happens again, or the signal that waits meanwhile is delivered.
    for (std::size_t i = 0; i < signalCount; ++i)
        if (CrashHandler::fatalSignals[i] == signal) ::sigaction(signal, &nextCourse(earlier[i]), nullptr);
    if (info->si_code <= 0) ::raise(signal);
    errno = kept;
}

[[noreturn]] void failToInstall(const std::filesystem::path& file)
{
    throw std::system_error(errno, std::generic_category(), "cannot open the file for crash reports " + file.string());
}

} // namespace

CrashHandler::CrashHandler(const std::filesystem::path& report)
{
    if (reportDescriptor.load() >= 0) throw std::logic_error("there is a crash handler already");
    const int descriptor = ::open(report.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (descriptor < 0 || ::pipe2(probePipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) failToInstall(report);
    runMillis = millisNow();
    reportDescriptor.store(descriptor);
    struct sigaction action
    {
    };
    action.sa_sigaction = portico_crash_handler;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < signalCount; ++i) ::sigaction(fatalSignals[i], &action, &earlier[i]);
}

CrashHandler::~CrashHandler()
{
    for (std::size_t i = 0; i < signalCount; ++i) ::sigaction(fatalSignals[i], &earlier[i], nullptr);
    ::close(reportDescriptor.exchange(-1));
    for (auto& end : probePipe) ::close(std::exchange(end, -1));
}

} // namespace portico::host::plugins
