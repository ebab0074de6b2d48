#pragma once

#include "host/base/FileDescriptor.h"

#include "portico/Request.h"

#include <cstdint>
#include <string>

namespace portico::host::http
{

/// An upload: in memory while it is small, in an unlinked file of the spool directory from then on, so that nothing is left behind by a
/// crash.
class SpooledBody final : public ReceivedFile
{
public:
    /// Bytes that are not in the file (yet): all of a small body.
    std::string pending;

    /// Moves `pending` to the file, which is made if there is none. Blocks: for workers. @throws std::system_error.
    void spill(const std::string& directory);
    bool inFile() const noexcept { return static_cast<bool>(_file); }
    void clear() noexcept;

    std::uint64_t size() const noexcept override { return _fileBytes + pending.size(); }
    std::size_t read(std::uint64_t offset, std::span<char> buffer) const override;
    int descriptor() const noexcept override { return _file.get(); }

private:
    FileDescriptor _file;
    std::uint64_t _fileBytes = 0;
};

} // namespace portico::host::http
