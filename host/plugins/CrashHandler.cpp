#include "host/plugins/CrashHandler.h"

#include "host/plugins/PluginScope.h"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <fcntl.h>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace portico::host::plugins
{

namespace
{

constexpr auto signalCount = CrashHandler::fatalSignals.size();

// A signal handler has no argument of ours: what it needs is here, written before the handler is installed.
std::atomic<int> reportDescriptor{-1};
std::int64_t runMillis = 0;
std::array<struct sigaction, signalCount> earlier;
[[maybe_unused]] const struct sigaction endOfProcess
{
};

static_assert(std::atomic<int>::is_always_lock_free, "a signal handler may not wait for a lock");

/// A line made without memory from the heap and without functions that a signal handler may not call.
class Line
{
public:
    Line& text(std::string_view text) noexcept
    {
        for (const char c : text)
            if (_size < _buffer.size()) _buffer[_size++] = c;
        return *this;
    }
    Line& number(std::uint64_t number) noexcept
    {
        std::array<char, 20> digits;
        std::size_t count = 0;
        do digits[count++] = static_cast<char>('0' + number % 10);
        while ((number /= 10) != 0);
        while (count > 0) text({&digits[--count], 1});
        return *this;
    }
    void write(int descriptor) const noexcept
    {
        for (std::size_t done = 0; done < _size;)
        {
            const auto written = ::write(descriptor, _buffer.data() + done, _size - done);
            if (written <= 0) return;
            done += static_cast<std::size_t>(written);
        }
    }

private:
    std::array<char, 512> _buffer;
    std::size_t _size = 0;
};

std::int64_t millisNow() noexcept
{
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void report(const PluginTag& tag, int signal) noexcept
{
    const char phase = static_cast<char>(tag.phase);
    Line()
        .number(static_cast<std::uint64_t>(millisNow()))
        .text(" ")
        .number(static_cast<std::uint64_t>(runMillis))
        .text(" ")
        .text(tag.serviceId.data())
        .text(" ")
        .text(tag.sha256.data())
        .text(" ")
        .number(tag.generation)
        .text(" ")
        .text({&phase, 1})
        .text(" ")
        .number(static_cast<std::uint64_t>(signal))
        .text("\n")
        .write(reportDescriptor.load());
    Line()
        .text("porticod: signal ")
        .number(static_cast<std::uint64_t>(signal))
        .text(" inside the plugin ")
        .text(tag.serviceId.data())
        .text(", generation ")
        .number(tag.generation)
        .text("; the process ends\n")
        .write(STDERR_FILENO);
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

extern "C" void portico_crash_handler(int signal, siginfo_t* info, void*)
{
    const int kept = errno;
    const auto& tag = PluginScope::current();
    if (tag.phase != PluginTag::Phase::None && happenedHere(*info)) report(tag, signal);
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
    if (descriptor < 0) failToInstall(report);
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
}

} // namespace portico::host::plugins
