#pragma once

#include <cstdint>
#include <filesystem>
#include <sys/types.h>

namespace portico::host::plugins
{

/// Detects whether a file changed since it was read, without reading it again. Writing or replacing it, or setting its times, changes its
/// inode or its change time; processes cannot set the change time. A value.
class FileStamp
{
public:
    /// Stamp of the file's current state. @throws std::system_error when it cannot be looked at
    static FileStamp of(const std::filesystem::path& file);

    /// False for a file that was changed within the last second: a change right after that may have the same time, as the clock of files
    /// moves in steps.
    bool tellsChanges() const noexcept { return _tellsChanges; }
    /// Returns true if both are of one file in one state; only where `tellsChanges`.
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
