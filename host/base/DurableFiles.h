#pragma once

#include <filesystem>
#include <string_view>

#include <sys/types.h>

namespace portico::host
{

/// Writes of these functions are on disk when they return, and survive a crash of the machine. Failures are a std::system_error that names
/// the path.

/// Replaces a whole file, or makes it: a reader sees the old content or the new, never a part. The new content is first written to
/// `<file>.new`, a name that is reserved for this.
void replaceFile(const std::filesystem::path& file, std::string_view content, mode_t mode = 0600);
/// Makes names in a folder durable.
void syncDirectory(const std::filesystem::path& directory);
/// Makes a folder and its parents; existing ones are not changed.
void makeDirectories(const std::filesystem::path& directory);
/// Renames within one file system.
void renameDurably(const std::filesystem::path& from, const std::filesystem::path& to);
/// Gives an unlinked file a name, without replacing a file. Returns false if that is not possible: on another file system, or for a file
/// that had a name before. The name is durable after `syncDirectory`.
bool linkUnlinked(int descriptor, const std::filesystem::path& path);

} // namespace portico::host
