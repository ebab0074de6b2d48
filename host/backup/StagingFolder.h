#pragma once

#include "host/base/FileDescriptor.h"

#include <filesystem>
#include <string>

namespace portico::host::backup
{

/// The state directory, locked as a daemon locks it; made if it is not there. @throws Refused `running` while a daemon has it
FileDescriptor lockState(const std::filesystem::path& stateDirectory);

/// The folder that a backup is written into: under a name that begins with a dot and ends with `.unfinished` until everything is on disk.
/// Goes with all that is in it unless it was published.
class StagingFolder
{
public:
    /// @param place a folder, in which the backup gets a name with the time, or a name that is free. What earlier backups left unfinished
    /// there is removed. @throws Refused
    StagingFolder(const std::filesystem::path& place, const std::string& createdAt);
    ~StagingFolder();
    StagingFolder(const StagingFolder&) = delete;
    StagingFolder& operator=(const StagingFolder&) = delete;

    /// Where to write.
    const std::filesystem::path& folder() const noexcept { return _unfinished; }
    /// Where it will be.
    const std::filesystem::path& final() const noexcept { return _final; }
    /// Gives it its name, once everything in it is on disk but for the names of what was written last. @throws Refused
    void publish();

private:
    std::filesystem::path _final;
    std::filesystem::path _unfinished;
    /// Locked: it is being written.
    FileDescriptor _lock;
    bool _published = false;
};

} // namespace portico::host::backup
