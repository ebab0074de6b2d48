#include "vcard/VcardLines.h"

#include "text/Folding.h"

#include <algorithm>
#include <utility>

namespace portico::crm
{

namespace
{

/// More than the largest photo that is kept takes as base64.
constexpr std::size_t longestLine = 2 * 1024 * 1024;
constexpr std::size_t pieceBytes = 64 * 1024;

bool isEnd(char c) { return c == '\n' || c == '\r'; }

/// The name and the parameters say that the value is quoted-printable.
bool isQuotedPrintable(std::string_view line)
{
    constexpr std::size_t longestHead = 200;
    const auto head = line.substr(0, std::min(line.find(':'), longestHead));
    return fold(head).find("quoted-printable") != std::string::npos;
}

} // namespace

const VcardLine* VcardLines::peek()
{
    if (_ahead) return &*_ahead;
    if (!skipBlank()) return nullptr;
    auto& line = _ahead.emplace();
    line.line = _line;
    line.offset = _window.offset();
    readPhysical(line);
    while (_window.has(0))
    {
        // White space behind a soft line break is text.
        if (line.text.ends_with('=') && isQuotedPrintable(line.text))
            line.text.pop_back();
        else if (_window[0] == ' ' || _window[0] == '\t')
            _window.advance(1);
        else
            break;
        readPhysical(line);
    }
    return &line;
}

VcardLine VcardLines::take()
{
    peek();
    VcardLine line = *std::move(_ahead);
    _ahead.reset();
    return line;
}

/// Appends one physical line and goes behind its end.
void VcardLines::readPhysical(VcardLine& line)
{
    std::size_t at = 0;
    const auto keep = [&]
    {
        const auto piece = _window.view(0, at);
        if (line.text.size() + piece.size() <= longestLine)
            line.text += piece;
        else
            line.cut = true;
        _window.advance(at);
        at = 0;
    };
    while (_window.has(at) && !isEnd(_window[at]))
        if (++at == pieceBytes) keep();
    keep();
    if (!_window.has(0)) return;
    const bool pair = _window[0] == '\r' && _window.has(1) && _window[1] == '\n';
    _window.advance(pair ? 2 : 1);
    ++_line;
}

bool VcardLines::skipBlank()
{
    while (true)
    {
        std::size_t at = 0;
        while (at < pieceBytes && _window.has(at) && (_window[at] == ' ' || _window[at] == '\t')) ++at;
        if (!_window.has(at))
        {
            _window.advance(at);
            return false;
        }
        if (!isEnd(_window[at])) return true;
        const bool pair = _window[at] == '\r' && _window.has(at + 1) && _window[at + 1] == '\n';
        _window.advance(pair ? at + 2 : at + 1);
        ++_line;
    }
}

} // namespace portico::crm
