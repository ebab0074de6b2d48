#include "host/backup/StagingFolder.h"

#include "host/backup/Files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace portico::host::backup
{

FileDescriptor lockState(const std::filesystem::path& stateDirectory)
{
    makeFolders(stateDirectory);
    const auto file = stateDirectory / "porticod.lock";
    FileDescriptor lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
    if (!lock) throwErrno(errno, "open", file);
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
    std::array<char, 32> pid{};
    const auto length = ::pread(lock.get(), pid.data(), pid.size() - 1, 0);
    throw Refused("running", "The state directory " + stateDirectory.string() + " is in use by porticod" +
                                 (length > 0 ? " (pid " + std::string(pid.data(), std::strcspn(pid.data(), "\n")) + ")" : "") +
                                 ". Stop it first: systemctl stop portico, or porticoctl stop.");
}

namespace
{

constexpr std::string_view suffix = ".portico-unfinished";

bool isUnfinished(const std::filesystem::path& path)
{
    const auto name = path.filename().string();
    return name.starts_with('.') && name.ends_with(suffix);
}

/// Locked by this process, or empty if another has it.
FileDescriptor lockFolder(const std::filesystem::path& folder)
{
    FileDescriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
    return {};
}

/// Of backups that were killed.
void removeLeftovers(const std::filesystem::path& parent)
{
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(parent, ignored))
        if (isUnfinished(entry.path()) && lockFolder(entry.path())) std::filesystem::remove_all(entry.path(), ignored);
}

/// `2026-11-21T18:40:54.123Z` to `20261121T184054Z`.
std::string compact(const std::string& instant)
{
    std::string text = instant.substr(0, instant.find('.'));
    std::erase_if(text, [](char c) { return c == '-' || c == ':' || c == 'Z'; });
    return text + "Z";
}

/// What is in a folder of an old backup, whose list names each file of it: another one in it makes it one that is damaged.
bool isBackup(const std::filesystem::path& folder)
{
    std::error_code ignored;
    return std::filesystem::exists(folder / "manifest.json", ignored) && std::filesystem::exists(folder / "files.sha256", ignored);
}

} // namespace

StagingFolder::StagingFolder(const std::filesystem::path& place, const std::string& createdAt)
{
    auto wanted = std::filesystem::absolute(place).lexically_normal();
    if (!wanted.has_filename()) wanted = wanted.parent_path();
    if (isBackup(wanted))
        throw Refused("exists",
                      wanted.string() +
                          " is a backup, which another one in it would damage. Name a folder to put backups into, or a name that is "
                          "free.");
    struct stat status = {};
    _final = ::lstat(wanted.c_str(), &status) == 0 && std::filesystem::is_directory(wanted) ? wanted / ("portico-" + compact(createdAt))
                                                                                            : wanted;
    if (::lstat(_final.c_str(), &status) == 0)
        throw Refused("exists", _final.string() + " is there already. Name a folder to put the backup into, or a name that is free.");
    const auto parent = _final.parent_path();
    if (!std::filesystem::is_directory(parent)) throw Refused("no_folder", "There is no folder " + parent.string() + ". Make it first.");
    removeLeftovers(parent);
    _unfinished = parent / ("." + _final.filename().string() + std::string(suffix));
    if (::mkdir(_unfinished.c_str(), S_IRWXU) != 0)
    {
        if (errno == EEXIST) throw Refused("exists", _unfinished.string() + " is being written by another porticoctl backup.");
        throwErrno(errno, "make the folder", _unfinished);
    }
    _lock = lockFolder(_unfinished);
    if (!_lock) throw Refused("exists", _unfinished.string() + " is being written by another porticoctl backup.");
}

StagingFolder::~StagingFolder()
{
    std::error_code ignored;
    if (!_published) std::filesystem::remove_all(_unfinished, ignored);
}

void StagingFolder::publish()
{
    syncFolder(_unfinished);
    // Whoever made the same name meanwhile keeps it.
    struct stat status = {};
    if (::lstat(_final.c_str(), &status) == 0) throw Refused("exists", _final.string() + " was made meanwhile by somebody else.");
    moveDurably(_unfinished, _final);
    _published = true;
}

} // namespace portico::host::backup
