#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace portico::host::plugins
{

/// Remembers on disk which version of each plugin served last, so that it shows when an older one is put back: a signature says who made a
/// plugin, and not that it is the newest. Used by the lifecycle thread.
///
/// Not synced, and not missed: without it nothing is said once.
class ServedVersions
{
public:
    /// @throws std::system_error
    explicit ServedVersions(const std::filesystem::path& stateDirectory);

    /// This version serves now. Returns what is to be said if that is a lower one than before, else nothing.
    std::string note(const std::string& serviceId, const std::string& version);

private:
    std::filesystem::path _folder;
    std::map<std::string, std::string, std::less<>> _versions;
};

} // namespace portico::host::plugins
