#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace portico::social
{

/// User-perceived character (Unicode Standard Annex 29, extended grapheme cluster), as bytes of a text.
struct Grapheme
{
    std::size_t begin = 0;
    std::size_t size = 0;
    /// True for a picture: an emoji with its joined parts, a flag or a keycap.
    bool isEmoji = false;
};

/// Walks over the graphemes of a text, which outlives the walk. A byte that is not UTF-8 counts as one grapheme. For one thread.
class GraphemeWalk
{
public:
    explicit GraphemeWalk(std::string_view text) noexcept : _text(text) {}
    /// Moves to the next grapheme. Returns false at the end.
    bool next(Grapheme& grapheme) noexcept;

private:
    std::string_view _text;
    std::size_t _position = 0;
};

/// Returns how many graphemes a text has. Thread-safe.
std::int64_t graphemeCount(std::string_view text) noexcept;
/// Returns the first graphemes of a text, at most `most`. Thread-safe.
std::string_view firstGraphemes(std::string_view text, std::int64_t most) noexcept;

} // namespace portico::social
