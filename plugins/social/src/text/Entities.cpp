#include "text/Entities.h"

#include "text/CodePoints.h"
#include "text/Graphemes.h"

#include "portico/Text.h"

#include <algorithm>
#include <optional>

namespace portico::social
{

namespace
{
constexpr std::int64_t longestTag = 64;
constexpr std::size_t longestHost = 253;

bool isAsciiAlphanumeric(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

bool startsWithIgnoringCase(std::string_view text, std::string_view beginning) noexcept
{
    return text.size() >= beginning.size() &&
           std::equal(beginning.begin(), beginning.end(), text.begin(),
                      [](char wanted, char c) { return wanted == (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c); });
}

/// An entity begins at the start of a text or after a character that is no part of a word.
bool mayBeginAt(std::string_view text, std::size_t position) noexcept
{
    if (position == 0) return true;
    const auto before = codePointBefore(text, position).value;
    return !isLetter(before) && !isDigit(before) && before != '@' && before != '#' && before != '/' && before != '_' && before != '&' &&
           before != '$';
}

/// Returns the length of a domain name of at least two labels at the beginning of a text; 0: there is none.
std::size_t domainSize(std::string_view text, bool asciiOnly) noexcept
{
    std::size_t end = 0, label = 0, lastLabel = 0;
    int labels = 0;
    bool numericLast = true, hyphen = false;
    while (end < text.size())
    {
        const auto c = codePointAt(text, end);
        const bool inLabel = c.value < 0x80 ? isAsciiAlphanumeric(static_cast<char>(c.value)) || (c.value == '-' && label > 0)
                                            : !asciiOnly && (isLetter(c.value) || isDigit(c.value) || isCombining(c.value));
        if (inLabel)
        {
            if (label == 0) numericLast = true;
            hyphen = c.value == '-';
            if (!isDigit(c.value)) numericLast = false;
            label += c.size;
            end += c.size;
            continue;
        }
        const bool followed =
            end + 1 < text.size() && (isAsciiAlphanumeric(text[end + 1]) || (!asciiOnly && isLetter(codePointAt(text, end + 1).value)));
        if (c.value != '.' || label == 0 || hyphen || !followed) break;
        ++labels;
        end += 1;
        lastLabel = end;
        label = 0;
    }
    while (label > 0 && text[end - 1] == '-')
    {
        --end;
        --label;
    }
    // The last label is no number: `1.5` and `3.14` are no domains.
    if (labels == 0 || label == 0 || numericLast || end > longestHost || end - lastLabel < 2) return 0;
    return end;
}

/// Removes trailing punctuation and unmatched closing brackets from a link.
std::size_t withoutTrailing(std::string_view link) noexcept
{
    while (!link.empty())
    {
        const char c = link.back();
        if (c == ')' || c == ']')
        {
            const char opening = c == ')' ? '(' : '[';
            if (std::count(link.begin(), link.end(), c) <= std::count(link.begin(), link.end(), opening)) break;
        }
        else if (std::string_view(".,;:!?'\"*_~`").find(c) == std::string_view::npos)
        {
            const auto last = codePointBefore(link, link.size());
            // Closing quotation marks and full stops of other scripts.
            if (last.value < 0x80 || !isPunctuation(last.value)) break;
            link.remove_suffix(last.size);
            continue;
        }
        link.remove_suffix(1);
    }
    return link.size();
}

std::optional<Entity> linkAt(std::string_view text, std::size_t begin)
{
    const auto rest = text.substr(begin);
    const std::size_t scheme = startsWithIgnoringCase(rest, "https://") ? 8 : startsWithIgnoringCase(rest, "http://") ? 7 : 0;
    if (scheme == 0 || !mayBeginAt(text, begin)) return std::nullopt;
    auto size = domainSize(rest.substr(scheme), false);
    if (size == 0) return std::nullopt;
    size += scheme;
    const auto host = size;
    if (size < rest.size() && rest[size] == ':')
    {
        auto port = size + 1;
        while (port < rest.size() && rest[port] >= '0' && rest[port] <= '9' && port - size <= 5) ++port;
        if (port > size + 1) size = port;
    }
    if (size < rest.size() && (rest[size] == '/' || rest[size] == '?' || rest[size] == '#'))
    {
        while (size < rest.size())
        {
            const auto c = codePointAt(rest, size);
            if (isSpace(c.value) || c.value == '<' || c.value == '>' || c.value == '"') break;
            size += c.size;
        }
    }
    size = std::max(withoutTrailing(rest.substr(0, size)), host);
    return Entity{EntityKind::Link, begin, begin + size, std::string(rest.substr(0, size))};
}

std::optional<Entity> mentionAt(std::string_view text, std::size_t begin, MentionForm form)
{
    if (form == MentionForm::None || !mayBeginAt(text, begin)) return std::nullopt;
    const auto rest = text.substr(begin + 1);
    std::size_t size = 0;
    if (form == MentionForm::Domain)
        size = domainSize(rest, true);
    else
    {
        while (size < rest.size() && (isAsciiAlphanumeric(rest[size]) || rest[size] == '_' ||
                                      (size > 0 && (rest[size] == '.' || rest[size] == '-') && size + 1 < rest.size() &&
                                       (isAsciiAlphanumeric(rest[size + 1]) || rest[size + 1] == '_'))))
            ++size;
        if (size > 0 && size < rest.size() && rest[size] == '@')
            if (const auto domain = domainSize(rest.substr(size + 1), false); domain > 0) size += 1 + domain;
    }
    if (size == 0) return std::nullopt;
    return Entity{EntityKind::Mention, begin, begin + 1 + size, std::string(rest.substr(0, size))};
}

std::optional<Entity> tagAt(std::string_view text, std::size_t begin, std::size_t sign)
{
    if (!mayBeginAt(text, begin)) return std::nullopt;
    auto end = begin + sign;
    bool hasLetter = false;
    while (end < text.size())
    {
        const auto c = codePointAt(text, end);
        const bool joins = (c.value == 0x200c || c.value == 0x200d || c.value == 0xb7 || c.value == 0x30fb) && end > begin + sign;
        if (!isLetter(c.value) && !isDigit(c.value) && !isCombining(c.value) && c.value != '_' && !joins) break;
        // A keycap such as #️⃣ is no tag.
        if (end == begin + sign && isCombining(c.value)) break;
        hasLetter = hasLetter || isLetter(c.value);
        end += c.size;
    }
    const auto value = text.substr(begin + sign, end - begin - sign);
    if (!hasLetter || graphemeCount(value) > longestTag) return std::nullopt;
    return Entity{EntityKind::Tag, begin, end, std::string(value)};
}
} // namespace

std::vector<Entity> findEntities(std::string_view text, MentionForm mentions)
{
    std::vector<Entity> found;
    for (std::size_t position = 0; position < text.size();)
    {
        const auto c = codePointAt(text, position);
        std::optional<Entity> entity;
        if (c.value == 'h' || c.value == 'H')
            entity = linkAt(text, position);
        else if (c.value == '@')
            entity = mentionAt(text, position, mentions);
        else if (c.value == '#' || c.value == 0xff03)
            entity = tagAt(text, position, c.size);
        position = entity ? entity->end : position + c.size;
        if (entity) found.push_back(*std::move(entity));
    }
    return found;
}

} // namespace portico::social
