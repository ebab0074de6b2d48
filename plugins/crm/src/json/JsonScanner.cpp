#include "json/JsonScanner.h"

#include "portico/Json.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

/// The limit of a contact's JSON in the interface.
constexpr std::size_t longestElement = 1024 * 1024;
constexpr std::size_t deepestNesting = 64;

bool isJsonSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool endsScalar(char c) { return isJsonSpace(c) || c == ',' || c == ']' || c == '}' || c == ':'; }

} // namespace

void JsonScanner::consume(std::size_t count)
{
    const auto text = _window.view(0, count);
    _line += std::count(text.begin(), text.end(), '\n');
    _window.advance(count);
}

void JsonScanner::skipSpace()
{
    std::size_t count = 0;
    while (_window.has(count) && isJsonSpace(_window[count]))
        if (++count == longestElement)
        {
            consume(count);
            count = 0;
        }
    consume(count);
}

/// Discards a too long element while it is measured.
void JsonScanner::dropLong(std::size_t& at, JsonFault& fault)
{
    if (at < longestElement) return;
    fault = JsonFault::TooLong;
    consume(at);
    at = 0;
}

/// From the opening quote to behind the closing one.
bool JsonScanner::measureString(std::size_t& at, JsonFault& fault)
{
    ++at;
    while (_window.has(at))
    {
        const char c = _window[at];
        if (c == '\\' && _window.has(at + 1)) ++at;
        ++at;
        if (c == '"') return true;
        dropLong(at, fault);
    }
    return false;
}

std::size_t JsonScanner::measure(JsonFault& fault)
{
    std::size_t at = 0;
    std::string open;
    while (_window.has(at))
    {
        const char c = _window[at];
        if (c == '"')
        {
            if (!measureString(at, fault)) break;
        }
        else if (c == '{' || c == '[')
        {
            if (open.size() == deepestNesting) break;
            open += c == '{' ? '}' : ']';
            ++at;
        }
        else if (c == '}' || c == ']')
        {
            if (open.empty() || open.back() != c) break;
            open.pop_back();
            ++at;
        }
        else if (open.empty())
            while (_window.has(at) && !endsScalar(_window[at])) ++at;
        else
            ++at;
        if (open.empty()) return at;
        dropLong(at, fault);
    }
    fault = JsonFault::Broken;
    return at;
}

bool JsonScanner::enterArray()
{
    skipSpace();
    if (!_window.has(0)) return false;
    if (_window[0] == '[')
    {
        consume(1);
        return true;
    }
    if (_window[0] != '{') return false;
    consume(1);
    while (true)
    {
        skipSpace();
        if (!_window.has(0) || _window[0] != '"') return false;
        auto fault = JsonFault::None;
        const auto length = measure(fault);
        if (fault != JsonFault::None) return false;
        const bool found = _window.view(0, length) == "\"contacts\"";
        consume(length);
        skipSpace();
        if (!_window.has(0) || _window[0] != ':') return false;
        consume(1);
        skipSpace();
        if (found)
        {
            if (!_window.has(0) || _window[0] != '[') return false;
            consume(1);
            return true;
        }
        const auto value = measure(fault);
        if (fault == JsonFault::Broken || value == 0) return false;
        consume(value);
        skipSpace();
        if (!_window.has(0) || _window[0] != ',') return false;
        consume(1);
    }
}

bool JsonScanner::next(Element& element)
{
    if (_ended) return false;
    element.fault = JsonFault::None;
    element.text.clear();
    skipSpace();
    // Between two elements; a resumed run starts there, too.
    const bool comma = _window.has(0) && _window[0] == ',';
    if (comma)
    {
        consume(1);
        skipSpace();
    }
    element.line = _line;
    if (_window.has(0) && _window[0] == ']' && !comma) return findTrailing(element);
    const auto length = measure(element.fault);
    if (element.fault == JsonFault::None && length == 0) element.fault = JsonFault::Broken;
    if (element.fault == JsonFault::Broken)
        _ended = true;
    else if (element.fault == JsonFault::None)
    {
        element.text = _window.view(0, length);
        if (!comma && !_first) element.fault = JsonFault::MissingComma;
    }
    _first = false;
    consume(length);
    return true;
}

/// At the array's closing bracket.
bool JsonScanner::findTrailing(Element& element)
{
    _ended = true;
    if (!_nothingBehind) return false;
    consume(1);
    skipSpace();
    if (!_window.has(0)) return false;
    element.line = _line;
    element.fault = JsonFault::Trailing;
    return true;
}

bool JsonScanner::nextLine(Element& element)
{
    element.fault = JsonFault::None;
    element.text.clear();
    skipSpace();
    if (!_window.has(0)) return false;
    element.line = _line;
    std::size_t at = 0;
    while (_window.has(at) && _window[at] != '\n' && _window[at] != '\r')
    {
        ++at;
        dropLong(at, element.fault);
    }
    if (element.fault == JsonFault::None) element.text = _window.view(0, at);
    consume(at);
    skipSpace();
    return true;
}

} // namespace portico::crm
