#include "host/backup/Manifest.h"

#include "host/backup/DatabaseSnapshot.h"
#include "host/backup/Files.h"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>

namespace portico::host::backup
{

namespace json = boost::json;

namespace
{

constexpr std::size_t hashDigits = 64;

std::array<int, 3> numbersOf(std::string_view version) noexcept
{
    std::array<int, 3> numbers{};
    const char* at = version.data();
    const char* const end = at + version.size();
    for (auto& number : numbers)
    {
        const auto [next, error] = std::from_chars(at, end, number);
        if (error != std::errc{} || next == end || *next != '.') break;
        at = next + 1;
    }
    return numbers;
}

/// The members of the file in their order, but for `format` and `databases`.
template <class M, class Visit>
void forEachMember(M& manifest, const Visit& visit)
{
    visit("version", manifest.version);
    visit("createdAt", manifest.createdAt);
    visit("engine", manifest.engine);
    visit("stateDirectory", manifest.stateDirectory);
    visit("databasePlace", manifest.databasePlace);
    visit("services", manifest.services);
    visit("files", manifest.fileCount);
    visit("bytes", manifest.bytes);
    visit("filesSha256", manifest.listSha256);
}

Manifest fromJson(const json::object& object)
{
    Manifest manifest;
    manifest.format = json::value_to<std::int64_t>(object.at("format"));
    // Other members of a newer format are unknown.
    if (manifest.format > formatNumber) return manifest;
    forEachMember(manifest, [&](const char* name, auto& value) { value = json::value_to<std::decay_t<decltype(value)>>(object.at(name)); });
    for (const auto& item : object.at("databases").as_array())
        manifest.databases.push_back(
            {json::value_to<std::string>(item.at("name")), json::value_to<std::map<std::string, std::int64_t>>(item.at("migrations"))});
    return manifest;
}

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

/// Rejects links: their targets are not in the backup, may change, and may belong to another user.
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

bool staysInside(const std::filesystem::path& path)
{
    return !path.empty() && path.is_relative() &&
           std::none_of(path.begin(), path.end(), [](const auto& part) { return part == ".." || part == "." || part.empty(); });
}

std::string toJson(const Manifest& manifest)
{
    json::object object{{"format", manifest.format}};
    forEachMember(manifest, [&](const char* name, const auto& value) { object[name] = json::value_from(value); });
    auto& databases = object["databases"].emplace_array();
    for (const auto& database : manifest.databases)
        databases.push_back({{"name", database.name}, {"migrations", json::value_from(database.migrations)}});
    return json::serialize(object) + "\n";
}

Manifest readManifest(const std::filesystem::path& backup)
{
    const auto file = backup / manifestName;
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error))
        throw Refused("not_a_backup", backup.string() + " is not a complete backup: it has no " + std::string(manifestName) +
                                          ", which is written last. Name a folder that porticoctl backup has finished.");
    Manifest manifest;
    try
    {
        manifest = fromJson(json::parse(readFile(file)).as_object());
    }
    catch (const Refused&)
    {
        throw;
    }
    catch (const std::exception& fault)
    {
        throw Refused("damaged", file.string() + " is damaged: " + fault.what() + ". Take another backup.");
    }
    if (manifest.format > formatNumber)
        throw Refused("newer_format", backup.string() + " has the format " + std::to_string(manifest.format) + ", this version knows " +
                                          std::to_string(formatNumber) + ". Install the version of Portico that made it, or a later one.");
    return manifest;
}

int compareVersions(std::string_view left, std::string_view right) noexcept
{
    const auto a = numbersOf(left);
    const auto b = numbersOf(right);
    return a < b ? -1 : a > b ? 1 : 0;
}

void forEachListed(const std::filesystem::path& list, const std::function<void(const ListedFile&)>& visit)
{
    std::ifstream in(list, std::ios::binary);
    std::string line;
    while (std::getline(in, line))
    {
        ListedFile file;
        if (line.size() > hashDigits + 2 && line.compare(hashDigits, 2, "  ") == 0)
        {
            file.sha256 = line.substr(0, hashDigits);
            file.path = line.substr(hashDigits + 2);
        }
        if (!staysInside(file.path))
            throw Refused("damaged", list.string() + " is damaged: '" + line + "' is not a valid line of it. Use another backup.");
        visit(file);
    }
    if (!in.is_open() || in.bad()) throw Refused("io_failed", "Cannot read " + list.string() + ".");
}

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
    // Only PostgreSQL can check its own dumps.
    if (manifest.engine != "sqlite") return manifest;
    for (const auto& database : manifest.databases)
    {
        const auto file = backup / "data" / (database.name + ".db");
        if (const auto faults = faultsOf(file); !faults.empty()) damaged(file, "is not a sound database: " + faults.front() + ".");
    }
    return manifest;
}

} // namespace portico::host::backup
