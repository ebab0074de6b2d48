#include "PlainMarks.h"

#include "Utf8.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace portico::detail
{

namespace
{

/// Quotes, primes, accents and letters that are typed and read as an apostrophe. Sorted.
constexpr auto apostrophes =
    std::to_array<char32_t>({0x60,   0xb4,   0x2b9,  0x2bb,  0x2bc,  0x2bd,  0x2be,  0x2bf,  0x2c8,  0x2ca,  0x2cb,  0x374,
                             0x384,  0x55a,  0x55b,  0x5f3,  0x7f4,  0x7f5,  0x1fbd, 0x1fbf, 0x1fef, 0x1ffd, 0x1ffe, 0x2018,
                             0x2019, 0x201a, 0x201b, 0x2032, 0x2035, 0x275b, 0x275c, 0xa78b, 0xa78c, 0xff07, 0xff40});

/// General category Pd of Unicode 15, minus signs, the hyphen bullet and the modifier letter. Sorted.
constexpr auto hyphens = std::to_array<char32_t>({0x2d7,  0x58a,  0x5be,  0x1400, 0x1806, 0x2010, 0x2011, 0x2012, 0x2013,  0x2014, 0x2015,
                                                  0x2043, 0x207b, 0x208b, 0x2212, 0x2796, 0x2e17, 0x2e1a, 0x2e3a, 0x2e3b,  0x2e40, 0x2e5d,
                                                  0x301c, 0x3030, 0x30a0, 0xfe31, 0xfe32, 0xfe58, 0xfe63, 0xff0d, 0x10d6e, 0x10ead});

template <std::size_t Size>
bool isOneOf(const std::array<char32_t, Size>& sorted, char32_t c)
{
    return std::binary_search(sorted.begin(), sorted.end(), c);
}

/// The character of a well-formed sequence.
char32_t characterOf(std::string_view sequence)
{
    constexpr unsigned leadBits = 0x7f, payload = 0x3f, payloadBits = 6;
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(sequence[i]); };
    if (sequence.size() == 1) return byte(0);
    char32_t code = byte(0) & (leadBits >> sequence.size());
    for (std::size_t i = 1; i < sequence.size(); ++i) code = code << payloadBits | (byte(i) & payload);
    return code;
}

} // namespace

std::string withPlainMarks(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty())
    {
        const auto length = utf8SequenceLength(text);
        const auto piece = text.substr(0, std::max<std::size_t>(length, 1));
        const auto code = length == 0 ? char32_t{0} : characterOf(piece);
        if (isOneOf(apostrophes, code))
            out += '\'';
        else if (isOneOf(hyphens, code))
            out += '-';
        else
            out += piece;
        text.remove_prefix(piece.size());
    }
    return out;
}

} // namespace portico::detail
