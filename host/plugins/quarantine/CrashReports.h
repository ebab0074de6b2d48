#pragma once

#include "portico/Instant.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::plugins
{

/// A process that ended by a signal of its own.
struct Crash
{
    Instant at{};
    /// When that process began: one process is one crash, however many of its threads were in trouble.
    Instant run{};
    /// The plugin that it was inside, or empty.
    std::string serviceId;
    std::string sha256;
    std::uint64_t generation = 0;
    /// While it served, and not on its way in or out.
    bool serving = false;
    int signal = 0;
    /// Where it was, for people.
    std::string details;
};

/// What earlier runs of the host left in the file of the CrashHandler, and the judgement: three crashes of one service with one plugin file
/// within ten minutes while it served, and it is held back, until another file is installed or an operator wants it tried again. Crashes of
/// a start are StartMarkers' business. Used by the lifecycle thread, but for `file`.
class CrashReports
{
public:
    /// Reads what is there; lines that are none are passed over. Makes the folder. @throws std::system_error
    explicit CrashReports(const std::filesystem::path& stateDirectory);

    /// Where the CrashHandler writes.
    static std::filesystem::path file(const std::filesystem::path& stateDirectory);
    const std::vector<Crash>& all() const noexcept { return _crashes; }
    /// Why the file is held back, or empty.
    std::string whyHeldBack(std::string_view serviceId, std::string_view sha256) const;
    /// An operator wants it tried again: what happened until now does not count any more, also for later runs.
    void forgive(const std::string& serviceId, Instant now);

private:
    std::filesystem::path forgiven(const std::string& serviceId) const { return _folder / (serviceId + ".forgiven"); }
    void dropForgiven(const std::string& serviceId);

    std::filesystem::path _folder;
    std::vector<Crash> _crashes;
};

} // namespace portico::host::plugins
