#pragma once

#include "text/TextWindow.h"

#include <cstdint>
#include <optional>
#include <string>

namespace portico::crm
{

/// A line with its continuations: folded ones (RFC 6350, 3.2, with a space or a tab) and the soft breaks of quoted-printable text.
struct VcardLine
{
    /// As it is in the file: a fold may have cut a character.
    std::string text;
    /// Where it starts.
    std::int64_t line = 0;
    std::uint64_t offset = 0;
    /// The text was too long, and is not all of it.
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
    /// Where the next line starts.
    std::int64_t line() { return peek() ? _ahead->line : _line; }
    std::uint64_t offset() { return peek() ? _ahead->offset : _window.offset(); }

private:
    void readPhysical(VcardLine& line);
    bool skipBlank();

    TextWindow& _window;
    std::int64_t _line;
    std::optional<VcardLine> _ahead;
};

} // namespace portico::crm
