#include "host/backup/Manifest.h"

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

template <class T>
void read(const json::object& object, const char* member, T& value)
{
    value = json::value_to<T>(object.at(member));
}

Manifest fromJson(const json::object& object)
{
    Manifest manifest;
    read(object, "format", manifest.format);
    // Of a newer format nothing else is understood.
    if (manifest.format > formatNumber) return manifest;
    read(object, "version", manifest.version);
    read(object, "createdAt", manifest.createdAt);
    read(object, "engine", manifest.engine);
    read(object, "stateDirectory", manifest.stateDirectory);
    read(object, "databasePlace", manifest.databasePlace);
    for (const auto& item : object.at("databases").as_array())
    {
        DatabaseEntry entry;
        read(item.as_object(), "name", entry.name);
        read(item.as_object(), "migrations", entry.migrations);
        manifest.databases.push_back(std::move(entry));
    }
    read(object, "services", manifest.services);
    read(object, "files", manifest.fileCount);
    read(object, "bytes", manifest.bytes);
    read(object, "filesSha256", manifest.listSha256);
    return manifest;
}

} // namespace

bool staysInside(const std::filesystem::path& path)
{
    return !path.empty() && path.is_relative() &&
           std::none_of(path.begin(), path.end(), [](const auto& part) { return part == ".." || part == "." || part.empty(); });
}

std::string toJson(const Manifest& manifest)
{
    json::array databases;
    for (const auto& database : manifest.databases)
        databases.push_back({{"name", database.name}, {"migrations", json::value_from(database.migrations)}});
    const json::object object{{"format", manifest.format},
                              {"version", manifest.version},
                              {"createdAt", manifest.createdAt},
                              {"engine", manifest.engine},
                              {"stateDirectory", manifest.stateDirectory},
                              {"databasePlace", manifest.databasePlace},
                              {"databases", std::move(databases)},
                              {"services", json::value_from(manifest.services)},
                              {"files", manifest.fileCount},
                              {"bytes", manifest.bytes},
                              {"filesSha256", manifest.listSha256}};
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
    if (in.bad()) throw Refused("io_failed", "Cannot read " + list.string() + ".");
}

} // namespace portico::host::backup
