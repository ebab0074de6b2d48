#pragma once

#include "exchange/Encodings.h"
#include "exchange/ImportSource.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Sliding window over the text of a file. It starts at the record being read and grows to the record's end. Positions are relative to its
/// start. Used by one thread.
class TextWindow
{
public:
    /// UTF-8 is passed through unchanged, valid or not. Other encodings are converted to UTF-8, with U+FFFD for undefined bytes.
    TextWindow(ImportFile& file, ImportEncoding encoding, bool bigEndian, std::uint64_t offset);

    /// True if there is a character at a position; reads more if need be.
    bool has(std::size_t at)
    {
        while (_start + at >= _text.size())
            if (!fill()) return false;
        return true;
    }
    /// Only where `has`.
    char operator[](std::size_t at) const noexcept { return _text[_start + at]; }
    std::string_view view(std::size_t from, std::size_t to) const noexcept
    {
        return std::string_view(_text).substr(_start + from, to - from);
    }
    /// All that is in memory.
    std::string_view loaded() const noexcept { return std::string_view(_text).substr(_start); }

    /// Moves the window's start.
    void advance(std::size_t count);
    /// Byte in the file of the window's start.
    std::uint64_t offset() const noexcept { return _offset; }

private:
    bool fill();
    void decode(std::string_view bytes, bool last);

    ImportFile* _file;
    ImportEncoding _encoding;
    bool _bigEndian;
    std::uint64_t _readOffset;
    std::vector<char> _block;
    /// Bytes of UTF-16 that the last block cut.
    std::string _cut;
    std::string _text;
    std::size_t _start = 0;
    std::uint64_t _offset;
};

/// True for text that was damaged: no UTF-8, zero characters, or, where it was decoded, U+FFFD.
bool isDamaged(std::string_view text, ImportEncoding encoding);

} // namespace portico::crm
