#pragma once

#include "host/backup/Manifest.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::backup
{

/// In the state directory between the first and the last rename of a restore. The daemon does not start while it is there.
inline constexpr std::string_view pendingName = "restore.pending";

/// The load of a PostgreSQL dump.
struct Load
{
    /// The names that existing schemas get.
    std::vector<std::string> asideSchemas;
    /// Loads the dump in one transaction.
    std::function<void(const std::filesystem::path& dump)> run;
};

struct RestorePlan
{
    std::filesystem::path backup;
    std::filesystem::path stateDirectory;
    /// Where SQLite files go; empty: `data` in the state directory.
    std::filesystem::path databaseDirectory;
    /// Existing data is moved aside.
    bool force = false;
    /// Prepares the load of a PostgreSQL dump, which is run when all files are ready and before they are moved. Not called for a restore
    /// that continues: its dump is loaded.
    std::function<Load()> prepareLoad;
};

struct Restored
{
    Manifest manifest;
    /// Where what was there before is now; empty: there was nothing.
    std::filesystem::path aside;
    /// The names that the previous schemas of PostgreSQL have now.
    std::vector<std::string> asideSchemas;
    /// This call only ended a restore that had been cut off.
    bool continued = false;
};

/// Replaces the state by a verified backup. Everything is copied beside the state and is on disk before the first rename. A restore that is
/// interrupted before that changes nothing; a later interruption is completed by the next call.
/// The daemon must not run. Files belong to the owner of the state directory alone. @throws Refused `running`, `not_empty`, and as the disk
/// fails
Restored restoreBackup(const RestorePlan& plan, const std::function<void(std::uint64_t)>& progress);

} // namespace portico::host::backup
