#pragma once

#include "host/backup/Files.h"
#include "host/backup/Manifest.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace portico::host::backup
{

/// A file or folder of the daemon and its place in the backup.
struct Source
{
    std::filesystem::path from;
    /// Relative to the backup.
    std::filesystem::path to;
    /// Left out if the file does not exist. A missing file that is not optional fails the backup.
    bool optional = false;
};

/// Contents of a backup, as listed by the daemon.
struct Plan
{
    /// Versions, engine, places; what the copy finds out is filled in by it.
    Manifest manifest;
    /// `name` and the SQLite file.
    std::vector<std::pair<std::string, std::filesystem::path>> databases;
    /// Makes the dump of a PostgreSQL database into the named file; empty with SQLite.
    std::function<void(const std::filesystem::path& target)> dump;
    /// Trees of files that never change. Files removed during the backup move from the first to the second folder.
    struct Tree
    {
        std::filesystem::path live;
        std::filesystem::path held;
        std::filesystem::path to;
    };
    std::vector<Tree> trees;
    /// Small files.
    std::vector<Source> files;
    std::uint64_t bytesPerSecond = 0;
    /// The daemon's user. Root reads everything with this user's rights, since the user controls names and links.
    std::optional<User> reader;
};

/// Where a copy is.
struct Progress
{
    /// `database crm`, `files of crm`.
    std::string what;
    std::uint64_t doneBytes = 0;
    std::uint64_t files = 0;
};

struct MadeBackup
{
    std::filesystem::path path;
    Manifest manifest;
};

/// Copies everything into a new folder at `place`. `confirm` is called when all is copied and before the backup gets its name; what it or
/// `progress` throws ends the backup, which leaves nothing. @throws Refused
MadeBackup makeBackup(const Plan& plan, const std::filesystem::path& place, const std::function<void(const Progress&)>& progress,
                      const std::function<void()>& confirm);

} // namespace portico::host::backup
