#include "vcard/VcardCards.h"

#include "text/ContactBuilder.h"
#include "text/Folding.h"

namespace portico::crm
{

namespace
{

/// A card's lines that are kept; no contact needs more.
constexpr std::size_t longestCard = 4 * 1024 * 1024;
constexpr std::size_t mostProperties = 2000;

bool isMarker(const VcardLine& line, std::string_view name)
{
    constexpr std::size_t longest = 60;
    const auto property = line.text.size() < longest ? VcardProperty::parse(line.text) : std::nullopt;
    return property && property->name == name && fold(trim(property->value)) == "vcard";
}

bool isBinary(std::string_view name) { return name == "PHOTO" || name == "LOGO" || name == "SOUND" || name == "KEY"; }

void addWarning(Vcard& card, std::string_view property, std::string_view code, std::string_view message, std::string_view value)
{
    constexpr std::size_t mostWarnings = 20, shownBytes = 400, mostShown = 100;
    if (card.warnings.size() == mostWarnings) return;
    const auto shown = repairedText(value.substr(0, shownBytes));
    card.warnings.push_back({std::string(property), {}, std::string(code), std::string(message), std::string(cutText(shown, mostShown))});
}

} // namespace

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
        // Most likely a photo: what is not all there is of no use.
        const auto property = VcardProperty::parse(std::string_view(line.text).substr(0, longestHead));
        if (!property || !isBinary(property->name))
            card.cut = true;
        else if (property->name == "PHOTO")
            addWarning(card, "PHOTO", "photo_too_large", "Photos are kept up to 1 MiB", {});
        return;
    }
    _bytes += line.text.size();
    if (_bytes > longestCard || card.properties.size() == mostProperties)
    {
        card.cut = true;
        return;
    }
    auto property = VcardProperty::parse(line.text);
    if (property)
        card.properties.push_back(*std::move(property));
    else if (!card.properties.empty())
        // A fold whose space was lost.
        card.properties.back().value += line.text;
    else
        addWarning(card, {}, "vcard_syntax", "A line without a property", line.text);
}

} // namespace portico::crm
