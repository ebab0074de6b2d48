#pragma once

#include <filesystem>
#include <span>
#include <utility>

#include <sys/types.h>

namespace portico::host::platform
{

/// An open file that closes itself. Every failure is a std::system_error that names the path.
class FileDescriptor
{
public:
    FileDescriptor() = default;
    FileDescriptor(FileDescriptor&& other) noexcept : _descriptor(std::exchange(other._descriptor, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept;
    ~FileDescriptor() { close(); }

    /// A new file that only its owner can read; fails if the name is taken.
    static FileDescriptor createNew(const std::filesystem::path& path);
    void writeAll(std::span<const char> data, const std::filesystem::path& path) const;
    void sync(const std::filesystem::path& path) const;
    void close() noexcept;
    int get() const noexcept { return _descriptor; }

private:
    explicit FileDescriptor(int descriptor) noexcept : _descriptor(descriptor) {}

    int _descriptor = -1;
};

/// Makes names in a folder durable.
void syncDirectory(const std::filesystem::path& directory);
/// Makes a folder and those above it, each durably; nothing happens to what is there.
void makeDirectories(const std::filesystem::path& directory);
/// Renames within one file system and syncs the folder that it ends in.
void renameDurably(const std::filesystem::path& from, const std::filesystem::path& to);

} // namespace portico::host::platform
