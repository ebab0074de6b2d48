#include "text/Graphemes.h"

#include "text/CodePoints.h"

#include <utf8proc.h>

namespace portico::social
{

namespace
{
constexpr std::int32_t emojiStyle = 0xfe0f;
constexpr std::int32_t keycap = 0x20e3;

bool isPictographic(std::int32_t codePoint) noexcept
{
    return utf8proc_get_property(codePoint)->boundclass == UTF8PROC_BOUNDCLASS_EXTENDED_PICTOGRAPHIC;
}

bool isRegionalIndicator(std::int32_t codePoint) noexcept { return codePoint >= 0x1f1e6 && codePoint <= 0x1f1ff; }

/// Signs that fonts draw as text unless U+FE0F follows.
bool isTextByDefault(std::int32_t codePoint) noexcept { return codePoint == 0xa9 || codePoint == 0xae || codePoint == 0x2122; }
} // namespace

bool GraphemeWalk::next(Grapheme& grapheme) noexcept
{
    if (_position >= _text.size()) return false;
    auto last = codePointAt(_text, _position);
    grapheme = {_position, last.size, isPictographic(last.value) && !isTextByDefault(last.value)};
    int regional = isRegionalIndicator(last.value) ? 1 : 0;
    const bool mayBecomeEmoji = isTextByDefault(last.value);
    _position += last.size;
    utf8proc_int32_t state = 0;
    while (_position < _text.size())
    {
        const auto following = codePointAt(_text, _position);
        if (utf8proc_grapheme_break_stateful(last.value, following.value, &state)) break;
        if (isRegionalIndicator(following.value)) ++regional;
        if (following.value == keycap || (mayBecomeEmoji && following.value == emojiStyle)) grapheme.isEmoji = true;
        grapheme.size += following.size;
        _position += following.size;
        last = following;
    }
    if (regional > 0) grapheme.isEmoji = true;
    return true;
}

std::int64_t graphemeCount(std::string_view text) noexcept
{
    std::int64_t count = 0;
    GraphemeWalk walk(text);
    for (Grapheme grapheme; walk.next(grapheme);) ++count;
    return count;
}

std::string_view firstGraphemes(std::string_view text, std::int64_t most) noexcept
{
    GraphemeWalk walk(text);
    std::size_t end = 0;
    for (Grapheme grapheme; most > 0 && walk.next(grapheme); --most) end = grapheme.begin + grapheme.size;
    return text.substr(0, end);
}

} // namespace portico::social
