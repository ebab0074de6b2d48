#include "host/backup/BackupVerifier.h"

#include "host/backup/DatabaseSnapshot.h"
#include "host/backup/Failure.h"
#include "host/backup/Files.h"

#include <algorithm>
#include <vector>

namespace portico::host::backup
{

namespace
{

[[noreturn]] void damaged(const std::filesystem::path& file, const std::string& what)
{
    throw Failure("damaged", file.string() + " " + what + " The backup is damaged: take another.");
}

void requireSame(const std::filesystem::path& file, const std::string& expected, Pace& pace)
{
    const auto sum = sumOf(file, pace);
    if (!sum) damaged(file, "is missing.");
    if (sum->sha256 != expected) damaged(file, "has changed: expected SHA-256 " + expected + ", found " + sum->sha256 + ".");
}

} // namespace

Manifest verifyBackup(const std::filesystem::path& backup, std::string_view ownVersion, const std::function<void(std::uint64_t)>& progress)
{
    auto manifest = readManifest(backup);
    if (compareVersions(manifest.version, ownVersion) > 0)
        throw Failure("newer_version", backup.string() + " was made by Portico " + manifest.version + ", this is " +
                                           std::string(ownVersion) + ". Install that version or a later one.");
    Pace pace(0, progress);
    requireSame(backup / fileListName, manifest.listSha256, pace);
    std::vector<std::string> listed;
    forEachListed(backup / fileListName,
                  [&](const ListedFile& file)
                  {
                      requireSame(backup / file.path, file.sha256, pace);
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
        if (const auto faults = faultsOf(file); !faults.empty()) damaged(file, "is no sound database: " + faults.front() + ".");
    }
    return manifest;
}

} // namespace portico::host::backup
