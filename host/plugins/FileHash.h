#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace portico::host::plugins
{

/// SHA-256 as 64 lower-case hexadecimal digits.
std::string sha256OfText(std::string_view text);
/// @throws std::system_error when the file cannot be read.
std::string sha256OfFile(const std::filesystem::path& file);
/// Of a folder: the hash of the lines that `sha256sum *` prints in it, names in the order of their bytes.
/// @throws std::system_error when a file cannot be read.
std::string sha256OfFolder(const std::filesystem::path& folder);

} // namespace portico::host::plugins
