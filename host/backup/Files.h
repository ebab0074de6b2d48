#pragma once

#include "host/control/Refused.h"

#include <chrono>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace portico::host::backup
{

/// A user of the system with his groups. A value.
struct User
{
    uid_t id = 0;
    gid_t group = 0;
    std::vector<gid_t> groups;

    /// `groups` are those of the user database; only `group` for an unknown user.
    static User of(uid_t id, gid_t group);
};

/// While it lives, root opens, makes, renames and removes files with another user's rights only. The daemon's user may place links or swap
/// folders, which must not lead root to files of other users. Does nothing if the process does not run as root, if the user is root, or
/// without a user. Changes the whole process: for programs with one thread that touches files. Open descriptors stay usable.
class ScopedUser
{
public:
    /// @throws Refused
    explicit ScopedUser(const std::optional<User>& user);
    ~ScopedUser();
    ScopedUser(const ScopedUser&) = delete;
    ScopedUser& operator=(const ScopedUser&) = delete;

private:
    void becomeRoot() const noexcept;

    bool _acting = false;
    gid_t _group = 0;
    std::vector<gid_t> _groups;
};

/// A backup that cannot be made, is not whole, or cannot be put back.
using control::Refused;

/// @throws Refused `io_failed` (`disk_full` where there is no room) that names what was tried, the path and `error`, an errno
[[noreturn]] void throwErrno(int error, const std::string& what, const std::filesystem::path& path);

/// Limits the effect of a long copy on other processes. It starts writing to disk immediately, instead of leaving gigabytes to another
/// process's fsync, keeps to a rate, and calls the caller regularly. Used by one thread.
class Throttle
{
public:
    /// Called about once a second, with the bytes copied so far. An exception ends the copy.
    using Tick = std::function<void(std::uint64_t doneBytes)>;

    /// @param bytesPerSecond at most; 0: any
    Throttle(std::uint64_t bytesPerSecond, Tick tick);

    /// Records bytes that were written to `descriptor` (-1: only read, or written by another process). May wait.
    void passed(std::uint64_t bytes, int descriptor);
    std::uint64_t doneBytes() const noexcept { return _done; }

private:
    using Clock = std::chrono::steady_clock;

    const std::uint64_t _bytesPerSecond;
    const Tick _tick;
    const Clock::time_point _begun = Clock::now();
    Clock::time_point _lastTick = _begun;
    std::uint64_t _done = 0;
    /// Bytes whose writing to disk was not started yet.
    std::uint64_t _unsaid = 0;
};

/// Gives this process and its children the lowest priority for processor and disk.
void yieldToOthers() noexcept;

/// Size and hash of a file that was read to its end.
struct FileSum
{
    std::uint64_t bytes = 0;
    std::string sha256;
};

/// Rights with which root opens and creates files; its own, if unset.
struct Rights
{
    std::optional<User> reader;
    std::optional<User> writer;
};

/// Copies the content into a new file with mode 0600; nothing if there is no such source. @throws Refused
std::optional<FileSum> copyFile(const std::filesystem::path& from, const std::filesystem::path& to, Throttle& throttle,
                                const Rights& rights = {});
/// Reads a file to its end; nullopt if it does not exist. @throws Refused
std::optional<FileSum> sumOf(const std::filesystem::path& file, Throttle& throttle);
/// A small file with mode 0600, on disk when this returns; replaces none. @throws Refused
void writeFile(const std::filesystem::path& file, std::string_view content);
enum class Owner
{
    Anybody,
    /// The user that this process runs as: in another user's folder, files of others are not trusted.
    Self
};
/// @throws Refused, `foreign` for the file of another owner
std::string readFile(const std::filesystem::path& file, const std::optional<User>& reader = {}, Owner owner = Owner::Anybody);

/// A moment in UTC, as strftime puts it.
std::string utcText(std::time_t moment, const char* form);

/// Makes the folder and those above it, with mode 0700. @throws Refused
void makeFolders(const std::filesystem::path& folder);
/// Renames within a file system, and has both folders on disk. @throws Refused
void moveDurably(const std::filesystem::path& from, const std::filesystem::path& to);
/// Has the names in a folder on disk. @throws Refused
void syncFolder(const std::filesystem::path& folder);
/// Has everything that was written to the file system of `path` on disk. @throws Refused
void syncFileSystem(const std::filesystem::path& path);
/// Visits every regular file below the folder by its relative path, folders before files that follow them by name; none if there
/// is no folder. Visits files that vanish after they were listed. @throws Refused, also for entries that are neither file nor
/// folder
void forEachFile(const std::filesystem::path& folder, const std::function<void(const std::filesystem::path& relative)>& visit,
                 const std::optional<User>& reader = {});

} // namespace portico::host::backup
