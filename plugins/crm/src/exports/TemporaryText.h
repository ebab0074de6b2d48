#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace portico::crm
{

/// Text that is written first and read then: a little of it in memory, more in a file without a name in the directory for temporary files
/// (`TMPDIR`), which ends with this or with the process. Used by one thread at a time.
class TemporaryText
{
public:
    TemporaryText() = default;
    TemporaryText(const TemporaryText&) = delete;
    TemporaryText& operator=(const TemporaryText&) = delete;
    ~TemporaryText();

    /// @throws std::system_error when it cannot be kept.
    void append(std::string_view text);
    /// Appends the next piece to `out`; false when that was the last. @throws std::system_error
    bool read(std::string& out, std::size_t wanted);

private:
    void writeOut();

    int _descriptor = -1;
    std::uint64_t _size = 0;
    std::uint64_t _taken = 0;
    /// What is not in the file.
    std::string _memory;
};

} // namespace portico::crm
