#include "vcard/VcardCards.h"

#include "exchange/ContactBuilder.h"

#include "portico/Text.h"

#include <algorithm>
#include <utility>

namespace portico::crm
{

namespace
{

/// Maximum line: exceeds the base64 form of the largest photo.
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

/// A card's lines that are kept; no contact needs more.
constexpr std::size_t longestCard = 4 * 1024 * 1024;
constexpr std::size_t maxProperties = 2000;

bool isMarker(const VcardLine& line, std::string_view name)
{
    constexpr std::size_t longest = 60;
    const auto property = line.text.size() < longest ? VcardProperty::parse(line.text) : std::nullopt;
    return property && property->name == name && fold(trim(property->value)) == "vcard";
}

bool isBinary(std::string_view name) { return name == "PHOTO" || name == "LOGO" || name == "SOUND" || name == "KEY"; }

void addWarning(Vcard& card, std::string_view property, std::string_view code, std::string_view message, std::string_view value)
{
    constexpr std::size_t maxWarnings = 20, shownBytes = 400, maxShown = 100;
    if (card.warnings.size() == maxWarnings) return;
    const auto shown = repairedText(value.substr(0, shownBytes));
    card.warnings.push_back(
        {std::string(property), {}, std::string(code), std::string(message), std::string(firstCharacters(shown, maxShown))});
}

} // namespace

const VcardLine* VcardLines::peek()
{
    if (_ahead) return &*_ahead;
    if (!skipBlank()) return nullptr;
    auto& line = _ahead.emplace();
    line.line = _line;
    line.offset = _window.offset();
    while (const auto size = invisibleAt(0)) _window.advance(size);
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

/// Returns the position of the next card if the window starts with `END:VCARD` and that card follows on the same line. `cat` creates this
/// from files without a final line break. 0 otherwise.
std::size_t VcardLines::joinedEnd()
{
    constexpr std::string_view end = "end:vcard", begin = "begin:vcard";
    constexpr std::size_t maxBetween = 64;
    if (!_window.has(0) || (_window[0] != 'E' && _window[0] != 'e')) return 0;
    const auto isThere = [&](std::size_t at, std::string_view word)
    { return _window.has(at + word.size() - 1) && fold(_window.view(at, at + word.size())) == word; };
    if (!isThere(0, end)) return 0;
    std::size_t at = end.size();
    const auto isBetween = [&](std::size_t i)
    {
        const char c = _window[i];
        return !isEnd(c) && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z');
    };
    while (at < end.size() + maxBetween && _window.has(at) && isBetween(at)) ++at;
    return isThere(at, begin) ? at : 0;
}

/// Appends one physical line, and moves behind its end.
void VcardLines::readPhysical(VcardLine& line)
{
    if (const auto next = line.text.empty() ? joinedEnd() : 0; next > 0)
    {
        line.text = "END:VCARD";
        _window.advance(next);
        return;
    }
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

/// The length of a byte order mark or a zero-width space at a position: files that were put behind each other each begin with one.
std::size_t VcardLines::invisibleAt(std::size_t at)
{
    constexpr std::size_t size = 3;
    if (!_window.has(at) || static_cast<unsigned char>(_window[at]) < 0xe2 || !_window.has(at + size - 1)) return 0;
    const auto character = _window.view(at, at + size);
    return character == "\xef\xbb\xbf" || character == "\xe2\x80\x8b" || character == "\xe2\x81\xa0" ? size : 0;
}

bool VcardLines::skipBlank()
{
    while (true)
    {
        std::size_t at = 0;
        for (std::size_t size = 1; size > 0 && at < pieceBytes; at += size)
            size = _window.has(at) && (_window[at] == ' ' || _window[at] == '\t') ? 1 : invisibleAt(at);
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

bool VcardCards::next(Vcard& card)
{
    const auto* first = _lines.peek();
    if (!first) return false;
    card.properties.clear();
    card.warnings.clear();
    card.cut = false;
    card.line = first->line;
    _bytes = 0;
    card.ending = collect(card);
    return true;
}

VcardEnding VcardCards::collect(Vcard& card)
{
    if (!isMarker(*_lines.peek(), "BEGIN"))
    {
        skipStray();
        return VcardEnding::NoBegin;
    }
    _lines.take();
    while (const auto* line = _lines.peek())
    {
        if (isMarker(*line, "BEGIN"))
        {
            // vCard 2.1 puts the card of an agent into its value.
            if (card.properties.empty() || card.properties.back().name != "AGENT") return VcardEnding::NoEnd;
            skipNested();
            continue;
        }
        const auto taken = _lines.take();
        if (isMarker(taken, "END")) return VcardEnding::Ended;
        add(card, taken);
    }
    return VcardEnding::NoEnd;
}

void VcardCards::skipStray()
{
    while (const auto* line = _lines.peek())
    {
        if (isMarker(*line, "BEGIN")) break;
        _lines.take();
    }
}

void VcardCards::skipNested()
{
    int depth = 0;
    while (_lines.peek())
    {
        const auto line = _lines.take();
        if (isMarker(line, "BEGIN")) ++depth;
        if (isMarker(line, "END") && --depth == 0) return;
    }
}

void VcardCards::add(Vcard& card, const VcardLine& line)
{
    constexpr std::size_t longestHead = 1000;
    if (line.cut)
    {
        // Drops a truncated binary value, most likely a photo.
        const auto property = VcardProperty::parse(std::string_view(line.text).substr(0, longestHead));
        if (!property || !isBinary(property->name))
            card.cut = true;
        else if (property->name == "PHOTO")
            addWarning(card, "PHOTO", "photo_too_large", "Photos are kept up to 1 MiB", {});
        return;
    }
    _bytes += line.text.size();
    if (_bytes > longestCard || card.properties.size() == maxProperties)
    {
        card.cut = true;
        return;
    }
    auto property = VcardProperty::parse(line.text);
    if (property)
        card.properties.push_back(*std::move(property));
    else if (!card.properties.empty())
        // Treats the line as a fold whose space was lost.
        card.properties.back().value += line.text;
    else
        addWarning(card, {}, "vcard_syntax", "A line without a property", line.text);
}

} // namespace portico::crm
