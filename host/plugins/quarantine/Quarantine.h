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
    /// An operator requests a retry: earlier crashes are not counted any more, also for later runs.
    void release(const std::string& serviceId, Instant now);

private:
    std::filesystem::path released(const std::string& serviceId) const { return _folder / (serviceId + ".released"); }
    void dropReleased(const std::string& serviceId);

    std::filesystem::path _folder;
    std::vector<Crash> _crashes;
};

/// Records on disk which plugin is being loaded and started, so that the next run of the host knows which start ended the last one. After
/// two crashes with the same file it is quarantined; otherwise one bad plugin would prevent every start of the daemon. Used by the
/// lifecycle thread.
///
/// Not synced: written data survives a crash of the daemon, and no plugin crashes the machine.
class StartMarkers
{
public:
    /// Counts the markers of an earlier run. @throws std::system_error
    explicit StartMarkers(const std::filesystem::path& stateDirectory);

    /// Two runs in a row ended while this file was being started.
    bool isQuarantined(const std::string& serviceId, const std::string& sha256) const;
    /// The start begins.
    void begin(const std::string& serviceId, const std::string& sha256) const;
    /// The start has ended and the host still runs. `served`: it succeeded, and earlier crashes are not counted any more.
    void end(const std::string& serviceId, bool served) const;
    /// An operator wants it tried again.
    void release(const std::string& serviceId) const;

private:
    std::filesystem::path marker(const std::string& serviceId) const { return _folder / (serviceId + ".starting"); }
    std::filesystem::path crashes(const std::string& serviceId) const { return _folder / (serviceId + ".crashes"); }

    std::filesystem::path _folder;
};

} // namespace portico::host::plugins
