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
    /// An existing file, to write behind its end.
    static FileDescriptor openAtEnd(const std::filesystem::path& path);
    void writeAll(std::span<const char> data, const std::filesystem::path& path) const;
    /// Has the kernel begin to write what waits for the disk, so that `sync` has less to wait for.
    void startSync() const noexcept;
    void sync(const std::filesystem::path& path) const;
    void close() noexcept;
    int get() const noexcept { return _descriptor; }

private:
    explicit FileDescriptor(int descriptor) noexcept : _descriptor(descriptor) {}

    int _descriptor = -1;
};

/// Gives an unlinked file a name, which replaces nothing. False where that is not possible: another file system, or a file that had a name
/// once.
bool linkUnlinked(int descriptor, const std::filesystem::path& path);
/// Makes names in a folder durable.
void syncDirectory(const std::filesystem::path& directory);
/// Makes a folder and those above it, each durably; nothing happens to what is there.
void makeDirectories(const std::filesystem::path& directory);
/// Renames within one file system and syncs the folder that it ends in.
void renameDurably(const std::filesystem::path& from, const std::filesystem::path& to);

} // namespace portico::host::platform
