#include "text/Html.h"

#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

namespace portico::social
{

namespace
{
constexpr std::size_t longestReference = 12;
constexpr std::array<std::pair<std::string_view, std::string_view>, 24> namedReferences = {
    {{"amp", "&"},         {"lt", "<"},         {"gt", ">"},         {"quot", "\""},       {"apos", "'"},       {"nbsp", " "},
     {"ndash", "\u2013"},  {"mdash", "\u2014"}, {"lsquo", "\u2018"}, {"rsquo", "\u2019"},  {"ldquo", "\u201c"}, {"rdquo", "\u201d"},
     {"hellip", "\u2026"}, {"euro", "\u20ac"},  {"copy", "\u00a9"},  {"reg", "\u00ae"},    {"trade", "\u2122"}, {"auml", "\u00e4"},
     {"ouml", "\u00f6"},   {"uuml", "\u00fc"},  {"szlig", "\u00df"}, {"eacute", "\u00e9"}, {"laquo", "\u00ab"}, {"raquo", "\u00bb"}}};

void appendUtf8(std::string& text, std::uint32_t value)
{
    if (value == 0 || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) value = 0xfffd;
    const auto next = [&](int shift) { text += static_cast<char>(0x80 | (value >> shift & 0x3f)); };
    if (value < 0x80)
        text += static_cast<char>(value);
    else if (value < 0x800)
    {
        text += static_cast<char>(0xc0 | value >> 6);
        next(0);
    }
    else if (value < 0x10000)
    {
        text += static_cast<char>(0xe0 | value >> 12);
        next(6);
        next(0);
    }
    else
    {
        text += static_cast<char>(0xf0 | value >> 18);
        next(12);
        next(6);
        next(0);
    }
}

/// Appends the character of a reference. @return false for an unknown one
bool appendReference(std::string& text, std::string_view name)
{
    if (name.starts_with('#'))
    {
        const bool hex = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
        const auto digits = name.substr(hex ? 2 : 1);
        std::uint32_t value = 0;
        const auto end = digits.data() + digits.size();
        const auto read = std::from_chars(digits.data(), end, value, hex ? 16 : 10);
        if (digits.empty() || read.ptr != end || read.ec != std::errc()) return false;
        appendUtf8(text, value);
        return true;
    }
    const auto found = std::ranges::find(namedReferences, name, &std::pair<std::string_view, std::string_view>::first);
    if (found == namedReferences.end()) return false;
    text += found->second;
    return true;
}

/// Elements that do not separate words.
constexpr std::array<std::string_view, 30> inlineElements = {
    {"a",   "abbr", "b", "bdi", "bdo",  "big",   "cite", "code",   "data",   "del", "dfn", "em",   "font", "i", "ins",
     "kbd", "mark", "q", "s",   "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt",   "u", "wbr"}};

bool isInline(std::string_view tag)
{
    tag.remove_prefix(tag.starts_with("</") ? 2 : 1);
    const auto name = foldCase(tag.substr(0, std::min(tag.find_first_of("<> \t\n\r/"), std::size_t{8})));
    return std::ranges::find(inlineElements, name) != inlineElements.end();
}

/// Returns the position behind an element whose text is not shown, or the same position.
std::size_t behindHidden(std::string_view html, std::size_t at)
{
    for (const std::string_view name : {"script", "style"})
    {
        if (html.size() - at <= name.size() || foldCase(html.substr(at + 1, name.size())) != name) continue;
        const auto after = html[std::min(at + 1 + name.size(), html.size() - 1)];
        if (after != '>' && after != ' ' && after != '\t' && after != '\n' && after != '\r') continue;
        for (auto end = html.find("</", at); end != std::string_view::npos; end = html.find("</", end + 2))
            if (foldCase(html.substr(end + 2, name.size())) == name) return end;
        return html.size();
    }
    return at;
}
} // namespace

std::string withoutReferences(std::string_view html)
{
    std::string text;
    text.reserve(html.size());
    for (std::size_t at = 0; at < html.size();)
    {
        const auto end = html[at] == '&' ? html.substr(at, longestReference).find(';') : std::string_view::npos;
        if (end != std::string_view::npos && appendReference(text, html.substr(at + 1, end - 1)))
            at += end + 1;
        else
            text += html[at++];
    }
    return text;
}

std::string withoutMarkup(std::string_view html)
{
    std::string text;
    for (std::size_t at = 0; at < html.size();)
    {
        const auto tag = html.find('<', at);
        text += withoutReferences(html.substr(at, tag == std::string_view::npos ? tag : tag - at));
        if (tag == std::string_view::npos) break;
        at = tag;
        if (const auto behind = behindHidden(html, at); behind != at)
        {
            at = behind;
            continue;
        }
        const bool comment = html.substr(at).starts_with("<!--");
        const auto end = comment ? html.find("-->", at + 4) : html.find('>', at);
        if (end == std::string_view::npos) break;
        at = end + (comment ? 3 : 1);
    }
    return text;
}

std::string plainText(std::string_view html, std::size_t most)
{
    std::string text;
    // The tag of a block separates words: "<p>one</p><p>two</p>".
    std::string spaced;
    for (std::size_t at = 0; at < html.size(); ++at)
    {
        if (html[at] == '<' && !isInline(html.substr(at))) spaced += ' ';
        spaced += html[at];
    }
    bool blank = false;
    for (const char c : withoutMarkup(spaced))
    {
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
        {
            blank = !text.empty();
            continue;
        }
        if (blank) text += ' ';
        blank = false;
        text += c;
    }
    return cleanText(text, most);
}

} // namespace portico::social
