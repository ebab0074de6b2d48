#pragma once

#include "portico/Export.h"
#include "portico/Response.h"

#include <chrono>
#include <cstdint>
#include <exception>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace portico
{

/// Limits of one run of a helper. The host ends a helper that exceeds one of them.
struct HelperLimits
{
    /// Address space of the process, in bytes.
    std::uint64_t memoryBytes = std::uint64_t{256} << 20;
    /// Time of the processor, in whole seconds.
    std::chrono::seconds processorTime{10};
    /// Time from the start of the process to its end.
    std::chrono::milliseconds time{20'000};
    /// Bytes of each output.
    std::uint64_t outputBytes = std::uint64_t{32} << 20;
};

/// One piece of work for a helper.
struct HelperTask
{
    /// Program of the package, as `plugin.helpers` of the manifest names it.
    std::string program;
    /// Arguments after the program's name.
    std::vector<std::string> arguments = {};
    /// Files that the program can read, as descriptors 3, 4, 5, … in this order. They live as long as the call; the program has a
    /// separate position in each.
    std::vector<const FileBody*> inputs = {};
    /// Number of files that the program can write. Their descriptors follow those of the inputs. At most 16.
    std::size_t outputs = 1;
    HelperLimits limits = {};
};

/// The result of a piece of work.
struct HelperResult
{
    /// Files without a name, in the order of their descriptors. They are gone when they are closed.
    std::vector<FileBody> outputs;
    /// Standard output of the program, at most 64 KiB.
    std::string report;
    /// Time from the start of the process to its end.
    std::chrono::milliseconds took{0};
    /// Largest resident memory of the process, in bytes.
    std::uint64_t peakMemoryBytes = 0;
};

/// Says why a helper did not do its work. It concerns this piece of work only.
class PORTICO_API HelperFault final : public std::exception
{
public:
    enum class Cause : std::uint8_t
    {
        /// The program ended with an exit code other than 0 and 12. `report` is what it wrote.
        Failed,
        /// A fault of the program, such as a read outside of its memory.
        Crashed,
        /// More time than `HelperLimits` allows, of the processor or from start to end.
        TimedOut,
        /// More memory than `HelperLimits` allows, or exit code 12.
        OutOfMemory,
        /// An output or the report is too large.
        OutputTooLarge,
        /// A system call that helpers may not make, such as those that open a file or a socket.
        Forbidden,
        /// The caller's stop token was triggered, or the host stops.
        Stopped,
        /// The program could not be started.
        NotStarted
    };
    /// @param why for the log, in words; never a secret
    HelperFault(Cause cause, std::string_view why, int exitCode = 0, std::string_view report = {});
    HelperFault(const HelperFault&);
    ~HelperFault() override;

    const char* what() const noexcept override { return _why.c_str(); }
    Cause cause() const noexcept { return _cause; }
    /// The exit code, where the cause is `Failed`.
    int exitCode() const noexcept { return _exitCode; }
    /// Standard output of the program, as far as it was written.
    const std::string& report() const noexcept { return _report; }

private:
    Cause _cause;
    int _exitCode;
    std::string _why;
    std::string _report;
};

/// `crashed`, `timed_out`: for logs and metrics.
PORTICO_API std::string_view name(HelperFault::Cause cause) noexcept;

/// Runs programs that the package brings, each in a separate process for one piece of work. Use it for work on bytes of strangers that a
/// library for a complicated format does: a fault of that library then costs this piece of work and not the host.
///
/// The process has the descriptors of `HelperTask`, an empty environment, no network and no other files. It can start neither processes
/// nor threads. Programs are linked statically; docs/plugin-guide.md says how to build one. Thread-safe.
class PORTICO_API Helpers
{
public:
    virtual ~Helpers();
    /// Runs a program and waits for its end. The call first waits while as many helpers run as the host allows (`helpers.processes`).
    /// @param stop ends the call and the process
    /// @throws HelperFault; std::logic_error for a program that the manifest does not name
    virtual HelperResult run(const HelperTask& task, const std::stop_token& stop) = 0;
    HelperResult run(const HelperTask& task) { return run(task, std::stop_token()); }
};

} // namespace portico
