#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::backup
{

inline constexpr std::string_view manifestName = "manifest.json";
/// Lines in the format of `sha256sum -c`.
inline constexpr std::string_view fileListName = "files.sha256";
/// Format of this version's backups; a higher one is rejected.
inline constexpr std::int64_t formatNumber = 1;

/// One database in a backup.
struct DatabaseEntry
{
    std::string name;
    /// Highest applied number of each set.
    std::map<std::string, std::int64_t> migrations;
};

/// Contents of `manifest.json`, which is written last: if it exists, the backup is complete.
struct Manifest
{
    std::int64_t format = formatNumber;
    /// Version of Portico that made the backup.
    std::string version;
    /// RFC 3339, when the databases were looked at.
    std::string createdAt;
    /// `sqlite` or `postgresql`.
    std::string engine;
    std::string stateDirectory;
    /// Where the SQLite files were, if not in `data` of the state directory; or the URL of the PostgreSQL database, without a password.
    std::string databasePlace;
    std::vector<DatabaseEntry> databases;
    /// Version of each service that was installed.
    std::map<std::string, std::string> services;
    std::uint64_t fileCount = 0;
    std::uint64_t bytes = 0;
    /// SHA-256 of the list of files.
    std::string listSha256;
};

std::string toJson(const Manifest& manifest);
/// @throws Refused `not_a_backup`, `newer_format`
Manifest readManifest(const std::filesystem::path& backup);

/// The number of `1.2.3` compared; negative if `left` is the older one. What follows the three numbers does not count.
int compareVersions(std::string_view left, std::string_view right) noexcept;

/// A path that names something below the folder that it is put to, whatever links there are.
bool staysInside(const std::filesystem::path& path);

/// One line of the list of files.
struct ListedFile
{
    std::string sha256;
    /// Relative to the backup.
    std::filesystem::path path;
};

/// @throws Refused `damaged` for a malformed line, or a path that leaves the backup
void forEachListed(const std::filesystem::path& list, const std::function<void(const ListedFile&)>& visit);

/// Reads every file of a backup and compares it with the list, looks for missing and additional files, and has SQLite check each database:
/// pages, indexes and foreign keys. `progress` gets the bytes that were read.
/// @throws Refused `not_a_backup`, `newer_format`, `newer_version` for a backup of a later version than `ownVersion`, `damaged` with fault
/// and place
Manifest verifyBackup(const std::filesystem::path& backup, std::string_view ownVersion, const std::function<void(std::uint64_t)>& progress);

} // namespace portico::host::backup
