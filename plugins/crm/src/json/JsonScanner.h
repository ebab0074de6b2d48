#pragma once

#include "exchange/TextWindow.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace portico::crm
{

enum class JsonFault
{
    None,
    TooLong,      ///< passed over
    MissingComma, ///< between it and the one before
    Broken,       ///< brackets that do not match, or the file's end: nothing behind it can be read
    Trailing      ///< text behind the array, which is not read
};

/// Finds where the elements of an array start and end, without reading them. Used by one thread.
class JsonScanner
{
public:
    JsonScanner(TextWindow& window, std::int64_t line) : _window(window), _line(line) {}
    /// The text starts behind an element, and, if `ended`, behind an array that broke off: what is left of it was told.
    void resume(bool ended) noexcept
    {
        _first = false;
        _ended = ended;
    }
    /// The array is all that the text may be.
    void expectNothingBehind() noexcept { _nothingBehind = true; }

    /// Moves behind the opening bracket of the array that the text is, or of its member `contacts`. False when there is none.
    bool enterArray();

    struct Element
    {
        std::string text;
        std::int64_t line = 0;
        JsonFault fault = JsonFault::None;
    };
    /// The next element; false behind the last.
    bool next(Element& element);
    /// The next line that is not blank, for one document a line.
    bool nextLine(Element& element);

    std::int64_t line() const noexcept { return _line; }

private:
    void skipSpace();
    bool findTrailing(Element& element);
    void consume(std::size_t count);
    /// Length of the value at the window's start: `fault` tells when it has no end.
    std::size_t measure(JsonFault& fault);
    bool measureString(std::size_t& at, JsonFault& fault);
    void dropLong(std::size_t& at, JsonFault& fault);

    TextWindow& _window;
    std::int64_t _line;
    bool _first = true;
    bool _ended = false;
    bool _nothingBehind = false;
};

} // namespace portico::crm
