#include "text/FoldedText.h"

#include "text/VisibleText.h"

#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace portico::crm
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

std::string withPlainMarks(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty())
    {
        const auto [code, bytes] = firstCodePoint(text);
        if (isOneOf(apostrophes, code))
            out += '\'';
        else if (isOneOf(hyphens, code))
            out += '-';
        else
            out += text.substr(0, bytes);
        text.remove_prefix(bytes);
    }
    return out;
}

bool isMark(char c) { return c == '\'' || c == '-'; }

} // namespace

std::string foldText(std::string_view text)
{
    // Before the compatibility forms: those take an acute accent apart into a space and a mark.
    return fold(withPlainMarks(text));
}

std::string withoutMarks(std::string_view folded)
{
    constexpr std::string_view spaces = " \t\r\n\v\f";
    std::string out;
    while (!folded.empty())
    {
        const auto space = folded.find_first_not_of(spaces);
        out += folded.substr(0, space);
        folded.remove_prefix(std::min(space, folded.size()));
        const auto word = folded.substr(0, folded.find_first_of(spaces));
        folded.remove_prefix(word.size());
        if (std::all_of(word.begin(), word.end(), isMark))
            out += word;
        else
            std::copy_if(word.begin(), word.end(), std::back_inserter(out), [](char c) { return !isMark(c); });
    }
    return out;
}

} // namespace portico::crm
