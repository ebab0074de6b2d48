#pragma once

#include <filesystem>
#include <string>

namespace portico::host::plugins
{

/// SHA-256 as 64 lower-case hexadecimal digits. @throws std::system_error when the file cannot be read.
std::string sha256OfFile(const std::filesystem::path& file);
/// Copies a file and hashes what is written, as it is written: the file that is copied may change meanwhile.
/// @throws std::system_error that names the file which cannot be read or written.
std::string copyHashed(const std::filesystem::path& from, const std::filesystem::path& to);
/// Of a folder: the hash of the lines that `sha256sum *` prints in it, names in the order of their bytes.
/// @throws std::system_error when a file cannot be read.
std::string sha256OfFolder(const std::filesystem::path& folder);

} // namespace portico::host::plugins
