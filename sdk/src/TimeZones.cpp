#include "portico/TimeZones.h"

#include "portico/Problem.h"

#include <cctz/time_zone.h>

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>
#include <mutex>

#include <sys/stat.h>

namespace portico
{

namespace
{

/// Differs when a file was written or replaced; 0 if there is none.
std::uint64_t stampOf(const std::string& path)
{
    struct stat file = {};
    if (::stat(path.c_str(), &file) != 0) return 0;
    std::uint64_t stamp = 1;
    for (const auto part : {file.st_mtim.tv_sec, file.st_mtim.tv_nsec, static_cast<long>(file.st_ino), static_cast<long>(file.st_size)})
        stamp = (stamp ^ static_cast<std::uint64_t>(part)) * 0x9e3779b97f4a7c15U;
    return stamp;
}

bool isNameLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isNameCharacter(char c) { return isNameLetter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '+'; }

/// True for parts of letters, digits and `_-+`, each beginning with a letter, with `/` between them.
bool isWellFormed(std::string_view name)
{
    char before = '/';
    for (const char c : name)
    {
        if (c == '/' ? before == '/' : before == '/' ? !isNameLetter(c) : !isNameCharacter(c)) return false;
        before = c;
    }
    return before != '/' && name.size() <= 64;
}

/// Returns true for files of the folder that are not zones: the system's own zone, and copies with or without leap seconds.
bool isNoZone(std::string_view name)
{
    static constexpr std::array names = {"localtime", "posixrules", "Factory"};
    return std::find(names.begin(), names.end(), name) != names.end() || name.starts_with("posix/") || name.starts_with("right/");
}

bool isZoneFile(const std::string& path)
{
    std::array<char, 4> magic{};
    std::ifstream file(path, std::ios::binary);
    return file.read(magic.data(), magic.size()) && std::string_view(magic.data(), magic.size()) == "TZif";
}

/// cctz reads a path once and keeps what it read for ever, so a file that has changed needs another path: its stamp is written in `/` and
/// `/.`, which lead nowhere else.
std::string pathFor(const std::string& folder, std::string_view name, std::uint64_t stamp)
{
    std::string path = "file:" + folder;
    for (; stamp != 0; stamp >>= 1) path += (stamp & 1) != 0 ? "/." : "/";
    return path.append("/").append(name);
}

/// The first line of tzdata.zi is `# version 2025b`.
std::string readVersion(const std::string& path)
{
    static constexpr std::string_view label = "# version ";
    std::string line;
    std::ifstream file(path);
    std::getline(file, line);
    return line.starts_with(label) ? line.substr(label.size()) : std::string();
}

} // namespace

TimeZones::TimeZones(std::string folder) : _folder(std::move(folder)) { reloadIfChanged(); }

std::optional<TimeZone> TimeZones::find(std::string_view name) const
{
    {
        const std::shared_lock lock(_mutex);
        if (const auto known = _found.find(name); known != _found.end()) return known->second;
    }
    // Unknown names are not cached, neither here nor by cctz: a caller can ask for any name.
    if (!isWellFormed(name) || isNoZone(name)) return std::nullopt;
    const auto path = _folder + "/" + std::string(name);
    const std::unique_lock lock(_mutex);
    cctz::time_zone zone;
    if (!isZoneFile(path) || !cctz::load_time_zone(pathFor(_folder, name, stampOf(path)), &zone)) return std::nullopt;
    return _found.emplace(name, TimeZone(std::string(name), std::bit_cast<const void*>(zone))).first->second;
}

TimeZone TimeZones::require(std::string_view name, std::string_view field) const
{
    if (auto zone = find(name)) return *std::move(zone);
    throw Problem::invalid(field, "unknown_time_zone", "Not the name of a time zone, as Europe/Berlin.");
}

std::string TimeZones::version() const
{
    const std::shared_lock lock(_mutex);
    return _version;
}

bool TimeZones::reloadIfChanged()
{
    const auto path = _folder + "/tzdata.zi";
    const auto stamp = stampOf(path);
    const std::unique_lock lock(_mutex);
    if (stamp == _stamp) return false;
    _stamp = stamp;
    _version = readVersion(path);
    _found.clear();
    return true;
}

} // namespace portico
