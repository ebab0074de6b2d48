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
    TooLong,      ///< skipped
    MissingComma, ///< between this element and the previous one
    Broken,       ///< unbalanced brackets, or the end of the file: the rest cannot be read
    Trailing      ///< text after the array, which is not read
};

/// Finds the boundaries of an array's elements without parsing them. Used by one thread.
class JsonScanner
{
public:
    JsonScanner(TextWindow& window, std::int64_t line) : _window(window), _line(line) {}
    /// Starts after an element. With `ended`, starts after an array whose damage was reported already.
    void resume(bool ended) noexcept
    {
        _first = false;
        _ended = ended;
    }
    /// Reports text after the array as a fault.
    void expectNothingBehind() noexcept { _nothingBehind = true; }

    /// Moves behind the opening bracket of the array, or of the object's member `contacts`. Returns false if there is none.
    bool enterArray();

    struct Element
    {
        std::string text;
        std::int64_t line = 0;
        JsonFault fault = JsonFault::None;
    };
    /// Reads the next element. Returns false at the end.
    bool next(Element& element);
    /// Reads the next line that is not blank, for files with one document a line.
    bool nextLine(Element& element);

    std::int64_t line() const noexcept { return _line; }

private:
    void skipSpace();
    bool findTrailing(Element& element);
    void consume(std::size_t count);
    /// Returns the length of the value at the window's start. Sets `fault` if it has no end.
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
