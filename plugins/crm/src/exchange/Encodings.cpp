#include "exchange/Encodings.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace portico::crm
{

namespace
{

constexpr std::size_t encodedBlockBytes = 64 * 1024;

/// 0x80 to 0x9f; 0: no character.
constexpr std::array<char16_t, 32> windows1252{0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
                                               0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
                                               0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

unsigned char byte(char c) { return static_cast<unsigned char>(c); }

/// Length of the sequence that a byte starts, and the least and greatest second byte (RFC 3629, 4). Length 0: it starts none.
struct Lead
{
    std::size_t length = 0;
    unsigned char low = 0x80;
    unsigned char high = 0xbf;
};

constexpr Lead leadOf(unsigned char c)
{
    if (c < 0x80) return {1};
    if (c < 0xc2) return {};
    if (c < 0xe0) return {2};
    if (c < 0xf0) return {3, static_cast<unsigned char>(c == 0xe0 ? 0xa0 : 0x80), static_cast<unsigned char>(c == 0xed ? 0x9f : 0xbf)};
    if (c < 0xf5) return {4, static_cast<unsigned char>(c == 0xf0 ? 0x90 : 0x80), static_cast<unsigned char>(c == 0xf4 ? 0x8f : 0xbf)};
    return {};
}

enum class Sequence
{
    Whole,
    Cut, ///< the text ends within it
    Bad
};

/// The sequence at the start of a text that is not empty, and its length if it is whole.
Sequence firstSequence(std::string_view text, std::size_t& length)
{
    const auto lead = leadOf(byte(text[0]));
    length = lead.length;
    if (length == 0) return Sequence::Bad;
    if (length == 1) return Sequence::Whole;
    if (text.size() < 2) return Sequence::Cut;
    if (byte(text[1]) < lead.low || byte(text[1]) > lead.high) return Sequence::Bad;
    for (std::size_t i = 2; i < length; ++i)
    {
        if (i >= text.size()) return Sequence::Cut;
        if ((byte(text[i]) & 0xc0) != 0x80) return Sequence::Bad;
    }
    return Sequence::Whole;
}

/// Position of the first byte that is not ASCII.
std::size_t asciiPrefix(std::string_view text)
{
    constexpr std::uint64_t highBits = 0x8080808080808080;
    std::size_t i = 0;
    for (std::uint64_t word = 0; i + sizeof word <= text.size(); i += sizeof word)
    {
        std::memcpy(&word, text.data() + i, sizeof word);
        if (word & highBits) break;
    }
    while (i < text.size() && byte(text[i]) < 0x80) ++i;
    return i;
}

/// Counts multibyte UTF-8 sequences and invalid bytes of a file, piece by piece.
class Utf8Count
{
public:
    void add(std::string_view piece)
    {
        _rest += piece;
        std::string_view text = _rest;
        while (true)
        {
            text.remove_prefix(asciiPrefix(text));
            if (text.empty()) break;
            std::size_t length = 0;
            const auto found = firstSequence(text, length);
            if (found == Sequence::Cut) break;
            ++(found == Sequence::Whole ? characters : badBytes);
            text.remove_prefix(found == Sequence::Whole ? length : 1);
        }
        _rest.erase(0, _rest.size() - text.size());
    }
    /// A sequence that the file's end cuts is bad.
    void end() { badBytes += !_rest.empty(); }

    std::uint64_t characters = 0;
    std::uint64_t badBytes = 0;

private:
    std::string _rest;
};

/// One for letters of ASCII and Latin-1 in UTF-16: which half of most pairs is zero.
std::optional<bool> looksBigEndian(std::string_view sample)
{
    std::size_t even = 0, odd = 0;
    for (std::size_t i = 0; i + 1 < sample.size(); i += 2)
    {
        even += sample[i] == '\0';
        odd += sample[i + 1] == '\0';
    }
    const auto pairs = sample.size() / 2;
    if (odd > pairs / 3 && even < odd / 8 + 1) return false;
    if (even > pairs / 3 && odd < even / 8 + 1) return true;
    return std::nullopt;
}

/// Looks all of it through: a name with an umlaut may come late.
Utf8Count countUtf8(ImportFile& file, std::uint64_t from)
{
    Utf8Count count;
    std::vector<char> block(encodedBlockBytes);
    while (const auto size = file.read(from, block))
    {
        count.add({block.data(), size});
        from += size;
    }
    count.end();
    return count;
}

} // namespace

std::optional<TextEncoding> findEncoding(ImportFile& file, ImportEncoding wanted)
{
    using enum ImportEncoding;
    const auto start = startOfFile(file, 4096);
    const bool utf8Mark = start.starts_with("\xef\xbb\xbf"), little = start.starts_with("\xff\xfe"), big = start.starts_with("\xfe\xff");
    if (wanted == Utf16 || wanted == Auto)
    {
        if (little || big) return TextEncoding{Utf16, big, 2};
        if (const auto bigEndian = looksBigEndian(start)) return TextEncoding{Utf16, *bigEndian, 0};
        if (wanted == Utf16) return TextEncoding{Utf16, false, 0};
    }
    // No text has a zero byte; spreadsheets, pictures and archives do.
    if (start.find('\0') != std::string::npos) return std::nullopt;
    const std::uint64_t markBytes = utf8Mark ? 3 : 0;
    if (wanted == Windows1252) return TextEncoding{Windows1252, false, markBytes};
    if (wanted == Utf8 || utf8Mark) return TextEncoding{Utf8, false, markBytes};
    // A few bad bytes among good UTF-8 are damage, which is reported row by row; without any good it is the other one.
    const auto count = countUtf8(file, 0);
    return TextEncoding{count.badBytes <= count.characters ? Utf8 : Windows1252, false, 0};
}

std::string startOfFile(ImportFile& file, std::size_t bytes)
{
    std::string text(bytes, '\0');
    std::size_t size = 0;
    while (size < bytes)
    {
        const auto count = file.read(size, {text.data() + size, bytes - size});
        if (count == 0) break;
        size += count;
    }
    text.resize(size);
    return text;
}

bool isUtf8(std::string_view text) noexcept
{
    while (true)
    {
        text.remove_prefix(asciiPrefix(text));
        if (text.empty()) return true;
        std::size_t length = 0;
        if (firstSequence(text, length) != Sequence::Whole) return false;
        text.remove_prefix(length);
    }
}

std::string repairedText(std::string_view text)
{
    std::string out;
    while (!text.empty())
    {
        std::size_t length = 0;
        if (text[0] != '\0' && firstSequence(text, length) == Sequence::Whole)
            out += text.substr(0, length);
        else
        {
            out += replacementCharacter;
            length = 1;
        }
        text.remove_prefix(length);
    }
    return out;
}

void appendUtf8(std::string& out, char32_t c)
{
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3f)); };
    if (c < 0x80)
        out += static_cast<char>(c);
    else if (c < 0x800)
    {
        out += static_cast<char>(0xc0 | (c >> 6));
        tail(0);
    }
    else if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        out += replacementCharacter;
    else if (c < 0x10000)
    {
        out += static_cast<char>(0xe0 | (c >> 12));
        tail(6);
        tail(0);
    }
    else
    {
        out += static_cast<char>(0xf0 | (c >> 18));
        tail(12);
        tail(6);
        tail(0);
    }
}

void appendWindows1252(std::string& out, std::string_view bytes)
{
    for (const char c : bytes)
    {
        const char32_t code = byte(c);
        if (code < 0x80 || code >= 0xa0)
            appendUtf8(out, code);
        else if (const auto mapped = windows1252[code - 0x80])
            appendUtf8(out, mapped);
        else
            out += replacementCharacter;
    }
}

} // namespace portico::crm
