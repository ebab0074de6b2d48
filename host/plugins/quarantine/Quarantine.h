#pragma once

#include "portico/Instant.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::plugins
{

/// A process that ended by a signal that it caused itself.
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

/// Reads the CrashHandler's file of earlier runs and decides on quarantine. A service is quarantined after three crashes with one plugin
/// file within ten minutes of serving. Quarantine ends when another file is installed or an operator releases it. StartMarkers handle
/// crashes during a start. Used by the lifecycle thread, except `file`.
class CrashReports
{
public:
    /// Reads the existing reports and skips malformed lines. Makes the folder. @throws std::system_error
    explicit CrashReports(const std::filesystem::path& stateDirectory);

    /// Where the CrashHandler writes.
    static std::filesystem::path file(const std::filesystem::path& stateDirectory);
    const std::vector<Crash>& all() const noexcept { return _crashes; }
    /// Why the file is quarantined, or empty.
    std::string whyQuarantined(std::string_view serviceId, std::string_view sha256) const;
    /// An operator wants it tried again: what happened until now does not count any more, also for later runs.
    void release(const std::string& serviceId, Instant now);

private:
    std::filesystem::path released(const std::string& serviceId) const { return _folder / (serviceId + ".released"); }
    void dropReleased(const std::string& serviceId);

    std::filesystem::path _folder;
    std::vector<Crash> _crashes;
};

/// Remembers on disk which plugin is being loaded and started, so that the next run of the host knows whose start ended the last one. Twice
/// with the same file, and it is quarantined: else one bad plugin would keep the whole daemon from ever starting. Used by the lifecycle
/// thread.
///
/// Not synced: a crash of the daemon does not lose what it has written, and no plugin crashes the machine.
class StartMarkers
{
public:
    /// Counts what an earlier run left. @throws std::system_error
    explicit StartMarkers(const std::filesystem::path& stateDirectory);

    /// Two runs in a row ended while this file was being started.
    bool isQuarantined(const std::string& serviceId, const std::string& sha256) const;
    /// The start begins.
    void begin(const std::string& serviceId, const std::string& sha256) const;
    /// The start is over and the host still lives; `served`: it went well, and what was counted is forgotten.
    void end(const std::string& serviceId, bool served) const;
    /// An operator wants it tried again.
    void release(const std::string& serviceId) const;

private:
    std::filesystem::path marker(const std::string& serviceId) const { return _folder / (serviceId + ".starting"); }
    std::filesystem::path crashes(const std::string& serviceId) const { return _folder / (serviceId + ".crashes"); }

    std::filesystem::path _folder;
};

} // namespace portico::host::plugins
