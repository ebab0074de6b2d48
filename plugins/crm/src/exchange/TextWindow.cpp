#include "exchange/TextWindow.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

constexpr std::size_t blockBytes = 64 * 1024;

bool isHighSurrogate(char32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool isLowSurrogate(char32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }

/// Returns the number of bytes that a decoded text occupies in the file. Each U+FFFD counts as one unit.
std::uint64_t encodedBytes(std::string_view text, ImportEncoding encoding)
{
    if (encoding == ImportEncoding::Utf8) return text.size();
    std::uint64_t characters = 0, pairs = 0;
    for (const char c : text)
    {
        const auto byte = static_cast<unsigned char>(c);
        characters += (byte & 0xc0) != 0x80;
        pairs += byte >= 0xf0;
    }
    return encoding == ImportEncoding::Utf16 ? 2 * (characters + pairs) : characters;
}

} // namespace

TextWindow::TextWindow(ImportFile& file, ImportEncoding encoding, bool bigEndian, std::uint64_t offset)
    : _file(&file), _encoding(encoding), _bigEndian(bigEndian), _readOffset(offset), _block(blockBytes), _offset(offset)
{
}

void TextWindow::advance(std::size_t count)
{
    // Half a unit at the end of UTF-16 is shown as a whole one.
    _offset = std::min<std::uint64_t>(_offset + encodedBytes(view(0, count), _encoding), _file->size());
    _start += count;
}

bool TextWindow::fill()
{
    const auto size = _file->read(_readOffset, _block);
    _readOffset += size;
    if (size == 0 && _cut.empty()) return false;
    _text.erase(0, _start);
    _start = 0;
    const auto before = _text.size();
    decode({_block.data(), size}, size == 0);
    // A block of one byte may not be enough for a character.
    return size > 0 || _text.size() > before;
}

void TextWindow::decode(std::string_view bytes, bool last)
{
    if (_encoding == ImportEncoding::Utf8)
    {
        _text += bytes;
        return;
    }
    if (_encoding == ImportEncoding::Windows1252)
    {
        appendWindows1252(_text, bytes);
        return;
    }
    _cut += bytes;
    std::size_t i = 0;
    const auto unit = [&](std::size_t at) -> char32_t
    {
        const auto first = static_cast<unsigned char>(_cut[at]), second = static_cast<unsigned char>(_cut[at + 1]);
        return _bigEndian ? first << 8 | second : second << 8 | first;
    };
    for (; i + 2 <= _cut.size(); i += 2)
    {
        const auto c = unit(i);
        if (!isHighSurrogate(c))
        {
            appendUtf8(_text, c);
            continue;
        }
        if (i + 4 > _cut.size() && !last) break;
        if (i + 4 <= _cut.size() && isLowSurrogate(unit(i + 2)))
        {
            appendUtf8(_text, 0x10000 + ((c - 0xd800) << 10) + (unit(i + 2) - 0xdc00));
            i += 2;
        }
        else
            _text += replacementCharacter;
    }
    _cut.erase(0, i);
    if (last && !_cut.empty())
    {
        _text += replacementCharacter;
        _cut.clear();
    }
}

bool isDamaged(std::string_view text, ImportEncoding encoding)
{
    if (text.find('\0') != std::string_view::npos || !isUtf8(text)) return true;
    return encoding != ImportEncoding::Utf8 && text.find(replacementCharacter) != std::string_view::npos;
}

} // namespace portico::crm
