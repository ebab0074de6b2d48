#pragma once

#include "imports/ImportSource.h"
#include "vcard/VcardLines.h"
#include "vcard/VcardProperty.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace portico::crm
{

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
    /// It has more than is kept of a card.
    bool cut = false;
    /// What was left out, though the card is good.
    std::vector<ImportProblem> warnings;
};

/// Cuts a file into cards. Used by one thread.
class VcardCards
{
public:
    VcardCards(TextWindow& window, std::int64_t line) : _lines(window, line) {}

    /// The next card, or the lines up to it; false behind the last.
    bool next(Vcard& card);
    /// Where the next one starts.
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
