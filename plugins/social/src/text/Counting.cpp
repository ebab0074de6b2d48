#include "text/Counting.h"

#include "text/CodePoints.h"
#include "text/Entities.h"
#include "text/Graphemes.h"

#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

#include <utf8proc.h>

namespace portico::social
{

namespace
{
constexpr std::int64_t linkWeight = 23;
constexpr std::int64_t emojiWeight = 2;

constexpr std::array<std::string_view, 40> topLevelDomains = {
    "com",  "org",  "net",  "edu",   "gov",   "info",  "biz",    "int",   "mil",     "name", "app",     "dev",   "page", "shop",
    "site", "blog", "news", "cloud", "store", "tech",  "online", "xyz",   "club",    "live", "world",   "today", "link", "agency",
    "art",  "bank", "cafe", "city",  "email", "games", "social", "space", "systems", "team", "website", "wiki"};

bool isTopLevelDomain(std::string_view label)
{
    std::string lower(label);
    std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    const bool letters = std::ranges::all_of(lower, [](char c) { return c >= 'a' && c <= 'z'; });
    // Two letters are a country.
    return letters && (lower.size() == 2 || std::ranges::find(topLevelDomains, lower) != topLevelDomains.end());
}

bool isHostCharacter(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
}

/// Returns the size of a domain name without a scheme, and of the path behind it, at the beginning of a text; 0: there is none.
std::size_t bareLinkSize(std::string_view text)
{
    std::size_t size = 0;
    while (size < text.size() && isHostCharacter(text[size])) ++size;
    auto host = text.substr(0, size);
    while (!host.empty() && (host.back() == '.' || host.back() == '-')) host.remove_suffix(1);
    const auto dot = host.rfind('.');
    if (dot == std::string_view::npos || dot == 0 || host.find("..") != std::string_view::npos) return 0;
    if (host.size() < text.size() && text[host.size()] == '@') return 0;
    if (!isTopLevelDomain(host.substr(dot + 1))) return 0;
    size = host.size();
    if (size < text.size() && text[size] == '/')
        while (size < text.size() && static_cast<unsigned char>(text[size]) > ' ' &&
               std::string_view("<>\"").find(text[size]) == std::string_view::npos)
            ++size;
    while (size > host.size() && std::string_view(".,;:!?'\")").find(text[size - 1]) != std::string_view::npos) --size;
    return size;
}

/// twitter-text's configuration v3, in units of a character.
std::int64_t weightOf(std::int32_t codePoint) noexcept
{
    const bool light = codePoint <= 4351 || (codePoint >= 8192 && codePoint <= 8205) || (codePoint >= 8208 && codePoint <= 8223) ||
                       (codePoint >= 8242 && codePoint <= 8247);
    return light ? 1 : 2;
}

std::string composed(std::string_view text)
{
    struct Free
    {
        void operator()(utf8proc_uint8_t* bytes) const noexcept { std::free(bytes); }
    };
    utf8proc_uint8_t* mapped = nullptr;
    const auto size = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                                   &mapped, static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    const std::unique_ptr<utf8proc_uint8_t, Free> owner(mapped);
    if (size < 0) return std::string(text);
    return {reinterpret_cast<const char*>(mapped), static_cast<std::size_t>(size)};
}

std::int64_t plainWeight(std::string_view text)
{
    std::int64_t weight = 0;
    GraphemeWalk walk(text);
    for (Grapheme grapheme; walk.next(grapheme);)
    {
        if (grapheme.isEmoji)
        {
            weight += emojiWeight;
            continue;
        }
        for (auto position = grapheme.begin; position < grapheme.begin + grapheme.size;)
        {
            const auto c = codePointAt(text, position);
            weight += weightOf(c.value);
            position += c.size;
        }
    }
    return weight;
}

/// A run of text between links with schemes.
std::int64_t weightWithBareLinks(std::string_view text)
{
    std::int64_t weight = 0;
    std::size_t counted = 0;
    for (std::size_t position = 0; position < text.size();)
    {
        const auto c = codePointAt(text, position);
        const auto before = position == 0 ? 0 : codePointBefore(text, position).value;
        const bool begins = c.value < 0x80 && isHostCharacter(static_cast<char>(c.value)) && c.value != '.' && c.value != '-' &&
                            !(isLetter(before) || isDigit(before) || before == '@' || before == '#' || before == '$' || before == '-' ||
                              before == '_' || before == '.' || before == '/');
        const auto size = begins ? bareLinkSize(text.substr(position)) : 0;
        if (size > 0)
        {
            weight += plainWeight(text.substr(counted, position - counted)) + linkWeight;
            counted = position + size;
        }
        position += size > 0 ? size : c.size;
    }
    return weight + plainWeight(text.substr(counted));
}
} // namespace

std::int64_t mastodonCount(std::string_view text, std::int64_t linkLength)
{
    std::string counted;
    std::int64_t links = 0;
    std::size_t position = 0;
    for (const auto& entity : findEntities(text, MentionForm::Fediverse))
    {
        if (entity.kind == EntityKind::Tag) continue;
        counted += text.substr(position, entity.begin - position);
        position = entity.end;
        if (entity.kind == EntityKind::Mention)
            counted += "@" + entity.value.substr(0, entity.value.find('@'));
        else
            ++links;
        // Separates the parts, so that a character after the link does not combine with the one before it.
        if (entity.kind == EntityKind::Link) counted += '\n';
    }
    counted += text.substr(position);
    return graphemeCount(counted) + links * (linkLength - 1);
}

std::int64_t weightedCount(std::string_view text)
{
    const auto normal = composed(text);
    const std::string_view whole = normal;
    std::int64_t weight = 0;
    std::size_t position = 0;
    for (const auto& entity : findEntities(whole, MentionForm::None))
    {
        if (entity.kind != EntityKind::Link) continue;
        weight += weightWithBareLinks(whole.substr(position, entity.begin - position)) + linkWeight;
        position = entity.end;
    }
    return weight + weightWithBareLinks(whole.substr(position));
}

std::int64_t threadsCount(std::string_view text)
{
    std::int64_t count = 0;
    GraphemeWalk walk(text);
    for (Grapheme grapheme; walk.next(grapheme);)
    {
        const auto part = text.substr(grapheme.begin, grapheme.size);
        count += static_cast<std::int64_t>(grapheme.isEmoji ? part.size() : characterCount(part));
    }
    return count;
}

std::string escapedLittleText(std::string_view text)
{
    std::string escaped;
    for (const char c : text)
    {
        if (std::string_view("\\|{}@[]()<>#*_~").find(c) != std::string_view::npos) escaped += '\\';
        escaped += c;
    }
    return escaped;
}

std::int64_t littleTextCount(std::string_view text) { return static_cast<std::int64_t>(characterCount(escapedLittleText(text))); }

} // namespace portico::social
