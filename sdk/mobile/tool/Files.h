#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace portico::mobiletool
{

/// Returns the content of a file. Empty: there is no such file. @throws std::runtime_error if it cannot be read
std::optional<std::string> readFile(const std::filesystem::path& path);

/// Replaces a file at once, readable by its owner only. Survives a loss of power. @throws std::runtime_error
void writeFile(const std::filesystem::path& path, std::string_view content);

/// Makes a folder that only its owner may enter. @throws std::runtime_error
void makeFolder(const std::filesystem::path& path);

/// Holds the lock of a file, also against other processes, from construction to destruction.
class FileLock
{
public:
    /// Waits for the lock. @throws std::runtime_error
    explicit FileLock(const std::filesystem::path& path);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

private:
    int _descriptor;
};

} // namespace portico::mobiletool
