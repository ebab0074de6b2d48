#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include <sys/types.h>

namespace portico::host
{

/// A file from its beginning to its end; nothing, with the reason in errno, where it cannot be read.
std::optional<std::string> contentOf(const std::filesystem::path& file);
/// Its first line, which may end as on Windows; nothing where it cannot be read or is empty.
std::optional<std::string> firstLineOf(const std::filesystem::path& file);
/// Looks up the user database; nullopt for an unknown user.
std::optional<std::string> nameOfUser(uid_t user);

} // namespace portico::host
