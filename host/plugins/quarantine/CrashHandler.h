#pragma once

#include "host/plugins/binary/Library.h"
#include "host/plugins/runtime/PluginScope.h"

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace portico::host::plugins
{

/// Address ranges of current and recent generations, for the CrashHandler: a call into unmapped code crashes at an address that belongs to
/// no library. Written by the lifecycle thread, read by signal handlers of any thread; therefore global.
class MappedImages
{
public:
    struct Image
    {
        PluginTag tag;
        AddressRange range;
        /// Milliseconds since 1970, or 0 while it is mapped.
        std::int64_t unmappedAt = 0;
    };
    using Slot = std::size_t;
    static constexpr std::size_t capacity = 64;

    /// The oldest of those that were unmapped is forgotten for it; beyond the capacity nothing is noted.
    static Slot noteMapped(const PluginTag& tag, AddressRange range) noexcept;
    static void noteUnmapped(Slot slot, std::int64_t nowMillis) noexcept;

    /// Returns the image that contains the address: a mapped one before an unmapped one, the latest of these. Null if there is none.
    /// Async-signal-safe.
    static const Image* find(std::uintptr_t address) noexcept;
    /// The image of a generation that is mapped, or null. Async-signal-safe.
    static const Image* of(const PluginTag& tag) noexcept;
    static constexpr std::size_t lately = 4;
    /// Those unmapped last, the last first; null behind them. Async-signal-safe.
    static std::array<const Image*, lately> unmappedLately() noexcept;
};

/// While it lives, a fatal signal (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT) first writes a line to a file, which CrashReports reads at the
/// next start, and one to standard error. The line names the plugin that the thread is inside, if any, and the known facts about the place.
/// Then the process ends as it would without this: it dumps core, or a sanitizer reports. Signals of other processes, such as a watchdog's,
/// are not recorded as crashes.
///
/// One at a time in a process, since the data of a signal handler is global.
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
