#include "trends/SuggestionTexts.h"

#include "text/Graphemes.h"

#include "portico/Text.h"

#include <algorithm>
#include <array>

namespace portico::social
{

namespace
{
struct TemplateText
{
    std::string_view before;
    /// Between title and summary; empty: the summary is left out.
    std::string_view between;
};

constexpr std::array<TemplateText, 5> english = {
    {{"", ""}, {"", "\n\n"}, {"Worth reading: ", ""}, {"What do you think? ", "\n\n"}, {"In short: ", ""}}};
constexpr std::array<TemplateText, 5> german = {
    {{"", ""}, {"", "\n\n"}, {"Lesenswert: ", ""}, {"Was meint ihr? ", "\n\n"}, {"Kurz gesagt: ", ""}}};
} // namespace

std::string cutToFit(std::string_view text, std::string_view behind, const NetworkLimits& limits)
{
    const auto whole = std::string(text) + std::string(behind);
    if (measure(limits, whole).fits) return whole;
    // The longest beginning that fits: graphemes by halving, then back to the end of a word.
    std::int64_t low = 0, high = graphemeCount(text);
    const auto cut = [&](std::int64_t count) { return std::string(trim(firstGraphemes(text, count))) + "\u2026" + std::string(behind); };
    while (low < high)
    {
        const auto middle = (low + high + 1) / 2;
        if (measure(limits, cut(middle)).fits)
            low = middle;
        else
            high = middle - 1;
    }
    const auto beginning = firstGraphemes(text, low);
    const auto blank = beginning.find_last_of(" \n");
    const bool isCutWord = beginning.size() < text.size() && text[beginning.size()] != ' ';
    if (isCutWord && blank != std::string_view::npos && blank * 2 > beginning.size())
        return std::string(trim(beginning.substr(0, blank))) + "\u2026" + std::string(behind);
    return cut(low);
}

std::string suggestedText(const SourceItem& item, std::string_view language, std::size_t number, const NetworkLimits& limits)
{
    if (item.title.empty()) return {};
    const auto& texts = language.starts_with("de") ? german : english;
    const auto& chosen = texts[number % texts.size()];
    std::string text = std::string(chosen.before) + item.title;
    // A summary that repeats the title is omitted.
    if (!chosen.between.empty() && !item.summary.empty() && !item.summary.starts_with(item.title))
        text += std::string(chosen.between) + item.summary;
    return cutToFit(text, item.url.empty() ? std::string() : "\n\n" + item.url, limits);
}

} // namespace portico::social
