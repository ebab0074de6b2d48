#include "networks/Limits.h"

#include "text/Counting.h"
#include "text/Graphemes.h"

#include "portico/Text.h"

namespace portico::social
{

namespace
{
std::int64_t lengthIn(TextUnit unit, std::string_view text, std::int64_t urlLength)
{
    switch (unit)
    {
    case TextUnit::Graphemes:
        return graphemeCount(text);
    case TextUnit::MastodonCharacters:
        return mastodonCount(text, urlLength);
    case TextUnit::WeightedCharacters:
        return weightedCount(text);
    case TextUnit::ThreadsCharacters:
        return threadsCount(text);
    case TextUnit::EscapedCharacters:
        return littleTextCount(text);
    case TextUnit::CodePoints:
        break;
    }
    return static_cast<std::int64_t>(characterCount(text));
}
} // namespace

TextLength measure(const NetworkLimits& limits, std::string_view text)
{
    const auto length = lengthIn(limits.textUnit, text, limits.urlLength.value_or(23));
    const bool bytesFit = !limits.maxTextBytes || static_cast<std::int64_t>(text.size()) <= *limits.maxTextBytes;
    return {length, limits.maxText, bytesFit && length <= limits.maxText};
}

} // namespace portico::social
