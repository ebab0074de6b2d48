#pragma once

#include "exchange/ImportSource.h"
#include "exchange/TextWindow.h"
#include "vcard/VcardProperty.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::crm
{

/// A line with its continuations: folded ones (RFC 6350, 3.2, with a space or a tab) and the soft breaks of quoted-printable text.
struct VcardLine
{
    /// Bytes of the file. A fold may split a character.
    std::string text;
    /// Physical line of its start.
    std::int64_t line = 0;
    std::uint64_t offset = 0;
    /// True if the text was truncated.
    bool cut = false;
};

/// Reads the lines of a vCard file, one ahead. Blank lines are passed over. Used by one thread.
class VcardLines
{
public:
    VcardLines(TextWindow& window, std::int64_t line) : _window(window), _line(line) {}

    /// The next line, which stays the next one until `take`; null at the end.
    const VcardLine* peek();
    VcardLine take();
    /// Return the position of the next line.
    std::int64_t line() { return peek() ? _ahead->line : _line; }
    std::uint64_t offset() { return peek() ? _ahead->offset : _window.offset(); }

private:
    void readPhysical(VcardLine& line);
    bool skipBlank();
    std::size_t joinedEnd();
    std::size_t invisibleAt(std::size_t at);

    TextWindow& _window;
    std::int64_t _line;
    std::optional<VcardLine> _ahead;
};

enum class VcardEnding
{
    Ended,
    NoBegin, ///< lines outside of a card
    NoEnd
};

/// The properties between BEGIN:VCARD and END:VCARD.
struct Vcard
{
    std::vector<VcardProperty> properties;
    std::int64_t line = 0;
    VcardEnding ending = VcardEnding::Ended;
    /// True if the card exceeds the limit and was truncated.
    bool cut = false;
    /// Parts that were left out of a valid card.
    std::vector<ImportProblem> warnings;
};

/// Splits a file into cards. Used by one thread.
class VcardCards
{
public:
    VcardCards(TextWindow& window, std::int64_t line) : _lines(window, line) {}

    /// The next card, or the lines up to it; false behind the last.
    bool next(Vcard& card);
    /// Return the position of the next card.
    std::int64_t line() { return _lines.line(); }
    std::uint64_t offset() { return _lines.offset(); }

private:
    VcardEnding collect(Vcard& card);
    void skipStray();
    void skipNested();
    void add(Vcard& card, const VcardLine& line);

    VcardLines _lines;
    std::size_t _bytes = 0;
};

} // namespace portico::crm
