#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace portico::crm
{

/// Buffer for text that is written first and read afterwards. Small texts stay in memory; larger ones go to an unnamed file in the
/// temporary directory (`TMPDIR`), which is deleted with this object or process. Used by one thread at a time.
class TemporaryText
{
public:
    TemporaryText() = default;
    TemporaryText(const TemporaryText&) = delete;
    TemporaryText& operator=(const TemporaryText&) = delete;
    ~TemporaryText();

    /// @throws std::system_error if writing fails
    void append(std::string_view text);
    /// Appends the next piece to `out`; false when that was the last. @throws std::system_error
    bool read(std::string& out, std::size_t wanted);

private:
    void writeOut();

    int _descriptor = -1;
    std::uint64_t _size = 0;
    std::uint64_t _taken = 0;
    /// The part that is not in the file.
    std::string _memory;
};

} // namespace portico::crm
