#include "host/backup/BackupVerifier.h"

#include "host/backup/DatabaseSnapshot.h"
#include "host/backup/Files.h"

#include <algorithm>
#include <vector>

namespace portico::host::backup
{

namespace
{

[[noreturn]] void damaged(const std::filesystem::path& file, const std::string& what)
{
    throw Refused("damaged", file.string() + " " + what + " The backup is damaged: take another.");
}

void requireSame(const std::filesystem::path& file, const std::string& expected, Throttle& throttle)
{
    const auto sum = sumOf(file, throttle);
    if (!sum) damaged(file, "is missing.");
    if (sum->sha256 != expected) damaged(file, "has changed: expected SHA-256 " + expected + ", found " + sum->sha256 + ".");
}

/// What a link leads to is not in the backup: it may be another file tomorrow, and one of somebody else.
void requireFilesOnly(const std::filesystem::path& backup)
try
{
    for (const auto& entry : std::filesystem::recursive_directory_iterator(backup))
        if (const auto type = entry.symlink_status().type();
            type != std::filesystem::file_type::regular && type != std::filesystem::file_type::directory)
            damaged(entry.path(), "is neither a file nor a folder.");
}
catch (const std::filesystem::filesystem_error& error)
{
    throwErrno(error.code().value(), "read the folder", error.path1());
}

/// A manifest is not in the list of files: nothing vouches for it.
void requireUnderstood(const Manifest& manifest, const std::filesystem::path& file)
{
    if (manifest.engine != "sqlite" && manifest.engine != "postgresql")
        damaged(file, "expects the database engine '" + manifest.engine + "', which is neither sqlite nor postgresql.");
    if (manifest.engine == "sqlite" && !manifest.databasePlace.empty() && !std::filesystem::path(manifest.databasePlace).is_absolute())
        damaged(file, "names a folder for the databases that is not absolute: '" + manifest.databasePlace + "'.");
}

} // namespace

Manifest verifyBackup(const std::filesystem::path& backup, std::string_view ownVersion, const std::function<void(std::uint64_t)>& progress)
{
    auto manifest = readManifest(backup);
    if (compareVersions(manifest.version, ownVersion) > 0)
        throw Refused("newer_version", backup.string() + " was made by Portico " + manifest.version + ", this is " +
                                           std::string(ownVersion) + ". Install that version or a later one.");
    requireUnderstood(manifest, backup / manifestName);
    requireFilesOnly(backup);
    Throttle throttle(0, progress);
    requireSame(backup / fileListName, manifest.listSha256, throttle);
    std::vector<std::string> listed;
    forEachListed(backup / fileListName,
                  [&](const ListedFile& file)
                  {
                      requireSame(backup / file.path, file.sha256, throttle);
                      listed.push_back(file.path.string());
                  });
    if (listed.size() != manifest.fileCount)
        damaged(backup / fileListName,
                "names " + std::to_string(listed.size()) + " files, expected " + std::to_string(manifest.fileCount) + ".");
    std::sort(listed.begin(), listed.end());
    forEachFile(backup,
                [&](const std::filesystem::path& file)
                {
                    const auto name = file.string();
                    if (name != manifestName && name != fileListName && !std::binary_search(listed.begin(), listed.end(), name))
                        damaged(backup / file, "does not belong to it.");
                });
    // What PostgreSQL wrote only PostgreSQL can check.
    if (manifest.engine != "sqlite") return manifest;
    for (const auto& database : manifest.databases)
    {
        const auto file = backup / "data" / (database.name + ".db");
        if (const auto faults = faultsOf(file); !faults.empty()) damaged(file, "is not a sound database: " + faults.front() + ".");
    }
    return manifest;
}

} // namespace portico::host::backup
