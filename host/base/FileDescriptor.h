#pragma once

#include <filesystem>
#include <span>
#include <utility>

#include <unistd.h>

namespace portico::host
{

/// An open file or socket that closes itself.
class FileDescriptor
{
public:
    FileDescriptor() = default;
    explicit FileDescriptor(int descriptor) noexcept : _descriptor(descriptor) {}
    FileDescriptor(FileDescriptor&& other) noexcept : _descriptor(other.release()) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept
    {
        std::swap(_descriptor, other._descriptor);
        return *this;
    }
    ~FileDescriptor() { close(); }

    /// A new file that only its owner can read; fails if the name is taken. @throws std::system_error that names the path
    static FileDescriptor createNew(const std::filesystem::path& path);

    int get() const noexcept { return _descriptor; }
    explicit operator bool() const noexcept { return _descriptor >= 0; }
    int release() noexcept { return std::exchange(_descriptor, -1); }
    void close() noexcept
    {
        if (_descriptor >= 0) ::close(release());
    }

    /// Writes everything. @throws std::system_error that names the path
    void writeAll(std::span<const char> data, const std::filesystem::path& path) const;
    /// Has the kernel begin to write what waits for the disk, so that `sync` has less to wait for.
    void startSync() const noexcept;
    /// Returns when it is on disk. @throws std::system_error that names the path
    void sync(const std::filesystem::path& path) const;

private:
    int _descriptor = -1;
};

} // namespace portico::host
