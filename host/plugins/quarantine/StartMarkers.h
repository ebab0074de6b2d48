#pragma once

#include <filesystem>
#include <string>

namespace portico::host::plugins
{

/// Remembers on disk which plugin is being loaded and started, so that the next run of the host knows whose start ended the last one. Twice
/// with the same file, and it is held back: else one bad plugin would keep the whole daemon from ever starting. Used by the lifecycle
/// thread.
///
/// Not synced: a crash of the daemon does not lose what it has written, and no plugin crashes the machine.
class StartMarkers
{
public:
    /// Counts what an earlier run left. @throws std::system_error
    explicit StartMarkers(const std::filesystem::path& stateDirectory);

    /// Two runs in a row ended while this file was being started.
    bool isHeldBack(const std::string& serviceId, const std::string& sha256) const;
    /// The start begins.
    void begin(const std::string& serviceId, const std::string& sha256) const;
    /// The start is over and the host still lives; `served`: it went well, and what was counted is forgotten.
    void end(const std::string& serviceId, bool served) const;
    /// An operator wants it tried again.
    void forgive(const std::string& serviceId) const;

private:
    std::filesystem::path marker(const std::string& serviceId) const { return _folder / (serviceId + ".starting"); }
    std::filesystem::path crashes(const std::string& serviceId) const { return _folder / (serviceId + ".crashes"); }

    std::filesystem::path _folder;
};

} // namespace portico::host::plugins
