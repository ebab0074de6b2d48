#pragma once

#include "host/plugins/runtime/PluginScope.h"

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <utility>

namespace portico::host::plugins
{

/// A line made without memory from the heap and without functions that a signal handler may not call.
class SignalSafeLine
{
public:
    SignalSafeLine& text(std::string_view text) noexcept;
    /// What is not printable becomes an underscore: a client may have chosen it.
    SignalSafeLine& printable(std::string_view text) noexcept;
    SignalSafeLine& number(std::uint64_t number) noexcept;
    SignalSafeLine& hexadecimal(std::uint64_t number) noexcept;
    /// Ends it, also where there was no room for all of it, and writes it.
    void write(int descriptor) noexcept;

private:
    std::array<char, 1024> _buffer;
    std::size_t _size = 0;
};

/// What is known where a thread crashes. Made and used in a signal handler.
class CrashScene
{
public:
    /// `context` is the handler's third argument; `probe` a pipe, through which memory is looked at that may not be there.
    CrashScene(const siginfo_t& info, const void* context, const std::array<int, 2>& probe) noexcept;

    /// `address 0x10, thread 77 worker-1, at crm.so+0x1f2, route GET …`, for people.
    void describe(SignalSafeLine& line) const noexcept;

private:
    std::uintptr_t placeIn(std::uintptr_t begin, std::uintptr_t end) const noexcept;
    void describeCode(SignalSafeLine& line) const noexcept;

    const siginfo_t& _info;
    const std::array<int, 2>& _probe;
    const PluginTag& _tag;
    /// What the thread was about to do, and its stack; 0 where the machine is an unknown one.
    std::uintptr_t _instruction = 0;
    std::uintptr_t _stack = 0;
};

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
