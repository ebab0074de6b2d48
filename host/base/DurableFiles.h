#pragma once

#include <filesystem>
#include <string_view>

#include <sys/types.h>

namespace portico::host
{

/// What a file of the host is on disk when a function here has returned, whatever happens to the machine then. Failures are a
/// std::system_error that names the path.

/// Replaces a whole file, or makes it: who reads it sees the old content or the new, never half of one. Until it counts the new one stands
/// beside it as `<file>.new`, which is nobody else's.
void replaceFile(const std::filesystem::path& file, std::string_view content, mode_t mode = 0600);
/// Makes names in a folder durable.
void syncDirectory(const std::filesystem::path& directory);
/// Makes a folder and those above it; nothing happens to what is there.
void makeDirectories(const std::filesystem::path& directory);
/// Renames within one file system.
void renameDurably(const std::filesystem::path& from, const std::filesystem::path& to);
/// Gives an unlinked file a name, which replaces nothing. False where that is not possible: another file system, or a file that had a name
/// once. The name is durable after `syncDirectory`.
bool linkUnlinked(int descriptor, const std::filesystem::path& path);

} // namespace portico::host
