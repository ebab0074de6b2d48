#pragma once

#include <array>
#include <csignal>
#include <filesystem>
#include <utility>

namespace portico::host::plugins
{

/// While it lives, a signal that ends the process (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT) first leaves a line in a file, which
/// CrashReports reads at the next start, and one on standard error: the plugin that the thread is inside, if any, and its CrashScene. Then
/// the process ends as it would without this: a core is dumped, a sanitizer reports. Signals that somebody sent from outside, as a watchdog
/// does, are nobody's crash.
///
/// One at a time in a process: what a signal handler may look at is global by nature.
class CrashHandler
{
public:
    /// `report` is opened at once, because a process that crashes may not be able to. @throws std::system_error; std::logic_error for a
    /// second one
    explicit CrashHandler(const std::filesystem::path& report);
    CrashHandler(const CrashHandler&) = delete;
    CrashHandler& operator=(const CrashHandler&) = delete;
    ~CrashHandler();

    static constexpr std::array<int, 5> fatalSignals{SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
};

} // namespace portico::host::plugins
