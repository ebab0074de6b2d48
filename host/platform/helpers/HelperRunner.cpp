#include "host/platform/helpers/HelperRunner.h"

#include "host/base/FileDescriptor.h"
#include "host/base/Text.h"
#include "host/platform/helpers/HelperProcess.h"
#include "host/platform/helpers/SystemCallFilter.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace portico::host::platform
{

namespace
{
using Cause = HelperFault::Cause;
constexpr std::size_t maxFiles = 16;

[[noreturn]] void refuse(const std::string& what, int error)
{
    throw HelperFault(Cause::NotStarted, what + ": " + std::generic_category().message(error));
}

FileDescriptor namelessFile(const std::filesystem::path& folder)
{
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);
    FileDescriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (file) return file;
    // Not every file system has files without a name.
    auto name = (folder / "helper-XXXXXX").string();
    file = FileDescriptor(::mkostemp(name.data(), O_CLOEXEC));
    if (!file) refuse("no file for the output of a helper in " + folder.string(), errno);
    ::unlink(name.c_str());
    return file;
}

FileBody bodyOf(FileDescriptor file)
{
    struct stat facts = {};
    if (::fstat(file.get(), &facts) != 0) refuse("the output of a helper", errno);
    ::lseek(file.get(), 0, SEEK_SET);
    return {file.release(), static_cast<std::uint64_t>(facts.st_size), Instant{}};
}

/// Opens the same file again, for reading only, so that it has a separate position.
FileDescriptor openAgain(const FileBody& file)
{
    FileDescriptor opened(::open(("/proc/self/fd/" + std::to_string(file.descriptor)).c_str(), O_RDONLY | O_CLOEXEC));
    if (!opened) refuse("an input of a helper", errno);
    return opened;
}

std::string wordsOf(const HelperEnd& end)
{
    // Printable characters only: it goes into the log.
    std::string text;
    for (const char c : end.words.substr(0, 300)) text += c >= ' ' && c <= '~' ? c : ' ';
    return text.empty() ? text : " (" + text + ")";
}

Cause causeOfSignal(int number, const HelperEnd& end, const HelperLimits& limits)
{
    const auto used = std::chrono::seconds(end.usage.ru_utime.tv_sec + end.usage.ru_stime.tv_sec);
    if (number == SIGSYS) return Cause::Forbidden;
    if (number == SIGXFSZ) return Cause::OutputTooLarge;
    if (number == SIGXCPU || (number == SIGKILL && used >= limits.processorTime)) return Cause::TimedOut;
    const auto peak = static_cast<std::uint64_t>(end.usage.ru_maxrss) << 10;
    // A program that gets no memory usually ends with another fault.
    return number == SIGKILL || peak >= limits.memoryBytes / 4 * 3 ? Cause::OutOfMemory : Cause::Crashed;
}

/// @throws HelperFault unless it ended as it should
void requireGoodEnd(const std::string& program, const HelperEnd& end, const HelperLimits& limits)
{
    if (end.ended) throw HelperFault(end.cause, program + " was ended: " + std::string(name(end.cause)), 0, end.report);
    if (WIFSIGNALED(end.status))
    {
        const int number = WTERMSIG(end.status);
        const auto cause = causeOfSignal(number, end, limits);
        throw HelperFault(cause, program + " ended by signal " + std::to_string(number) + ": " + std::string(name(cause)) + wordsOf(end), 0,
                          end.report);
    }
    const int code = WEXITSTATUS(end.status);
    if (code == 0) return;
    throw HelperFault(code == ENOMEM ? Cause::OutOfMemory : Cause::Failed,
                      program + " ended with exit code " + std::to_string(code) + wordsOf(end), code, end.report);
}
} // namespace

FileBody outputWith(const std::filesystem::path& folder, std::string_view bytes)
{
    auto file = namelessFile(folder);
    file.writeAll(bytes, folder);
    return bodyOf(std::move(file));
}

/// One of the places for processes, and the descriptor that ends the call that has it.
class HelperRunner::Turn
{
public:
    Turn(HelperRunner& runner, const std::stop_token& stop)
        : _runner(runner), _event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), _callback(stop, Trigger{_event.get()})
    {
        if (!_event) refuse("eventfd", errno);
        std::unique_lock lock(_runner._mutex);
        const bool free = _runner._changed.wait(lock, stop, [this] { return _runner._stopped || _runner._running < _runner._processes; });
        if (!free || _runner._stopped) throw HelperFault(Cause::Stopped, "no helper was started: the call or the host stops");
        _runner._most = std::max(_runner._most, ++_runner._running);
        _runner._stops.insert(_event.get());
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn()
    {
        {
            const std::lock_guard lock(_runner._mutex);
            --_runner._running;
            _runner._stops.erase(_event.get());
        }
        _runner._changed.notify_all();
    }
    int descriptor() const noexcept { return _event.get(); }

private:
    struct Trigger
    {
        int event;
        void operator()() const noexcept { ::eventfd_write(event, 1); }
    };
    HelperRunner& _runner;
    const FileDescriptor _event;
    const std::stop_callback<Trigger> _callback;
};

HelperRunner::HelperRunner(std::filesystem::path folder, std::size_t processes) : _folder(std::move(folder)), _processes(processes) {}
HelperRunner::~HelperRunner() = default;

void HelperRunner::stop() noexcept
{
    {
        const std::lock_guard lock(_mutex);
        _stopped = true;
        for (const int event : _stops) ::eventfd_write(event, 1);
    }
    _changed.notify_all();
}

std::size_t HelperRunner::maxConcurrent() const
{
    const std::lock_guard lock(_mutex);
    return _most;
}

const std::vector<sock_filter>& HelperRunner::filter()
{
    const std::lock_guard lock(_mutex);
    if (_filter.empty()) _filter = makeHelperFilter();
    return _filter;
}

HelperResult HelperRunner::run(const std::filesystem::path& package, const HelperTask& task, const std::stop_token& stop)
{
    if (task.inputs.size() + task.outputs > maxFiles) throw std::logic_error("a helper can have 16 files");
    const Turn turn(*this, stop);
    try
    {
        return runNow(package, task, turn.descriptor());
    }
    catch (const HelperFault&)
    {
        throw;
    }
    catch (const std::runtime_error& error)
    {
        throw HelperFault(Cause::NotStarted, error.what());
    }
}

HelperResult HelperRunner::runNow(const std::filesystem::path& package, const HelperTask& task, int stop)
{
    const auto path = package / task.program;
    const FileDescriptor program(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!program) refuse(path.string(), errno);
    std::vector<FileDescriptor> inputs, outputs;
    HelperStart start{.program = program.get(), .words = {task.program}, .files = {}, .limits = task.limits, .filter = filter()};
    start.words.insert(start.words.end(), task.arguments.begin(), task.arguments.end());
    for (const auto* input : task.inputs) start.files.push_back(inputs.emplace_back(openAgain(*input)).get());
    for (std::size_t i = 0; i < task.outputs; ++i) start.files.push_back(outputs.emplace_back(namelessFile(_folder)).get());

    auto end = HelperProcess(start).wait(task.limits, stop);
    requireGoodEnd(task.program, end, task.limits);
    HelperResult result;
    result.report = std::move(end.report);
    result.took = end.took;
    result.peakMemoryBytes = static_cast<std::uint64_t>(end.usage.ru_maxrss) << 10;
    for (auto& output : outputs) result.outputs.push_back(bodyOf(std::move(output)));
    return result;
}

} // namespace portico::host::platform
