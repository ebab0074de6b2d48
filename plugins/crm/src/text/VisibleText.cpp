#include "text/VisibleText.h"

#include "portico/Text.h"

#include <algorithm>
#include <array>

namespace portico::crm
{

namespace
{

struct CodeRange
{
    char32_t first;
    char32_t last;
};

template <std::size_t Size>
bool isWithin(const std::array<CodeRange, Size>& ranges, char32_t c)
{
    return std::any_of(ranges.begin(), ranges.end(), [c](const CodeRange& range) { return c >= range.first && c <= range.last; });
}

/// Default_Ignorable_Code_Point of Unicode 15, with the annotation characters and the placeholder of an embedded object.
constexpr auto invisible = std::to_array<CodeRange>({{0xad, 0xad},
                                                     {0x34f, 0x34f},
                                                     {0x61c, 0x61c},
                                                     {0x115f, 0x1160},
                                                     {0x17b4, 0x17b5},
                                                     {0x180b, 0x180f},
                                                     {0x200b, 0x200f},
                                                     {0x202a, 0x202e},
                                                     {0x2060, 0x206f},
                                                     {0x3164, 0x3164},
                                                     {0xfe00, 0xfe0f},
                                                     {0xfeff, 0xfeff},
                                                     {0xffa0, 0xffa0},
                                                     {0xfff0, 0xfffc},
                                                     {0x1bca0, 0x1bca3},
                                                     {0x1d173, 0x1d17a},
                                                     {0xe0000, 0xe0fff}});

/// Control characters and separators that are shown as a space, if at all.
constexpr auto spaceLike = std::to_array<CodeRange>({{0x00, 0x08}, {0x0b, 0x0c}, {0x0e, 0x1f}, {0x7f, 0x9f}, {0x2028, 0x2029}});

/// Scripts with joining letters, and emoji.
constexpr auto joining = std::to_array<CodeRange>({{0x600, 0x8ff},
                                                   {0x900, 0x109f},
                                                   {0x1780, 0x18af},
                                                   {0x1a20, 0x1cff},
                                                   {0x2190, 0x2bff},
                                                   {0xa800, 0xabff},
                                                   {0xfb50, 0xfdff},
                                                   {0xfe0f, 0xfe0f},
                                                   {0xfe70, 0xfefe},
                                                   {0x10d00, 0x11fff},
                                                   {0x1e900, 0x1e95f},
                                                   {0x1f000, 0x1faff}});
constexpr auto indic = std::to_array<CodeRange>({{0x900, 0xdff}});
constexpr auto ideographs = std::to_array<CodeRange>({{0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0xf900, 0xfaff}, {0x20000, 0x3ffff}});
constexpr auto hangulLetters = std::to_array<CodeRange>({{0x1100, 0x115e}, {0x1161, 0x11ff}});

bool isJoiner(char32_t c) { return c == 0x200c || c == 0x200d; }
bool isSelector(char32_t c) { return c >= 0xfe00 && c <= 0xfe0f; }
bool isTagLetter(char32_t c) { return c >= 0xe0020 && c <= 0xe007f; }

/// Returns true if an invisible character changes the appearance of its neighbors. 0 means no neighbor.
bool shapes(char32_t c, char32_t before, char32_t behind)
{
    if (isJoiner(c)) return isWithin(joining, before) && (isWithin(joining, behind) || isWithin(indic, before));
    if (isSelector(c)) return (before >= 0x2000 && !isWithin(invisible, before)) || before == 0xa9 || before == 0xae || behind == 0x20e3;
    if (c >= 0x180b && c <= 0x180f && c != 0x180e) return before >= 0x1820 && before <= 0x18af;
    if (c >= 0xe0100 && c <= 0xe01ef) return isWithin(ideographs, before);
    // The flag of a region: a black flag and the letters of its code.
    if (isTagLetter(c)) return before == 0x1f3f4 || isTagLetter(before);
    if (c == 0x115f || c == 0x1160) return isWithin(hangulLetters, before) || isWithin(hangulLetters, behind);
    return false;
}

/// Plain ASCII with nothing to remove, as most texts are.
bool isAllVisible(std::string_view text)
{
    return std::all_of(text.begin(), text.end(),
                       [](char c)
                       {
                           const auto byte = static_cast<unsigned char>(c);
                           return (byte >= 0x20 && byte < 0x7f) || c == '\t' || c == '\n' || c == '\r';
                       });
}

std::string withoutInvisible(std::string_view text, bool keepShaping)
{
    if (isAllVisible(text)) return std::string(text);
    std::string out;
    char32_t before = 0;
    while (!text.empty())
    {
        const auto [code, bytes] = firstCodePoint(text);
        const auto piece = text.substr(0, bytes);
        text.remove_prefix(bytes);
        if (isWithin(spaceLike, code))
        {
            out += ' ';
            before = ' ';
            continue;
        }
        if (isWithin(invisible, code))
        {
            const auto behind = text.empty() ? char32_t{0} : firstCodePoint(text).code;
            if (!keepShaping || !shapes(code, before, behind)) continue;
        }
        out += piece;
        before = code;
    }
    return out;
}

/// White space and the blank of braille.
bool showsNothing(std::string_view text)
{
    constexpr std::string_view brailleBlank = "\xe2\xa0\x80";
    for (text = trim(text); text.starts_with(brailleBlank); text = trim(text.substr(brailleBlank.size()))) {}
    return text.empty();
}

} // namespace

CodePoint firstCodePoint(std::string_view text) noexcept
{
    const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const char32_t first = byte(0);
    const std::size_t size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    constexpr CodePoint damaged{0xfffd, 1};
    if (size == 0 || text.size() < size) return damaged;
    if (size == 1) return {first, 1};
    constexpr unsigned leadBits = 0x7f;
    char32_t code = first & (leadBits >> size);
    for (std::size_t i = 1; i < size; ++i)
    {
        if ((byte(i) & 0xc0) != 0x80) return damaged;
        code = code << 6 | (byte(i) & 0x3f);
    }
    return {code, size};
}

std::string visibleText(std::string_view text)
{
    auto out = withoutInvisible(text, true);
    // Texts of white space only are kept: the rules of each field handle them.
    if (out.size() != text.size() && showsNothing(out)) out.clear();
    if (!isAllVisible(out) && !trim(out).empty() && showsNothing(out)) out.clear();
    return out;
}

std::string visibleCharacters(std::string_view text) { return withoutInvisible(text, false); }

} // namespace portico::crm
