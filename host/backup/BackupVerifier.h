#pragma once

#include "host/backup/Manifest.h"

#include <cstdint>
#include <filesystem>
#include <functional>

namespace portico::host::backup
{

/// Reads every file of a backup and compares it with the list, looks for files that are missing or too many, and has SQLite check each
/// database: pages, indexes and foreign keys. `progress` takes the bytes that were read. @throws Refused `not_a_backup`,
/// `newer_format`, `newer_version` for one that a later version than `ownVersion` made, `damaged` with what was found where
Manifest verifyBackup(const std::filesystem::path& backup, std::string_view ownVersion, const std::function<void(std::uint64_t)>& progress);

} // namespace portico::host::backup
