#include "host/platform/helpers/HelperProcess.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <system_error>

#include <fcntl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

namespace portico::host::platform
{

namespace
{
constexpr std::size_t largestReport = 64 << 10;
constexpr std::size_t keptWords = 2 << 10;
constexpr std::size_t maxTextBytes = 1 << 20;
constexpr int firstFile = 3;

[[noreturn]] void failToStart(const char* what, int error)
{
    throw HelperFault(HelperFault::Cause::NotStarted, std::string(what) + ": " + std::generic_category().message(error));
}

struct Pipe
{
    FileDescriptor reading;
    FileDescriptor writing;

    Pipe()
    {
        int ends[2] = {-1, -1};
        if (::pipe2(ends, O_CLOEXEC) != 0) failToStart("pipe", errno);
        reading = FileDescriptor(ends[0]);
        writing = FileDescriptor(ends[1]);
    }
};

/// All that the child needs, made before the fork: between fork and exec it may not allocate, since another thread may have had a lock.
struct Child
{
    std::vector<char*> words;
    char* environment[1] = {nullptr};
    /// In the order of the descriptors that they become, from 0; the program and the pipe for its errors last.
    std::vector<int> files;
    std::array<std::pair<int, rlimit>, 6> limits;
    sock_fprog filter = {};
    pid_t parent = -1;
    const char* place = "/";
};

rlimit limitOf(std::uint64_t soft, std::uint64_t hard) { return {static_cast<rlim_t>(soft), static_cast<rlim_t>(hard)}; }

bool moveFiles(Child& child) noexcept
{
    // First beyond all numbers that are needed, so that none is overwritten before it has moved.
    const auto beyond = static_cast<int>(child.files.size());
    for (auto& file : child.files)
        if ((file = ::fcntl(file, F_DUPFD, beyond)) < 0) return false;
    for (int number = 0; number < beyond; ++number)
        if (::dup2(child.files[static_cast<std::size_t>(number)], number) < 0) return false;
    for (int number = beyond - 2; number < beyond; ++number) ::fcntl(number, F_SETFD, FD_CLOEXEC);
    if (::syscall(SYS_close_range, static_cast<unsigned>(beyond), ~0U, 0U) == 0) return true;
    // Kernels before 5.9.
    const auto most = static_cast<int>(::sysconf(_SC_OPEN_MAX));
    for (int number = beyond; number < most; ++number) ::close(number);
    return true;
}

bool giveUpRights(const Child& child) noexcept
{
    for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != child.parent || ::setpgid(0, 0) != 0) return false;
    if (::chdir(child.place) != 0) return false;
    for (const auto& [resource, limit] : child.limits)
        if (::prlimit(0, static_cast<__rlimit_resource>(resource), &limit, nullptr) != 0) return false;
    ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

[[noreturn]] void becomeHelper(Child& child) noexcept
{
    const auto last = static_cast<int>(child.files.size()) - 1;
    const bool moved = moveFiles(child);
    if (moved && giveUpRights(child) && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &child.filter) == 0)
        ::syscall(SYS_execveat, last - 1, "", child.words.data(), child.environment, AT_EMPTY_PATH);
    const int error = errno;
    static_cast<void>(::write(moved ? last : child.files.back(), &error, sizeof error));
    ::_exit(127);
}

bool readInto(FileDescriptor& from, std::string& text, std::size_t kept, std::size_t& total)
{
    std::array<char, 16 << 10> buffer;
    const auto count = ::read(from.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) return true;
    if (count <= 0)
    {
        from.close();
        return false;
    }
    total += static_cast<std::size_t>(count);
    text.append(buffer.data(), std::min(static_cast<std::size_t>(count), kept - std::min(kept, text.size())));
    return true;
}
} // namespace

HelperProcess::HelperProcess(const HelperStart& start)
{
    Pipe report, words, errors;
    const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!nothing) failToStart("/dev/null", errno);

    Child child;
    child.parent = ::getpid();
    for (const auto& word : start.words) child.words.push_back(const_cast<char*>(word.c_str()));
    child.words.push_back(nullptr);
    child.files = {nothing.get(), report.writing.get(), words.writing.get()};
    static_assert(firstFile == 3);
    child.files.insert(child.files.end(), start.files.begin(), start.files.end());
    child.files.insert(child.files.end(), {start.program, errors.writing.get()});
    const auto seconds = static_cast<std::uint64_t>(std::max<std::int64_t>(start.limits.processorTime.count(), 1));
    child.limits = {{{RLIMIT_AS, limitOf(start.limits.memoryBytes, start.limits.memoryBytes)},
                     {RLIMIT_CPU, limitOf(seconds, seconds + 1)},
                     {RLIMIT_FSIZE, limitOf(start.limits.outputBytes, start.limits.outputBytes)},
                     {RLIMIT_CORE, limitOf(0, 0)},
                     {RLIMIT_MEMLOCK, limitOf(0, 0)},
                     {RLIMIT_NOFILE, limitOf(child.files.size(), child.files.size())}}};
    child.filter = {static_cast<unsigned short>(start.filter.size()), const_cast<sock_filter*>(start.filter.data())};

    _started = std::chrono::steady_clock::now();
    _process = ::fork();
    if (_process < 0) failToStart("fork", errno);
    if (_process == 0) becomeHelper(child);

    errors.writing.close();
    _handle = FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, _process, 0)));
    int error = _handle ? 0 : errno;
    ssize_t count = 0;
    while (_handle && (count = ::read(errors.reading.get(), &error, sizeof error)) < 0 && errno == EINTR) {}
    if (!_handle || count == sizeof error)
    {
        ::kill(_process, SIGKILL);
        while (::waitpid(_process, nullptr, 0) < 0 && errno == EINTR) {}
        _process = -1;
        failToStart("the program", error);
    }
    _report = std::move(report.reading);
    _words = std::move(words.reading);
}

HelperProcess::~HelperProcess()
{
    if (_process <= 0) return;
    ::kill(_process, SIGKILL);
    while (::waitpid(_process, nullptr, 0) < 0 && errno == EINTR) {}
}

void HelperProcess::end(HelperEnd& end, HelperFault::Cause cause)
{
    ::kill(_process, SIGKILL);
    if (end.ended) return;
    end.ended = true;
    end.cause = cause;
}

HelperEnd HelperProcess::wait(const HelperLimits& limits, int stop)
{
    using std::chrono::duration_cast, std::chrono::milliseconds, std::chrono::steady_clock;
    HelperEnd result;
    std::size_t reported = 0, said = 0;
    const auto deadline = _started + limits.time;
    for (bool runs = true; runs || _report || _words;)
    {
        const auto left = std::max(duration_cast<milliseconds>(deadline - steady_clock::now()), milliseconds(-1)) + milliseconds(1);
        // poll(2) passes over negative descriptors.
        pollfd events[] = {{runs ? _handle.get() : -1, POLLIN, 0},
                           {_report.get(), POLLIN, 0},
                           {_words.get(), POLLIN, 0},
                           {runs && !result.ended ? stop : -1, POLLIN, 0}};
        const auto patience = runs && !result.ended ? static_cast<int>(left.count()) : -1;
        const int ready = ::poll(events, std::size(events), patience);
        if (ready < 0 && errno != EINTR) failToStart("poll", errno);
        if (ready == 0) end(result, HelperFault::Cause::TimedOut);
        if (ready <= 0) continue;
        if (events[1].revents != 0) readInto(_report, result.report, largestReport, reported);
        if (events[2].revents != 0) readInto(_words, result.words, keptWords, said);
        if (reported > largestReport || said > maxTextBytes) end(result, HelperFault::Cause::OutputTooLarge);
        if (events[3].revents != 0) end(result, HelperFault::Cause::Stopped);
        runs = runs && events[0].revents == 0;
    }
    while (::wait4(_process, &result.status, 0, &result.usage) < 0 && errno == EINTR) {}
    _process = -1;
    result.took = duration_cast<milliseconds>(steady_clock::now() - _started);
    return result;
}

} // namespace portico::host::platform
