#pragma once

#include "host/backup/ActingAs.h"
#include "host/backup/Pace.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace portico::host::backup
{

/// What a file was when it was read to its end.
struct FileSum
{
    std::uint64_t bytes = 0;
    std::string sha256;
};

/// With whose rights root opens what it reads and makes what it writes; its own, where there is none.
struct Rights
{
    std::optional<User> reader;
    std::optional<User> writer;
};

/// Copies the content into a new file with mode 0600; nothing if there is no such source. @throws Failure
std::optional<FileSum> copyFile(const std::filesystem::path& from, const std::filesystem::path& to, Pace& pace, const Rights& rights = {});
/// Reads a file to its end; nothing if there is none. @throws Failure
std::optional<FileSum> sumOf(const std::filesystem::path& file, Pace& pace);
/// A small file with mode 0600, on disk when this returns; replaces none. @throws Failure
void writeFile(const std::filesystem::path& file, std::string_view content);
/// @throws Failure
std::string readFile(const std::filesystem::path& file, const std::optional<User>& reader = {});
/// One that the user wrote whom this process runs as: in a folder of somebody else, what others put there is not to be obeyed.
/// @throws Failure, `foreign` for the file of another
std::string readOwnFile(const std::filesystem::path& file);

/// Makes the folder and those above it, with mode 0700. @throws Failure
void makeFolders(const std::filesystem::path& folder);
/// Renames within a file system, and has both folders on disk. @throws Failure
void moveDurably(const std::filesystem::path& from, const std::filesystem::path& to);
/// Has the names in a folder on disk. @throws Failure
void syncFolder(const std::filesystem::path& folder);
/// Has everything that was written to the file system of `path` on disk. @throws Failure
void syncFileSystem(const std::filesystem::path& path);
/// Every regular file below the folder by its path relative to it, folders before what comes after them by name; none if there is no
/// folder. Files that vanish meanwhile may be told of. @throws Failure,
/// also for what is neither a file nor a folder
void forEachFile(const std::filesystem::path& folder, const std::function<void(const std::filesystem::path& relative)>& visit,
                 const std::optional<User>& reader = {});

} // namespace portico::host::backup
