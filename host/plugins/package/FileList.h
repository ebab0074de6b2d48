#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::plugins
{

/// SHA-256 as 64 lower-case hexadecimal digits. @throws std::system_error when the file cannot be read.
std::string sha256OfFile(const std::filesystem::path& file);
/// Copies a file and hashes the copy, since the source may change during the copy.
/// @throws std::system_error that names the file which cannot be read or written.
std::string copyHashed(const std::filesystem::path& from, const std::filesystem::path& to);
/// The same where a copy may be there already: one that is the same, byte by byte, is not written again.
/// @throws std::system_error that names the file which cannot be read or written.
std::string copyChanged(const std::filesystem::path& from, const std::filesystem::path& to);
/// Hash of a folder: that of the lines that `sha256sum *` prints in it, names in the order of their bytes.
/// @throws std::system_error when a file cannot be read.
std::string sha256OfFolder(const std::filesystem::path& folder);

/// The name under which a plugin folder keeps the list of its files, and that of the signature of the list.
inline constexpr std::string_view sumsName = "SHA256SUMS";
inline constexpr std::string_view signatureName = "SHA256SUMS.sig";

/// The files of a folder with their hashes. As text it is what `sha256sum` prints and `sha256sum -c` reads: `<64 digits>  <path>`, a file a
/// line, in the order of the paths' bytes. A value.
struct FileList
{
    /// SHA-256 in lower-case hexadecimal by path, relative to the folder, with `/` between its parts.
    std::map<std::string, std::string, std::less<>> files;

    /// Reads a list strictly: one that has more than one reading would be signed for one and checked for the other.
    /// @throws std::runtime_error with line, expected and found
    static FileList parse(std::string_view text);
    /// Hashes what is in a folder, without the list and its signature. @throws std::runtime_error that names the file
    static FileList of(const std::filesystem::path& folder);

    std::string text() const;
    /// Differences of a folder from this list; the texts name `folder`. Empty if there are none.
    std::vector<std::string> differences(const FileList& found, const std::filesystem::path& folder) const;
};

/// Paths of all files below a folder, in the order of their bytes. @throws std::runtime_error for what is neither a file nor a folder (a
/// symbolic link may lead elsewhere tomorrow), for names that a list cannot hold, and for more than a plugin can have
std::vector<std::string> filesBelow(const std::filesystem::path& folder);

} // namespace portico::host::plugins
