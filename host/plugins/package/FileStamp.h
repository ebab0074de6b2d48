#pragma once

#include <cstdint>
#include <filesystem>
#include <sys/types.h>

namespace portico::host::plugins
{

/// Tells whether a file is still the one that was read, without reading it again: to write it, to replace it or to set its times gives it
/// another inode or another time of change, which the kernel keeps and nobody sets. A value.
class FileStamp
{
public:
    /// Of the file as it is now. @throws std::system_error when it cannot be looked at
    static FileStamp of(const std::filesystem::path& file);

    /// False for a file that was changed within the last second: a change right after that may have the same time, as the clock of files
    /// moves in steps.
    bool tellsChanges() const noexcept { return _tellsChanges; }
    /// Whether both are of one file in one state; only where `tellsChanges`.
    bool isOfSame(const FileStamp& other) const noexcept
    {
        return _device == other._device && _inode == other._inode && _size == other._size && _changed == other._changed;
    }

private:
    dev_t _device = 0;
    ino_t _inode = 0;
    off_t _size = 0;
    /// Nanoseconds since 1970.
    std::int64_t _changed = 0;
    bool _tellsChanges = false;
};

} // namespace portico::host::plugins
